// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

/**
 * What went wrong in a stream's own thread, told to a thread that uses the stream. The cause is
 * what was thrown there.
 */
public final class ProbeStreamException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ProbeStreamException(String message, Throwable cause) {
    super(message + ": " + cause, cause);
  }
}
