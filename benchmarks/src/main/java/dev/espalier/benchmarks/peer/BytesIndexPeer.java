// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.ValueReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Espalier's index of byte strings. Its values are read where they lie. */
public final class BytesIndexPeer implements StringPeer {
  private final BytesIndex index;

  // Kept, so that a lookup makes no object.
  private final ValueReader reader = this::add;
  private final BatchReader batchReader =
      (_, piece, from, bytes, position, total) -> add(piece, from, bytes, position, total);
  private long sum;

  /** Takes an index, which is closed with this. */
  public BytesIndexPeer(BytesIndex index) {
    this.index = index;
  }

  /** Returns the index. */
  public BytesIndex index() {
    return index;
  }

  @Override
  public void put(StringEntries entries, int from, int to) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(entries.valueBytes());
      for (int i = from; i < to; i++) {
        entries.writeValue(i, value);
        index.set(entries.keys().get(i), value);
      }
    }
  }

  @Override
  public long get(PackedStrings probes) {
    sum = 0;
    for (int i = 0; i < probes.count(); i++) {
      index.get(probes.get(i), reader);
    }
    return sum;
  }

  /** As {@link #get}, {@code group} keys at a time. */
  public long getAll(PackedStrings probes, int group) {
    sum = 0;
    for (int i = 0; i < probes.count(); i += group) {
      index.getAll(probes.batch(i, Math.min(group, probes.count() - i)), batchReader);
    }
    return sum;
  }

  @Override
  public long scan() {
    sum = 0;
    BytesCursor cursor = index.cursor();
    while (cursor.next()) {
      sum += cursor.key().byteSize();
      cursor.value(reader);
    }
    return sum;
  }

  private void add(MemorySegment piece, long from, long bytes, long position, long total) {
    sum += piece.get(JAVA_LONG_UNALIGNED, from);
  }

  @Override
  public void close() {
    index.close();
  }
}
