// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * SIMD kernels for blocks of messages, beside {@link MergeNetwork}; loaded as little as that where
 * there are no vectors.
 */
final class BlockVectors {
  private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();

  private BlockVectors() {}

  /**
   * As {@link Ordered#lowerBound}, where few keys are below the one sought: O(their number /
   * lanes).
   */
  static int lowerBoundNear(long[] keys, int from, int to, long key) {
    int at = from;
    while (at + LANES <= to) {
      int below = below(keys, at, key);
      at += below;
      if (below < LANES) {
        return at;
      }
    }
    return Ordered.lowerBound(keys, at, to, key);
  }

  /** Counts the keys below one, in any order, of an array whose length is a multiple of 8. */
  static int countBelow(long[] keys, long key) {
    int below = 0;
    for (int i = 0; i < keys.length; i += LANES) {
      below += below(keys, i, key);
    }
    return below;
  }

  private static int below(long[] keys, int at, long key) {
    return LongVector.fromArray(SPECIES, keys, at).compare(VectorOperators.LT, key).trueCount();
  }

  /** As {@link Ordered#compress}. */
  static int compress(long[] words, int from, int count, long kept, int to) {
    int end = to;
    int done = 0;
    for (; done + LANES <= count; done += LANES) {
      VectorMask<Long> mask = VectorMask.fromLong(SPECIES, kept >>> done);
      LongVector.fromArray(SPECIES, words, from + done).compress(mask).intoArray(words, end);
      end += mask.trueCount();
    }
    return Ordered.compressOneByOne(words, from + done, count - done, kept >>> done, end);
  }
}
