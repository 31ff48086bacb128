// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProgressBarTest {
  private static final String WIPE = "\r\u001b[K";

  private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();

  @Test
  void isDrawnOnlyWhenItChangesAndWipedOutAtTheEnd() {
    try (ProgressBar bar = new ProgressBar(terminal, 80)) {
      bar.show("probing", 0.5);
      bar.show("probing", 0.501);
      bar.show("probing", 1);
    }
    String half = "[" + "#".repeat(20) + ".".repeat(20) + "]  50%  probing";
    String full = "[" + "#".repeat(40) + "] 100%  probing";
    assertEquals(WIPE + half + WIPE + full + WIPE, terminal.toString(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          200 | [####################....................]  50%  writing a very long name of a file.esp
          80  | [####################....................]  50%  writing a ver... of a file.esp
          60  | [##########..........]  50%  writing a ver... of a file.esp
          40  | [#####.....]  50%  writing ... file.esp
          28  | [#####.....]  50%  wr...esp
          27  | ' 50%'
          """)
  void fitsTheTerminal(int columns, String line) {
    try (ProgressBar bar = new ProgressBar(terminal, columns)) {
      bar.show("writing a very long name of a file.esp", 0.5);
    }
    assertEquals(WIPE + line + WIPE, terminal.toString(StandardCharsets.UTF_8));
    assertTrue(line.length() < columns, line);
  }

  @Test
  void isWipedOutBeforeALineIsWrittenAndDrawnAgainAfterIt() {
    StringWriter written = new StringWriter();
    try (ProgressBar bar = new ProgressBar(terminal, 20)) {
      bar.show("probing", 0.5);
      new Output(written).println("a line");
      assertEquals(WIPE + " 50%" + WIPE, terminal.toString(StandardCharsets.UTF_8));
      bar.show("probing", 0.5);
    }
    assertEquals("a line" + System.lineSeparator(), written.toString());
    assertEquals(
        WIPE + " 50%" + WIPE + WIPE + " 50%" + WIPE, terminal.toString(StandardCharsets.UTF_8));
  }

  @Test
  void leavesTheTerminalAloneIfNothingWasShown() {
    new ProgressBar(terminal, 80).close();
    assertEquals(0, terminal.size());
  }
}
