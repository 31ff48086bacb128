// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** The rows of a column of keys and one of payloads, or numbered rows. */
final class SegmentOuterSource implements OuterSource {
  private final MemorySegment keys;
  private final @Nullable MemorySegment payloads;
  private final long rows;
  private long position;

  SegmentOuterSource(MemorySegment keys, @Nullable MemorySegment payloads) {
    if (keys.byteSize() % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          "keys has " + keys.byteSize() + " bytes; it must have 8 for each key");
    }
    this.keys = keys;
    this.payloads = payloads;
    this.rows = keys.byteSize() / Long.BYTES;
  }

  @Override
  public void open() {
    position = 0;
  }

  @Override
  public int nextBatch(long[] batchKeys, long[] batchPayloads) {
    int count = (int) Math.min(batchKeys.length, rows - position);
    copy(keys, batchKeys, count);
    if (payloads != null) {
      copy(payloads, batchPayloads, count);
    } else {
      for (int row = 0; row < count; row++) {
        batchPayloads[row] = position + row;
      }
    }
    position += count;
    return count;
  }

  private void copy(MemorySegment column, long[] to, int count) {
    MemorySegment.copy(
        column, ValueLayout.JAVA_LONG_UNALIGNED, position * Long.BYTES, to, 0, count);
  }

  @Override
  public void close() {}
}
