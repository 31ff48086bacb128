// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.sort.EntrySorter;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Entries that are longs. */
final class LongInput extends LoadInput<LongIndex> {
  private final LongEntrySource entries;
  private final long rows;
  private final @Nullable EntrySorter sorter;

  private LongInput(
      LongEntrySource entries, long rows, @Nullable EntrySorter sorter, @Nullable String header) {
    super(header);
    this.entries = entries;
    this.rows = rows;
    this.sorter = sorter;
  }

  /** Takes the keys of a table, ascending, with their rows' numbers. */
  static LongInput ofTable(long[] keys) {
    return new LongInput(new RowNumbers(keys), keys.length, null, null);
  }

  /**
   * Reads lines in any order. What does not fit into memory is sorted in a temporary file.
   *
   * @param input the file with the lines, or {@link LineInput#STANDARD_INPUT}
   * @param folder for the temporary file
   * @throws CommandFailure if the lines can't be read, or one is wrong
   * @throws java.io.UncheckedIOException if the temporary file can't be written
   */
  static LongInput ofLines(String input, Path folder, ProgressBar progress) {
    EntrySorter sorter = EntrySorter.create(sortOptions(folder));
    try {
      Optional<String> header = EntryLines.read(input, sorter, progress);
      return new LongInput(
          sorter.sorted(progress.listener("sorting")), sorter.added(), sorter, header.orElse(null));
    } catch (RuntimeException | Error failed) {
      sorter.close();
      throw failed;
    }
  }

  @Override
  LongIndex open(IndexStore store, FileOptions options, String name) {
    return IndexFiles.openLongs(store, options, name);
  }

  @Override
  void bulkload(LongIndex index, double fillFactor, ProgressListener listener) {
    index.bulkload(entries, fillFactor, rows - dropped(), listener);
  }

  @Override
  Added putAll(LongIndex index, ProgressListener listener) {
    long before = index.size();
    long[] keys = new long[BATCH];
    long[] values = new long[BATCH];
    long done = 0;
    int count;
    do {
      count = 0;
      while (count < BATCH && entries.next()) {
        keys[count] = entries.key();
        values[count] = entries.value();
        count++;
      }
      index.putAll(keys, 0, values, 0, count);
      done += count;
      listener.onProgress(done, rows - dropped());
    } while (count == BATCH && !Interruption.isRequested());
    index.flush();
    return new Added(done, index.size() - before);
  }

  @Override
  long rows() {
    return rows;
  }

  @Override
  long dropped() {
    return sorter == null ? 0 : sorter.dropped();
  }

  @Override
  public void close() {
    if (sorter != null) {
      sorter.close();
    }
  }
}
