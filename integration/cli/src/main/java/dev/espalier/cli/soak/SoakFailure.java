// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import org.jspecify.annotations.Nullable;

/** An index that did what it should not, and how to see that again. */
public final class SoakFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String command;

  /**
   * Reports a failure.
   *
   * @param what what went wrong, where, and with which seed
   * @param arguments the arguments of {@code soak}, after the folder, that repeat it
   * @param cause what was thrown; null if nothing was
   */
  public SoakFailure(String what, String arguments, @Nullable Throwable cause) {
    super(what + "; to repeat it: " + repeating(arguments), cause);
    this.command = repeating(arguments);
  }

  private static String repeating(String arguments) {
    return "./espalier soak DIR " + arguments;
  }

  /** Returns the command that repeats the failure. */
  public String command() {
    return command;
  }
}
