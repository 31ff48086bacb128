// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.ValueReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;

/**
 * Merges several sorted runs of records into one, with one entry of each key: the first in the
 * order of the runs. The runs' readers are a binary heap, with the one that has the next record on
 * top. Each entry takes O(log runs) comparisons.
 */
final class RecordMerge implements BytesEntrySource {
  /** Enough to recognize a key by, in a message of one line. */
  private static final int MOST_SHOWN = 32;

  private final RecordReader[] heap;
  private final boolean refusesDuplicates;
  private int readers;

  /** The record that was read before, without its value. */
  private final MemorySegment before =
      MemorySegment.ofArray(new byte[Records.HEADER + BytesIndex.MAX_KEY]);

  private boolean isFirst = true;
  private boolean isOnEntry;
  private long dropped;

  /** Merges runs; each reader is before its first record. */
  RecordMerge(List<RecordReader> runs, Duplicates duplicates) {
    this.heap = runs.toArray(RecordReader[]::new);
    this.refusesDuplicates = duplicates == Duplicates.REFUSE;
    for (RecordReader run : runs) {
      if (run.next()) {
        heap[readers++] = run;
      }
    }
    for (int parent = readers / 2 - 1; parent >= 0; parent--) {
      siftDown(parent);
    }
  }

  @Override
  public boolean next() {
    if (isOnEntry) {
      remember();
      advanceTop();
    }
    while (readers > 0 && !isFirst && isRepeated()) {
      if (refusesDuplicates) {
        throw new IllegalArgumentException("key " + shown() + " occurs more than once");
      }
      dropped++;
      advanceTop();
    }
    isFirst = false;
    isOnEntry = readers > 0;
    return isOnEntry;
  }

  private void remember() {
    int keyBytes = Records.keyBytes(memory(), at());
    MemorySegment.copy(memory(), at(), before, 0, Records.HEADER + keyBytes);
  }

  private boolean isRepeated() {
    return Records.compareKeys(memory(), at(), before, 0) == 0;
  }

  private String shown() {
    byte[] bytes = key().toArray(ValueLayout.JAVA_BYTE);
    int shown = Math.min(bytes.length, MOST_SHOWN);
    String digits = "0x" + HexFormat.of().formatHex(bytes, 0, shown);
    return shown == bytes.length ? digits : "%s... of %d bytes".formatted(digits, bytes.length);
  }

  private void advanceTop() {
    if (!heap[0].next()) {
      readers--;
      heap[0] = heap[readers];
    }
    siftDown(0);
  }

  private void siftDown(int from) {
    int parent = from;
    RecordReader sinking = heap[parent];
    while (2 * parent + 1 < readers) {
      int child = 2 * parent + 1;
      if (child + 1 < readers && heap[child + 1].isBefore(heap[child])) {
        child++;
      }
      if (!heap[child].isBefore(sinking)) {
        break;
      }
      heap[parent] = heap[child];
      parent = child;
    }
    heap[parent] = sinking;
  }

  /** Returns the memory that holds the record, at {@link #at}, until the next move. */
  MemorySegment memory() {
    return heap[0].memory();
  }

  long at() {
    return heap[0].at();
  }

  @Override
  public MemorySegment key() {
    checkOnEntry();
    long bytes = Records.keyBytes(memory(), at());
    return memory().asSlice(at() + Records.HEADER, bytes).asReadOnly();
  }

  @Override
  public void value(ValueReader reader) {
    checkOnEntry();
    long bytes = valueBytes();
    reader.read(memory().asReadOnly(), Records.valueAt(memory(), at()), bytes, 0, bytes);
  }

  @Override
  public long valueBytes() {
    checkOnEntry();
    return Records.valueBytes(memory(), at());
  }

  private void checkOnEntry() {
    if (readers == 0) {
      throw new IllegalStateException("there is no entry: all were read");
    }
  }

  /** Returns how many entries were dropped so far because another has the same key. */
  long dropped() {
    return dropped;
  }
}
