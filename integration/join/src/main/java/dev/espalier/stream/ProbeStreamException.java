// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

/**
 * Reports a failure in the thread of a stream to a thread that uses the stream. The cause is the
 * exception thrown there.
 */
public final class ProbeStreamException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ProbeStreamException(String message, Throwable cause) {
    super(message + ": " + cause, cause);
  }
}
