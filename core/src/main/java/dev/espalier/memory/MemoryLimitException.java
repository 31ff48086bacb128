// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/**
 * An index would need more native memory than it may use. The index is as it was before the call.
 */
public final class MemoryLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception, for the memory and for trees that have limits of their own. */
  public MemoryLimitException(String message) {
    super(message);
  }

  /** Creates the exception for what the system refused. */
  public MemoryLimitException(String message, Throwable cause) {
    super(message, cause);
  }
}
