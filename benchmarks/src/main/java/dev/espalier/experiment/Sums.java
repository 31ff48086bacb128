// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/** Adding up longs: the least that can be done with what is read, at memory speed. */
public final class Sums {
  private Sums() {}

  /** Returns the sum of {@code count} longs from a byte offset on. */
  public static long of(MemorySegment segment, long offset, long count) {
    return Keys.SIMD ? VectorSums.of(segment, offset, count) : scalar(segment, offset, count);
  }

  /** Returns the sum of all keys and values of an index, by a scan. */
  public static long ofEntries(LongIndex index) {
    LongCursor cursor = index.cursor();
    LongRun run = new LongRun();
    long sum = 0;
    while (cursor.nextRun(run)) {
      sum += of(run.segment(), run.keysOffset(), run.count());
      sum += of(run.segment(), run.valuesOffset(), run.count());
    }
    return sum;
  }

  /** As {@link #of}, one by one. */
  public static long scalar(MemorySegment segment, long offset, long count) {
    long sum = 0;
    for (long at = offset, end = offset + (count << 3); at < end; at += Long.BYTES) {
      sum += Words.getLong(segment, at);
    }
    return sum;
  }
}
