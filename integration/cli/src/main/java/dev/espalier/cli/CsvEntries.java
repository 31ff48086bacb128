// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.sort.BytesSorter;
import java.io.BufferedReader;
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

  /** Heap for a character of a record: it is there as text, which may be growing, and as bytes. */
  private static final int HEAP_BYTES = 16;

  /** The most characters of a record, so that a quote that is not closed fills no heap. */
  private static final long MOST = Math.min(1 << 28, Runtime.getRuntime().maxMemory() / HEAP_BYTES);

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final String name;
  private final BytesForm form;
  private final BytesSorter sorter;
  private final ProgressBar progress;
  private @Nullable String header;

  /** The line after the last record. */
  private long nextLine = 1;

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
      readAll(new LimitedReader(withoutMark(new BufferedReader(decoder)), MOST), length, hasHeader);
    } catch (UncheckedIOException e) {
      throw explained(Objects.requireNonNull(e.getCause()));
    } catch (IOException e) {
      throw explained(e);
    }
  }

  private void readAll(LimitedReader characters, long length, boolean hasHeader)
      throws IOException {
    CSVParser parser = CSVParser.parse(characters, FORMAT); // Not closed: the input is not ours.
    for (CSVRecord row : parser) {
      if (hasHeader && parser.getRecordNumber() == 1) {
        header = BytesForm.shortened(String.join(",", row.values()));
      } else {
        add(row, parser.getCurrentLineNumber());
      }
      characters.allowMore();
      nextLine = parser.getCurrentLineNumber() + 1;
      if (parser.getRecordNumber() % REPORT_RECORDS == 0) {
        progress.show(
            "reading " + name, length == 0 ? 0 : Math.min(1, (double) characters.count() / length));
      }
    }
  }

  /** Leaves out a byte order mark. */
  private static Reader withoutMark(Reader reader) throws IOException {
    reader.mark(1);
    if (reader.read() != BYTE_ORDER_MARK) {
      reader.reset();
    }
    return reader;
  }

  /** Adds a row that ends in a line. */
  private void add(CSVRecord row, long line) {
    if (row.size() != 2) {
      throw wrong(
          line,
          row.size() + " fields; key,value are two, and a comma within one of them needs quotes");
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
          "the key has " + key.length + " bytes; at most " + BytesIndex.MAX_KEY + " are possible");
    }
    sorter.add(key, value);
  }

  private CommandFailure explained(IOException e) {
    return switch (e) {
      case CharacterCodingException _ ->
          new CommandFailure(
              name + ": is not UTF-8; bytes that are no text can be loaded in hexadecimal", e);
      case CSVException _ -> new CommandFailure(name + ": wrong quotes: " + e.getMessage(), e);
      case LimitedReader.TooLongException _ ->
          wrong(
              nextLine,
              "the record from here on has more than "
                  + MOST
                  + " characters, the limit with a heap of "
                  + (Runtime.getRuntime().maxMemory() >> 20)
                  + " MiB; perhaps a quote is not closed");
      default -> new CommandFailure("can't read " + name + ": " + e, e);
    };
  }

  private CommandFailure wrong(long line, @Nullable String what) {
    return new CommandFailure(name + ", line " + line + ": " + what);
  }
}
