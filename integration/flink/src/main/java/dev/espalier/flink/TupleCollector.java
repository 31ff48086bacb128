// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.StoreOptions;
import dev.espalier.sort.BytesSorter;
import dev.espalier.sort.SortOptions;
import dev.espalier.tuple.TupleWriter;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.table.data.RowData;

/** Sorts rows as tuples, and makes an index file of them in one go. */
final class TupleCollector implements RowCollector {
  private final TupleColumns columns;
  private final Path file;
  private final BytesSorter sorter;
  private final TupleWriter key = new TupleWriter();
  private final TupleWriter rest = new TupleWriter();

  TupleCollector(TupleColumns columns, Path file, long memoryBytes) {
    this.columns = columns;
    this.file = file;
    this.sorter = BytesSorter.create(SortOptions.DEFAULT.withMemoryBytes(memoryBytes));
  }

  @Override
  public void add(RowData row) throws IOException {
    int nullColumn = columns.writeKey(key.clear(), row);
    if (nullColumn >= 0) {
      throw new IOException(
          "column %s of a row is null, and belongs to the key".formatted(columns.name(nullColumn)));
    }
    if (key.size() > BytesIndex.MAX_KEY) {
      throw new IOException(
          "the key of a row takes %d bytes; %d are possible"
              .formatted(key.size(), BytesIndex.MAX_KEY));
    }
    columns.writeRest(rest.clear(), row);
    sorter.add(key.segment(), rest.segment());
  }

  @Override
  public void finish() {
    FileOptions options = FileOptions.DEFAULT.withFlags(FileOption.MUST_BE_NEW);
    try (BytesIndex index = Espalier.openBytes(file, StoreOptions.DEFAULT.withFiles(options))) {
      index.bulkload(sorter.sorted(UNLESS_INTERRUPTED), 1.0, sorter.added(), UNLESS_INTERRUPTED);
    }
  }

  @Override
  public void close() {
    sorter.close();
  }
}
