// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ProgressBarTest {
  private static final String WIPE = "\r\u001b[K";

  private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();

  @Test
  void isDrawnOnlyWhenItChangesAndWipedOutAtTheEnd() {
    try (ProgressBar bar = new ProgressBar(terminal)) {
      bar.show("probing", 0.5);
      bar.show("probing", 0.501);
      bar.show("probing", 1);
    }
    String half = "[" + "#".repeat(20) + ".".repeat(20) + "]  50%  probing";
    String full = "[" + "#".repeat(40) + "] 100%  probing";
    assertEquals(WIPE + half + WIPE + full + WIPE, terminal.toString(StandardCharsets.UTF_8));
  }

  @Test
  void leavesTheTerminalAloneIfNothingWasShown() {
    new ProgressBar(terminal).close();
    assertEquals(0, terminal.size());
  }
}
