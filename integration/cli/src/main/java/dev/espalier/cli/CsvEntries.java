// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.sort.BytesSorter;
import java.io.BufferedReader;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines {@code key,value} of byte strings, in any order: CSV as RFC 4180 has it, in UTF-8,
 * where a field in quotes may have commas, quotes and several lines. Empty lines are skipped.
 */
final class CsvEntries {
  /** How entries are written, and read again. */
  static final CSVFormat FORMAT =
      CSVFormat.RFC4180.builder().setRecordSeparator("\n").setIgnoreEmptyLines(true).get();

  /** Records between two reports of progress. */
  private static final int REPORT_RECORDS = 1 << 16;

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final String name;
  private final BytesForm form;
  private final BytesSorter sorter;
  private final ProgressBar progress;
  private @Nullable String header;

  private CsvEntries(String name, BytesForm form, BytesSorter sorter, ProgressBar progress) {
    this.name = name;
    this.form = form;
    this.sorter = sorter;
    this.progress = progress;
  }

  /**
   * Reads the entries of a file into a sorter.
   *
   * @param input the file, or {@link LineInput#STANDARD_INPUT}
   * @param form how keys and values are written
   * @param hasHeader whether to skip the first line
   * @return the header, if there is one
   * @throws CommandFailure if it can't be read or a line is wrong
   */
  static Optional<String> read(
      String input, BytesForm form, boolean hasHeader, BytesSorter sorter, ProgressBar progress) {
    return LineInput.read(
        input,
        (name, bytes, length) -> {
          CsvEntries entries = new CsvEntries(name, form, sorter, progress);
          entries.readAll(bytes, length, hasHeader);
          return Optional.ofNullable(entries.header);
        });
  }

  private void readAll(InputStream bytes, long length, boolean hasHeader) {
    Reader decoder = new InputStreamReader(bytes, StandardCharsets.UTF_8.newDecoder());
    try {
      readAll(new Limited(new BufferedReader(decoder)), length, hasHeader);
    } catch (UncheckedIOException e) {
      throw explained(Objects.requireNonNull(e.getCause()));
    } catch (IOException e) {
      throw explained(e);
    }
  }

  private void readAll(Limited characters, long length, boolean hasHeader) throws IOException {
    CSVParser parser = CSVParser.parse(characters, FORMAT); // Not closed: the input is not ours.
    for (CSVRecord row : parser) {
      if (hasHeader && parser.getRecordNumber() == 1) {
        header = BytesForm.shortened(String.join(",", row.values()));
      } else {
        add(row, parser.getCurrentLineNumber());
      }
      characters.allowMore();
      if (parser.getRecordNumber() % REPORT_RECORDS == 0) {
        progress.show(
            "reading " + name, length == 0 ? 0 : Math.min(1, (double) characters.read / length));
      }
    }
  }

  /** Adds a row that ends in a line. */
  private void add(CSVRecord row, long line) {
    if (row.size() != 2) {
      throw wrong(
          line,
          "%d fields; key,value are two, and a comma within one of them needs quotes"
              .formatted(row.size()));
    }
    byte[] key;
    byte[] value;
    try {
      key = form.key(row.get(0));
      value = form.value(row.get(1));
    } catch (IllegalArgumentException e) {
      throw wrong(line, e.getMessage());
    }
    if (key.length > BytesIndex.MAX_KEY) {
      throw wrong(
          line,
          "the key has %d bytes; at most %d are possible"
              .formatted(key.length, BytesIndex.MAX_KEY));
    }
    sorter.add(key, value);
  }

  private CommandFailure explained(IOException e) {
    return switch (e) {
      case CharacterCodingException _ ->
          new CommandFailure(
              name + ": is not UTF-8; bytes that are no text can be loaded in hexadecimal", e);
      case CSVException _ -> new CommandFailure(name + ": wrong quotes: " + e.getMessage(), e);
      case TooLongException _ -> new CommandFailure(name + ": " + e.getMessage(), e);
      default -> new CommandFailure("can't read " + name + ": " + e, e);
    };
  }

  private CommandFailure wrong(long line, @Nullable String what) {
    return new CommandFailure("%s, line %d: %s".formatted(name, line, what));
  }

  /** A line is too long. */
  private static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1;

    TooLongException() {
      super(
          "a line has more than %d characters; perhaps a quote is not closed"
              .formatted(Limited.MOST));
    }
  }

  /**
   * Counts characters, and takes no more than so many between two calls of {@link #allowMore}, so
   * that a quote that is not closed does not fill the memory. Leaves out a byte order mark.
   */
  private static final class Limited extends FilterReader {
    static final int MOST = 1 << 28;

    private long read;
    private long limit = MOST;

    Limited(Reader reader) throws IOException {
      super(reader);
      reader.mark(1);
      if (reader.read() != BYTE_ORDER_MARK) {
        reader.reset();
      }
    }

    @Override
    public int read() throws IOException {
      int character = super.read();
      count(character < 0 ? 0 : 1);
      return character;
    }

    @Override
    public int read(char[] characters, int from, int most) throws IOException {
      int count = super.read(characters, from, most);
      count(Math.max(count, 0));
      return count;
    }

    private void count(int more) throws IOException {
      read += more;
      if (read > limit) {
        throw new TooLongException();
      }
    }

    void allowMore() {
      limit = read + MOST;
    }
  }
}
