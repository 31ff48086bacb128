// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.PrintWriter;
import picocli.CommandLine.ExitCode;

/** Writes entries as lines {@code key,value}, as long as they can be written. */
final class EntryWriter {
  /** So many characters are written at once: a line alone would cost more to write than to make. */
  private static final int CHARACTERS = 1 << 14;

  private final PrintWriter out;
  private final StringBuilder lines = new StringBuilder();

  EntryWriter(PrintWriter out) {
    this.out = out;
  }

  /**
   * Adds an entry.
   *
   * @return whether more can be written; false once the disk is full or a reader has closed the
   *     pipe
   */
  boolean add(long key, long value) {
    lines.append(key).append(',').append(value).append('\n');
    return lines.length() < CHARACTERS || write();
  }

  private boolean write() {
    out.append(lines);
    lines.setLength(0);
    return !out.checkError();
  }

  /** Writes what is left, and returns the exit status. */
  int end() {
    return write() ? ExitCode.OK : ExitCode.SOFTWARE;
  }
}
