// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/** Adding up longs: the least that a scan can do with what it reads. */
public final class Sums {

  private Sums() {}

  /** Returns the sum of {@code count} longs in native byte order. */
  public static long of(MemorySegment segment, long offset, long count) {
    return Keys.SIMD ? VectorSums.of(segment, offset, count) : scalar(segment, offset, count);
  }

  /** Returns the sum of the keys and values of all entries after an ascending cursor, by runs. */
  public static long ofRuns(LongCursor cursor) {
    if (Keys.SIMD) {
      return VectorSums.ofRuns(cursor);
    }
    LongRun run = new LongRun();
    long sum = 0;
    while (cursor.nextRun(run)) {
      sum += scalar(run.segment(), run.keysOffset(), run.count());
      sum += scalar(run.segment(), run.valuesOffset(), run.count());
    }
    return sum;
  }

  static long scalar(MemorySegment segment, long offset, long count) {
    long sum = 0;
    for (long at = offset, end = offset + (count << 3); at < end; at += Long.BYTES) {
      sum += segment.get(JAVA_LONG_UNALIGNED, at);
    }
    return sum;
  }
}
