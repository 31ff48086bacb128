// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.ValueReader;
import dev.espalier.sort.BytesSorter;
import dev.espalier.sort.SortOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Sorts the records of a changelog, and loads an index with the entries that are left in the end.
 */
final class RestoreSorter implements AutoCloseable {
  /** As much as RocksDB's write buffer, which Kafka sets for its stores. */
  private static final long MEMORY_BYTES = 16 << 20;

  private static final byte REMOVED = 0;
  private static final byte PRESENT = 1;

  private final BytesSorter sorter;

  /** A byte that says whether there is a value, and the value. */
  private byte[] marked = new byte[256];

  /**
   * Makes a sorter without records.
   *
   * @param folder for what does not fit into memory
   */
  RestoreSorter(Path folder) {
    sorter =
        BytesSorter.create(SortOptions.DEFAULT.withMemoryBytes(MEMORY_BYTES).withFolder(folder));
  }

  /** Adds a record, whose value is null if there is no entry any more. */
  void add(byte[] key, byte @Nullable [] value) {
    int length = value == null ? 0 : value.length;
    if (length >= marked.length) {
      marked = new byte[Math.max(length + 1, 2 * marked.length)];
    }
    marked[0] = value == null ? REMOVED : PRESENT;
    if (value != null) {
      System.arraycopy(value, 0, marked, 1, length);
    }
    sorter.add(MemorySegment.ofArray(key), MemorySegment.ofArray(marked).asSlice(0, length + 1L));
  }

  /** Returns how many records were added. */
  long added() {
    return sorter.added();
  }

  /** Fills an index without entries; there is nothing to add afterwards. */
  void load(BytesIndex index) {
    index.bulkload(
        new PresentEntries(sorter.sorted(ProgressListener.NONE)), 1.0, -1, ProgressListener.NONE);
  }

  @Override
  public void close() {
    sorter.close();
  }

  /** The entries that have a value, without the byte that says so. */
  private static final class PresentEntries implements BytesEntrySource {
    private final BytesEntrySource source;
    private byte mark;

    PresentEntries(BytesEntrySource source) {
      this.source = source;
    }

    @Override
    public boolean next() {
      while (source.next()) {
        source.value((piece, from, _, _, _) -> mark = piece.get(ValueLayout.JAVA_BYTE, from));
        if (mark == PRESENT) {
          return true;
        }
      }
      return false;
    }

    @Override
    public MemorySegment key() {
      return source.key();
    }

    @Override
    public void value(ValueReader reader) {
      source.value( // A sorter shows a value in one piece.
          (piece, from, bytes, _, _) -> reader.read(piece, from + 1, bytes - 1, 0, bytes - 1));
    }

    @Override
    public long valueBytes() {
      return source.valueBytes() - 1;
    }
  }
}
