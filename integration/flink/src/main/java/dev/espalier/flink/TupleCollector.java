// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.StoreOptions;
import dev.espalier.tuple.TupleWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeMap;
import org.apache.flink.table.data.RowData;

/** Puts rows into an index file, some megabytes at a time in the order of their keys. */
final class TupleCollector implements RowCollector {
  /** Of rows that are sorted together; they are on the heap. */
  private static final long MOST_SORTED_BYTES = 4 << 20;

  private final TupleColumns columns;
  private final BytesIndex index;
  private final TreeMap<byte[], byte[]> sorted = new TreeMap<>(Arrays::compareUnsigned);
  private final TupleWriter tuple = new TupleWriter();
  private long sortedBytes;

  /**
   * Makes a file.
   *
   * @param memoryBytes for pages of the file
   */
  TupleCollector(TupleColumns columns, Path file, long memoryBytes) {
    this.columns = columns;
    FileOptions options =
        FileOptions.DEFAULT.withFlags(FileOption.MUST_BE_NEW).withPoolBytes(memoryBytes);
    this.index = Espalier.openBytes(file, StoreOptions.DEFAULT.withFiles(options));
  }

  @Override
  public void add(RowData row) throws IOException {
    int nullColumn = columns.writeKey(tuple.clear(), row);
    if (nullColumn >= 0) {
      throw new IOException(
          "column %s of a row is null, and belongs to the key".formatted(columns.name(nullColumn)));
    }
    byte[] key = tuple.toBytes();
    if (key.length > BytesIndex.MAX_KEY) {
      throw new IOException(
          "the key of a row takes %d bytes; %d are possible"
              .formatted(key.length, BytesIndex.MAX_KEY));
    }
    columns.writeRest(tuple.clear(), row);
    byte[] rest = tuple.toBytes();
    sorted.put(key, rest);
    sortedBytes += key.length + rest.length;
    if (sortedBytes >= MOST_SORTED_BYTES) {
      putSorted();
    }
  }

  private void putSorted() {
    sorted.forEach(index::set);
    sorted.clear();
    sortedBytes = 0;
  }

  @Override
  public void finish() {
    putSorted();
    index.close();
  }

  @Override
  public void close() {
    index.close();
  }
}
