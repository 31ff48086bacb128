// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.LongIndex;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.sort.EntrySorter;
import dev.espalier.sort.SortOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.table.data.RowData;

/** Sorts rows of two longs, and makes an index file of them in one go. */
final class LongCollector implements RowCollector {
  private final Path file;
  private final int keyField;
  private final EntrySorter sorter;

  LongCollector(Path file, int keyField, long memoryBytes) {
    this.file = file;
    this.keyField = keyField;
    this.sorter = EntrySorter.create(SortOptions.DEFAULT.withMemoryBytes(memoryBytes));
  }

  @Override
  public void add(RowData row) throws IOException {
    for (int field = 0; field < 2; field++) {
      if (row.isNullAt(field)) {
        throw new IOException(
            "the %s of a row is null, and a table of two columns of type BIGINT has no nulls"
                .formatted(field == keyField ? "key" : "value"));
      }
    }
    sorter.add(row.getLong(keyField), row.getLong(1 - keyField));
  }

  @Override
  public void finish() {
    FileOptions options = FileOptions.DEFAULT.withFlags(FileOption.MUST_BE_NEW);
    try (LongIndex index = Espalier.open(file, options)) {
      index.bulkload(sorter.sorted(UNLESS_INTERRUPTED), 1.0, sorter.added(), UNLESS_INTERRUPTED);
    }
  }

  @Override
  public void close() {
    sorter.close();
  }
}
