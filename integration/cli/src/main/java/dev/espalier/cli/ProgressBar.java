// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ProgressListener;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One line on a terminal that shows how far the work has come. It is as wide as the terminal
 * allows, and wiped out before anything else is written and at its end.
 */
public final class ProgressBar implements AutoCloseable {
  /**
   * The system property with the terminal to draw on. The launcher sets it if standard error is a
   * terminal, which Java can't find out by itself; without it nothing is drawn.
   */
  static final String TERMINAL = "espalier.terminal";

  private static final int MAX_BAR = 40;
  private static final int MIN_BAR = 10;

  /** Brackets, percentage, and the spaces around it. */
  private static final int FRAME = "[]".length() + " 100%  ".length();

  /** Columns that are left to the task where there is a bar at all. */
  private static final int MIN_TASK = 8;

  private static final String OMITTED = "...";
  private static final String WIPE_LINE = "\r\u001b[K";

  /** The bar that is drawn at the moment; under the lock of this class. */
  private static @Nullable ProgressBar drawn;

  /** Whether the process is ending, and nothing is drawn any more; under the lock of this class. */
  private static boolean isEnding;

  private final PrintStream terminal;
  private final int columns;
  private String shown = "";

  /** Makes a bar on a terminal of so many columns. */
  ProgressBar(OutputStream terminal, int columns) {
    this.terminal = new PrintStream(terminal, true, StandardCharsets.UTF_8);
    this.columns = columns;
  }

  /** Makes a bar on the terminal that the launcher named, or an invisible one. */
  public static ProgressBar open() {
    String path = System.getProperty(TERMINAL);
    if (path != null) {
      try {
        return new ProgressBar(new FileOutputStream(path), TerminalWidth.columns(path));
      } catch (IOException e) {
        // The terminal is gone; the work goes on without a bar.
      }
    }
    return invisible();
  }

  /** Tells whether {@link #open} makes a bar that can be seen. */
  static boolean hasTerminal() {
    return System.getProperty(TERMINAL) != null;
  }

  /** Makes a bar that nobody sees. */
  static ProgressBar invisible() {
    return new ProgressBar(OutputStream.nullOutputStream(), TerminalWidth.USUAL);
  }

  /**
   * Draws the bar, if that changes it.
   *
   * @param task what is done at the moment
   * @param fraction how much of the work is done, from 0 to 1
   */
  public void show(String task, double fraction) {
    String line = line(task, fraction);
    synchronized (ProgressBar.class) {
      if (!line.equals(shown) && !isEnding) {
        shown = line;
        drawn = this;
        terminal.print(WIPE_LINE + line);
        terminal.flush();
      }
    }
  }

  /** Returns what fits: the cursor stays within the terminal's last column. */
  private String line(String task, double fraction) {
    int percent = (int) (fraction * 100);
    int width = Math.clamp(columns - MAX_BAR, MIN_BAR, MAX_BAR);
    int room = columns - 1 - FRAME - width;
    if (room < MIN_TASK) {
      return "%3d%%".formatted(percent);
    }
    int filled = (int) (fraction * width);
    return "[%s%s] %3d%%  %s"
        .formatted("#".repeat(filled), ".".repeat(width - filled), percent, shorten(task, room));
  }

  /** Leaves out the middle of a text that is too long: paths differ at their ends. */
  private static String shorten(String text, int room) {
    if (text.length() <= room) {
      return text;
    }
    int head = (room - OMITTED.length()) / 2;
    int tail = room - OMITTED.length() - head;
    return text.substring(0, head) + OMITTED + text.substring(text.length() - tail);
  }

  /** Returns a listener that draws how far a task has come, and never cancels it. */
  ProgressListener listener(String task) {
    return (done, total) -> {
      show(task, total > 0 ? Math.min(1, (double) done / total) : 0);
      return true;
    };
  }

  /** Wipes out the bar that is drawn, if one is, so that a line can be written in its place. */
  static synchronized void wipe() {
    if (drawn != null) {
      drawn.terminal.print(WIPE_LINE);
      drawn.terminal.flush();
      drawn.shown = "";
      drawn = null;
    }
  }

  /** As {@link #wipe}; nothing is drawn any more. */
  static synchronized void wipeForGood() {
    wipe();
    isEnding = true;
  }

  /** Wipes the bar out. */
  @Override
  public void close() {
    synchronized (ProgressBar.class) {
      if (drawn == this) {
        wipe();
      }
    }
    terminal.close();
  }
}
