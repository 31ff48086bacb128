// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks the system's {@code stty} how wide a terminal is, since Java can't. */
final class TerminalWidth {
  /** Columns of a terminal that does not tell. */
  static final int USUAL = 80;

  /** Rows and columns. */
  private static final Pattern SIZE = Pattern.compile("\\d+ ([1-9]\\d{0,4})\\s*");

  private TerminalWidth() {}

  /** Returns the columns of a terminal, {@value #USUAL} if that can't be found out. */
  static int columns(String terminal) {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File(terminal))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      Matcher matcher = SIZE.matcher(size);
      return matcher.matches() ? Integer.parseInt(matcher.group(1)) : USUAL;
    } catch (IOException e) {
      return USUAL;
    }
  }
}
