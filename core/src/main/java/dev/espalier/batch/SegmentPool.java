// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.HugePages;
import dev.espalier.support.Segments;

/** The memory of buffers of probes. A record has two words, a key and a tag. */
final class SegmentPool extends Segments {
  private static final int RECORD_SHIFT = 4;

  /** Takes memory, as {@link Segments} does. */
  SegmentPool(int records, int segments, HugePages hugePages) {
    super(1 << RECORD_SHIFT, records, segments, hugePages);
  }

  /** Adds a record to the buffer that ends at {@code end}; returns its new end. */
  int append(int end, long key, long tag) {
    int at = isFull(end) ? extend(end) : end;
    long offset = (long) at << RECORD_SHIFT;
    putLong(memory, offset, key);
    putLong(memory, offset + Long.BYTES, tag);
    return at + 1;
  }

  /** Copies records into two arrays, from 0 on. */
  void read(int from, int count, long[] keys, long[] tags) {
    for (int i = 0; i < count; i++) {
      long offset = (long) (from + i) << RECORD_SHIFT;
      keys[i] = getLong(memory, offset);
      tags[i] = getLong(memory, offset + Long.BYTES);
    }
  }
}
