// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The SIMD form of {@link Sums}. In a class of its own, because it can only be loaded when the
 * program has added the module jdk.incubator.vector.
 */
final class VectorSums {
  private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final long STEP = SPECIES.vectorByteSize();

  private VectorSums() {}

  /** As {@link Sums#of}. Four sums at a time, so that no addition waits for the one before. */
  static long of(MemorySegment segment, long offset, long count) {
    long at = offset;
    long end = offset + (count << 3);
    LongVector a = LongVector.zero(SPECIES);
    LongVector b = a;
    LongVector c = a;
    LongVector d = a;
    for (; at + 4 * STEP <= end; at += 4 * STEP) {
      a = a.add(load(segment, at));
      b = b.add(load(segment, at + STEP));
      c = c.add(load(segment, at + 2 * STEP));
      d = d.add(load(segment, at + 3 * STEP));
    }
    for (; at + STEP <= end; at += STEP) {
      a = a.add(load(segment, at));
    }
    long sum = a.add(b).add(c.add(d)).reduceLanes(VectorOperators.ADD);
    return at < end ? sum + Sums.scalar(segment, at, (end - at) >> 3) : sum;
  }

  /**
   * As {@link Sums#ofRuns}. Runs are short: the vectors are added up across them, and only once,
   * and what is left of a run is one vector with a mask, not a loop.
   */
  static long ofRuns(LongCursor cursor) {
    LongRun run = new LongRun();
    LongVector keys = LongVector.zero(SPECIES);
    LongVector values = keys;
    while (cursor.nextRun(run)) {
      MemorySegment segment = run.segment();
      long at = run.keysOffset();
      long end = at + ((long) run.count() << 3);
      long toValues = run.valuesOffset() - at;
      for (; at + STEP <= end; at += STEP) {
        keys = keys.add(load(segment, at));
        values = values.add(load(segment, at + toValues));
      }
      if (at < end) {
        VectorMask<Long> rest = SPECIES.indexInRange(0, (end - at) >> 3);
        keys = keys.add(load(segment, at, rest));
        values = values.add(load(segment, at + toValues, rest));
      }
    }
    return keys.add(values).reduceLanes(VectorOperators.ADD);
  }

  private static LongVector load(MemorySegment segment, long at, VectorMask<Long> mask) {
    return LongVector.fromMemorySegment(SPECIES, segment, at, ORDER, mask);
  }

  private static LongVector load(MemorySegment segment, long at) {
    return LongVector.fromMemorySegment(SPECIES, segment, at, ORDER);
  }
}
