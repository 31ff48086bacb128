// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongEntrySource;
import dev.espalier.sort.Duplicates;
import dev.espalier.sort.EntrySorter;
import dev.espalier.sort.SortOptions;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is to be loaded: entries in ascending order, of which there may be more than memory holds.
 */
final class LoadInput implements AutoCloseable {
  /** Part of the memory that the JVM may take which sorting takes, at most. */
  private static final int SHARE_OF_MEMORY = 2;

  private final LongEntrySource entries;
  private final long rows;
  private final @Nullable EntrySorter sorter;
  private final @Nullable String header;

  private LoadInput(
      LongEntrySource entries, long rows, @Nullable EntrySorter sorter, @Nullable String header) {
    this.entries = entries;
    this.rows = rows;
    this.sorter = sorter;
    this.header = header;
  }

  /** Takes the keys of a table, ascending, with their rows' numbers. */
  static LoadInput ofTable(long[] keys) {
    return new LoadInput(new RowNumbers(keys), keys.length, null, null);
  }

  /**
   * Reads lines in any order. What does not fit into memory is sorted in a temporary file.
   *
   * @param input the file with the lines, or {@link EntryLines#STANDARD_INPUT}
   * @param folder for the temporary file
   * @throws CommandFailure if the lines can't be read, or one is wrong
   * @throws java.io.UncheckedIOException if the temporary file can't be written
   */
  static LoadInput ofLines(String input, Path folder, ProgressBar progress) {
    long bytes =
        Math.clamp(
            Runtime.getRuntime().maxMemory() / SHARE_OF_MEMORY,
            SortOptions.MIN_MEMORY_BYTES,
            SortOptions.DEFAULT.memoryBytes());
    EntrySorter sorter = EntrySorter.create(new SortOptions(bytes, folder, Duplicates.KEEP_LAST));
    try {
      Optional<String> header = EntryLines.read(input, sorter, progress);
      return new LoadInput(
          sorter.sorted(progress.listener("sorting")), sorter.added(), sorter, header.orElse(null));
    } catch (RuntimeException | Error failed) {
      sorter.close();
      throw failed;
    }
  }

  /** Returns the entries, which can be read once. */
  LongEntrySource entries() {
    return entries;
  }

  /** Returns the number of rows that were read: one or more for each entry. */
  long rows() {
    return rows;
  }

  /** Returns the number of rows that are no entries, as far as it is known. */
  long dropped() {
    return sorter == null ? 0 : sorter.dropped();
  }

  /** Returns the first line, if it was skipped because it holds no numbers. */
  Optional<String> header() {
    return Optional.ofNullable(header);
  }

  @Override
  public void close() {
    if (sorter != null) {
      sorter.close();
    }
  }
}
