// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

/** A command can't do its work, for a reason that one line explains. */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandFailure(String message) {
    super(message);
  }

  CommandFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
