// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/** An experiment can't be run or written down, for a reason that one line explains. */
public final class ExperimentException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Makes one that has no other exception behind it. */
  public ExperimentException(String message) {
    super(message);
  }

  /** Makes one for an exception that came up on the way. */
  public ExperimentException(String message, Throwable cause) {
    super(message, cause);
  }
}
