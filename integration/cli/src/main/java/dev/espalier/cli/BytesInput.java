// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.sort.BytesSorter;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Entries that are byte strings. */
final class BytesInput extends LoadInput<BytesIndex> {
  /** Bytes of values put at once, or a few more. */
  private static final long BATCH_BYTES = 4 << 20;

  private final BytesEntrySource entries;
  private final BytesSorter sorter;

  private BytesInput(BytesEntrySource entries, BytesSorter sorter, @Nullable String header) {
    super(header);
    this.entries = entries;
    this.sorter = sorter;
  }

  /**
   * Reads lines in any order. What does not fit into memory is sorted in a temporary file.
   *
   * @param input the file with the lines, or {@link LineInput#STANDARD_INPUT}
   * @param form how keys and values are written
   * @param hasHeader whether to skip the first line
   * @param folder for the temporary file
   * @throws CommandFailure if the lines can't be read, or one is wrong
   * @throws java.io.UncheckedIOException if the temporary file can't be written
   */
  static BytesInput ofLines(
      String input, BytesForm form, boolean hasHeader, Path folder, ProgressBar progress) {
    BytesSorter sorter = BytesSorter.create(sortOptions(folder));
    try {
      Optional<String> header = CsvEntries.read(input, form, hasHeader, sorter, progress);
      return new BytesInput(
          sorter.sorted(progress.listener("sorting")), sorter, header.orElse(null));
    } catch (RuntimeException | Error failed) {
      sorter.close();
      throw failed;
    }
  }

  @Override
  BytesIndex open(IndexStore store, FileOptions options, String name) {
    return IndexFiles.openBytes(store, options, name);
  }

  @Override
  void bulkload(BytesIndex index, double fillFactor, ProgressListener listener) {
    index.bulkload(entries, fillFactor, rows() - dropped(), listener);
  }

  @Override
  Added putAll(BytesIndex index, ProgressListener listener) {
    long before = index.size();
    long done = 0;
    boolean hasMore = true;
    while (hasMore && !Interruption.isRequested()) {
      List<byte[]> keys = new ArrayList<>();
      List<byte[]> values = new ArrayList<>();
      long bytes = 0;
      while (hasMore && keys.size() < BATCH && bytes < BATCH_BYTES) {
        hasMore = entries.next();
        if (hasMore) {
          keys.add(entries.key().toArray(ValueLayout.JAVA_BYTE));
          values.add(entries.valueArray());
          bytes += entries.valueBytes();
        }
      }
      index.putAll(PackedBytes.of(keys), PackedBytes.of(values));
      done += keys.size();
      listener.onProgress(done, rows() - dropped());
    }
    index.flush();
    return new Added(done, index.size() - before);
  }

  @Override
  long rows() {
    return sorter.added();
  }

  @Override
  long dropped() {
    return sorter.dropped();
  }

  @Override
  public void close() {
    sorter.close();
  }
}
