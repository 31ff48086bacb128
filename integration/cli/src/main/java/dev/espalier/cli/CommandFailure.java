// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

/** A command can't do its work, for a reason that one line explains. */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Makes a failure with its explanation. */
  public CommandFailure(String message) {
    super(message);
  }

  /** Makes a failure with its explanation and its cause. */
  public CommandFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
