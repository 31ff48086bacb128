// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads lines {@code key,value} of decimal numbers, in any order. Blank lines and spaces around the
 * numbers are skipped, and so is a first line whose fields do not begin like numbers.
 */
final class EntryLines {
  /** The name of standard input. */
  static final String STANDARD_INPUT = "-";

  /** Lines between two reports of progress. */
  private static final int REPORT_LINES = 1 << 16;

  /** So much of a wrong line is shown. */
  private static final int SHOWN_CHARACTERS = 60;

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final String name;
  private final ProgressBar progress;
  private final LongArrayList keys = new LongArrayList();
  private final LongArrayList values = new LongArrayList();
  private long lines;
  private long characters;

  private EntryLines(String name, ProgressBar progress) {
    this.name = name;
    this.progress = progress;
  }

  /**
   * Reads and sorts the entries of a file.
   *
   * @param input the file, or {@link #STANDARD_INPUT}
   * @throws CommandFailure if it can't be read, a line is wrong, or the heap is too small
   */
  static SortedEntries read(String input, ProgressBar progress) {
    boolean isStandardInput = input.equals(STANDARD_INPUT);
    EntryLines lines = new EntryLines(isStandardInput ? "standard input" : input, progress);
    // Standard input stays open: it is not ours.
    try (InputStream file = isStandardInput ? null : Files.newInputStream(Path.of(input))) {
      lines.readAll(file == null ? System.in : file, file == null ? 0 : Files.size(Path.of(input)));
      progress.show("sorting", 1);
      return new SortedEntries(lines.keys.elements(), lines.values.elements(), lines.keys.size());
    } catch (IOException e) {
      throw new CommandFailure("can't read " + lines.name + ": " + e, e);
    } catch (OutOfMemoryError e) {
      throw new CommandFailure(
          "%s is too large for the heap of %d MiB; -Xmx makes it larger"
              .formatted(lines.name, Runtime.getRuntime().maxMemory() >> 20),
          e);
    }
  }

  private void readAll(InputStream bytes, long length) throws IOException {
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      lines++;
      characters += line.length() + 1;
      if (lines == 1 && !line.isEmpty() && line.charAt(0) == BYTE_ORDER_MARK) {
        line = line.substring(1);
      }
      if (!line.isBlank() && !(lines == 1 && isHeader(line))) {
        add(line);
      }
      if (lines % REPORT_LINES == 0) {
        progress.show(
            "reading " + name, length == 0 ? 0 : Math.min(1, (double) characters / length));
      }
    }
  }

  private static boolean isHeader(String line) {
    int comma = line.indexOf(',');
    return comma >= 0
        && !beginsLikeNumber(line.substring(0, comma))
        && !beginsLikeNumber(line.substring(comma + 1));
  }

  private static boolean beginsLikeNumber(String field) {
    String text = field.strip();
    return !text.isEmpty() && "+-0123456789".indexOf(text.charAt(0)) >= 0;
  }

  private void add(String line) {
    int comma = line.indexOf(',');
    try {
      if (comma >= 0) {
        long key = Long.parseLong(line.substring(0, comma).strip());
        values.add(Long.parseLong(line.substring(comma + 1).strip()));
        keys.add(key);
        return;
      }
    } catch (NumberFormatException e) {
      // Explained below, like a line without a comma.
    }
    throw new CommandFailure(
        "%s, line %d: '%s' is not key,value: two decimal numbers from -2^63 to 2^63-1"
            .formatted(
                name,
                lines,
                line.length() <= SHOWN_CHARACTERS
                    ? line
                    : line.substring(0, SHOWN_CHARACTERS) + "..."));
  }
}
