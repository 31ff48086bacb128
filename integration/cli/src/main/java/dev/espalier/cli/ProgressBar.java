// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ProgressListener;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** One line on a terminal that shows how far the work has come, and is wiped out at its end. */
public final class ProgressBar implements AutoCloseable {
  /**
   * The system property with the terminal to draw on. The launcher sets it if standard error is a
   * terminal, which Java can't find out by itself; without it nothing is drawn.
   */
  static final String TERMINAL = "espalier.terminal";

  private static final int WIDTH = 40;
  private static final String WIPE_LINE = "\r\u001b[K";

  private final PrintStream terminal;
  private String shown = "";

  ProgressBar(OutputStream terminal) {
    this.terminal = new PrintStream(terminal, true, StandardCharsets.UTF_8);
  }

  /** Makes a bar on the terminal that the launcher named, or an invisible one. */
  public static ProgressBar open() {
    return new ProgressBar(openTerminal(System.getProperty(TERMINAL)));
  }

  private static OutputStream openTerminal(@Nullable String path) {
    if (path != null) {
      try {
        return new FileOutputStream(path);
      } catch (IOException e) {
        // The terminal is gone; the work goes on without a bar.
        return OutputStream.nullOutputStream();
      }
    }
    return OutputStream.nullOutputStream();
  }

  /**
   * Draws the bar, if that changes it.
   *
   * @param task what is done at the moment
   * @param fraction how much of the work is done, from 0 to 1
   */
  public void show(String task, double fraction) {
    int filled = (int) (fraction * WIDTH);
    String line =
        "[%s%s] %3d%%  %s"
            .formatted(
                "#".repeat(filled), ".".repeat(WIDTH - filled), (int) (fraction * 100), task);
    if (!line.equals(shown)) {
      shown = line;
      terminal.print(WIPE_LINE + line);
      terminal.flush();
    }
  }

  /** Returns a listener that draws how far a task has come, and never cancels it. */
  ProgressListener listener(String task) {
    return (done, total) -> {
      show(task, total > 0 ? Math.min(1, (double) done / total) : 0);
      return true;
    };
  }

  /** Wipes the bar out. */
  @Override
  public void close() {
    if (!shown.isEmpty()) {
      terminal.print(WIPE_LINE);
    }
    terminal.close();
  }
}
