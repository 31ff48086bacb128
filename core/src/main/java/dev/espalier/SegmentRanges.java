// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** The entries of two parallel segments of longs. */
record SegmentRanges(MemorySegment keys, MemorySegment values) implements LongEntryRanges {
  SegmentRanges {
    if (keys.byteSize() != values.byteSize() || keys.byteSize() % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          "keys and values must have the same size, a multiple of 8 bytes; keys has "
              + keys.byteSize()
              + " bytes, values has "
              + values.byteSize());
    }
  }

  @Override
  public long count() {
    return keys.byteSize() / Long.BYTES;
  }

  @Override
  public LongEntrySource range(long from, long to) {
    Objects.checkFromToIndex(from, to, count());
    return new Range(keys, values, from, to);
  }

  private static final class Range implements LongEntrySource {
    private final MemorySegment keys;
    private final MemorySegment values;
    private final long to;
    private long current;

    Range(MemorySegment keys, MemorySegment values, long from, long to) {
      this.keys = keys;
      this.values = values;
      this.to = to;
      this.current = from - 1;
    }

    @Override
    public boolean next() {
      if (current + 1 >= to) {
        return false;
      }
      current++;
      return true;
    }

    @Override
    public long key() {
      return keys.get(ValueLayout.JAVA_LONG_UNALIGNED, current * Long.BYTES);
    }

    @Override
    public long value() {
      return values.get(ValueLayout.JAVA_LONG_UNALIGNED, current * Long.BYTES);
    }
  }
}
