// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.NavigableSet;
import java.util.TreeSet;

/** What the writers of one store have said, in the order in which they did. */
final class CrashHistory {
  private final NavigableSet<Long> notes = new TreeSet<>();
  private long written;
  private long acknowledged;

  /** Makes the history of a store that is not there yet. */
  CrashHistory() {
    notes.add(0L);
  }

  /** Takes a line of a {@link CrashWriter}. The last one may be cut off, and says nothing then. */
  void add(String line) {
    if (!line.endsWith(CrashWriter.END)) {
      return;
    }
    int space = line.indexOf(' ');
    long number = Long.parseLong(line, space + 1, line.length() - CrashWriter.END.length(), 10);
    switch (line.substring(0, space)) {
      case CrashWriter.WRITING -> written = Math.max(written, number);
      case CrashWriter.NOTING -> notes.add(number);
      case CrashWriter.COMMITTED -> acknowledged = Math.max(acknowledged, number);
      default -> {
        // Opened: nothing was written yet.
      }
    }
  }

  /** Returns the last step of which any part may have been written. */
  long written() {
    return written;
  }

  /** Returns the last step that a commit made safe. */
  long acknowledged() {
    return acknowledged;
  }

  /**
   * Tells whether a note belongs to the state after a step. Notes are in order with steps, so it is
   * the last one up to there; that of the last step itself may be missing.
   */
  boolean fits(long note, long step) {
    long last = notes.floor(step);
    Long before = notes.lower(last);
    boolean mayMiss = last == step && last > acknowledged && before != null;
    return note == last || (mayMiss && note == before);
  }
}
