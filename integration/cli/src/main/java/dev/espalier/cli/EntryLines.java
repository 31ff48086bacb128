// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.sort.EntrySorter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines {@code key,value} of decimal numbers, in any order. Blank lines and spaces around the
 * numbers are skipped, and so is a first line whose fields do not begin like numbers.
 */
final class EntryLines {
  /** Lines between two reports of progress. */
  private static final int REPORT_LINES = 1 << 16;

  /** The most characters of a line: far more than two numbers take, but no end of them. */
  private static final int MOST_CHARACTERS = 1 << 20;

  /** So much of a wrong line is shown. */
  private static final int SHOWN_CHARACTERS = 60;

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final String name;
  private final EntrySorter sorter;
  private final ProgressBar progress;
  private @Nullable String header;
  private long lines;
  private long characters;

  private EntryLines(String name, EntrySorter sorter, ProgressBar progress) {
    this.name = name;
    this.sorter = sorter;
    this.progress = progress;
  }

  /**
   * Reads the entries of a file into a sorter.
   *
   * @param input the file, or {@link LineInput#STANDARD_INPUT}
   * @return the header, if there is one
   * @throws CommandFailure if it can't be read or a line is wrong
   */
  static Optional<String> read(String input, EntrySorter sorter, ProgressBar progress) {
    return LineInput.read(
        input,
        (name, bytes, length) -> {
          EntryLines lines = new EntryLines(name, sorter, progress);
          lines.readAll(bytes, length);
          return Optional.ofNullable(lines.header);
        });
  }

  private void readAll(InputStream bytes, long length) throws IOException {
    LimitedReader decoder =
        new LimitedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8), MOST_CHARACTERS);
    try {
      readAll(new BufferedReader(decoder), decoder, length);
    } catch (LimitedReader.TooLongException e) {
      throw new CommandFailure(
          "%s, line %d: is not key,value: it has more than %d characters"
              .formatted(name, lines + 1, MOST_CHARACTERS),
          e);
    }
  }

  private void readAll(BufferedReader reader, LimitedReader decoder, long length)
      throws IOException {
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      lines++;
      decoder.allowMore();
      characters += line.length() + 1;
      if (lines == 1 && !line.isEmpty() && line.charAt(0) == BYTE_ORDER_MARK) {
        line = line.substring(1);
      }
      if (lines == 1 && isHeader(line)) {
        header = shortened(line);
      } else if (!line.isBlank()) {
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
    long key;
    long value;
    try {
      key = Long.parseLong(line.substring(0, Math.max(comma, 0)).strip());
      value = Long.parseLong(line.substring(comma + 1).strip());
    } catch (NumberFormatException e) {
      throw new CommandFailure(
          name
              + ", line "
              + lines
              + ": '"
              + shortened(line)
              + "' is not key,value: two decimal numbers from -2^63 to 2^63-1",
          e);
    }
    sorter.add(key, value);
  }

  private static String shortened(String line) {
    return line.length() <= SHOWN_CHARACTERS ? line : line.substring(0, SHOWN_CHARACTERS) + "...";
  }
}
