// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.Locale;
import picocli.CommandLine;

/**
 * Runs commands so that all numbers they write have the digits 0 to 9, a point and commas, whatever
 * the locale of the user says: scripts read them, and so do other commands. That goes for what they
 * format themselves, and for the messages of the libraries below them.
 */
public final class AsciiDigits {
  private AsciiDigits() {}

  /**
   * Runs a command.
   *
   * @return its exit status
   */
  public static int execute(CommandLine command, String... arguments) {
    Locale before = Locale.getDefault(Locale.Category.FORMAT);
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    try {
      return command.execute(arguments);
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, before);
    }
  }
}
