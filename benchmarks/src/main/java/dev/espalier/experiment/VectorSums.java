// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * {@link Sums} by SIMD. In a class of its own, because it can only be loaded when the program has
 * added the module jdk.incubator.vector.
 */
final class VectorSums {
  private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;
  private static final long STEP = SPECIES.vectorByteSize();

  private VectorSums() {}

  /** Two sums at a time, so that additions wait for loads and not for one another. */
  static long of(MemorySegment segment, long offset, long count) {
    long at = offset;
    long end = offset + (count << 3);
    LongVector even = LongVector.zero(SPECIES);
    LongVector odd = even;
    for (; at + 2 * STEP <= end; at += 2 * STEP) {
      even = even.add(load(segment, at));
      odd = odd.add(load(segment, at + STEP));
    }
    if (at + STEP <= end) {
      even = even.add(load(segment, at));
      at += STEP;
    }
    long sum = even.add(odd).reduceLanes(VectorOperators.ADD);
    return sum + Sums.scalar(segment, at, (end - at) >> 3);
  }

  private static LongVector load(MemorySegment segment, long at) {
    return LongVector.fromMemorySegment(SPECIES, segment, at, ByteOrder.nativeOrder());
  }
}
