// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import org.apache.commons.csv.CSVPrinter;
import picocli.CommandLine.ExitCode;

/**
 * Writes entries as lines {@code key,value} or as lines of JSON, as long as they can be written.
 */
final class EntryWriter {
  /** So many characters are written at once: a line alone would cost more to write than to make. */
  private static final int CHARACTERS = 1 << 14;

  private final PrintWriter out;
  private final boolean asJson;
  private final StringBuilder lines = new StringBuilder();
  private final CSVPrinter csv;

  /** Writes lines of JSON, or else lines {@code key,value}. */
  EntryWriter(PrintWriter out, boolean asJson) {
    this.out = out;
    this.asJson = asJson;
    try {
      this.csv = new CSVPrinter(lines, CsvEntries.FORMAT);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /**
   * Adds an entry.
   *
   * @return whether more can be written; false once the disk is full or a reader has closed the
   *     pipe
   */
  boolean add(long key, long value) {
    if (asJson) {
      lines.append("{\"key\":").append(key).append(",\"value\":").append(value).append("}\n");
    } else {
      lines.append(key).append(',').append(value).append('\n');
    }
    return hasRoom();
  }

  /**
   * Adds an entry.
   *
   * @return as the other {@code add}
   * @throws CommandFailure if it can't be written in this form
   */
  boolean add(BytesForm form, byte[] key, byte[] value) {
    String keyText = form.keyText(key);
    String valueText = form.valueText(key, value);
    if (asJson) {
      lines.append('{');
      append("key", form.keys(), keyText);
      lines.append(',');
      append("value", form.values(), valueText);
      lines.append("}\n");
    } else {
      try {
        csv.printRecord(keyText, valueText);
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
    }
    return hasRoom();
  }

  private void append(String name, Form form, String text) {
    Json.append(lines, form == Form.HEX ? name + "Hex" : name);
    lines.append(':');
    Json.append(lines, text);
  }

  private boolean hasRoom() {
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
