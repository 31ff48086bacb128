// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/**
 * Thrown when an index would need more native memory than its limit, the system or the file system
 * allows. The index is as it was before the call, unless the method documents otherwise.
 */
public final class MemoryLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception for a limit of the index. */
  public MemoryLimitException(String message) {
    super(message);
  }

  /** Creates the exception for a refusal of the system. */
  public MemoryLimitException(String message, Throwable cause) {
    super(message, cause);
  }
}
