// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * The simulated process is dead: its {@link SimulatedDisk} lost power during this operation or an
 * earlier one, or the process was killed. What a real process would never come to do is refused by
 * this exception, however often it is tried.
 */
final class PowerLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PowerLostException(String message) {
    super(message);
  }
}
