// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Merges sorted blocks a vector at a time, by a bitonic network (K. E. Batcher, Sorting networks
 * and their applications, 1968): of two sorted vectors it makes one with the lower and one with the
 * upper half of their keys, each sorted, without a branch. In a class of its own, because it can
 * only be loaded when the program has added the module jdk.incubator.vector.
 */
final class MergeNetwork {
  private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();

  /** With shorter vectors merging one by one is as good. */
  private static final int WORTHWHILE_LANES = 8;

  private static final VectorShuffle<Long> REVERSED =
      VectorShuffle.fromOp(SPECIES, lane -> LANES - 1 - lane);

  /** For the network's last three stages: the lanes compared are 4, 2 and 1 apart. */
  private static final VectorShuffle<Long> APART_4 = apart(4);

  private static final VectorShuffle<Long> APART_2 = apart(2);
  private static final VectorShuffle<Long> APART_1 = apart(1);

  /** The lanes that take the smaller one of the two. */
  private static final VectorMask<Long> LOWER_OF_4 = VectorMask.fromLong(SPECIES, 0x0F);

  private static final VectorMask<Long> LOWER_OF_2 = VectorMask.fromLong(SPECIES, 0x33);
  private static final VectorMask<Long> LOWER_OF_1 = VectorMask.fromLong(SPECIES, 0x55);

  private MergeNetwork() {}

  private static VectorShuffle<Long> apart(int lanes) {
    return VectorShuffle.fromOp(SPECIES, lane -> (lane ^ lanes) & (LANES - 1));
  }

  /** Tells whether vectors have the eight lanes that the network is for. */
  static boolean isWorthwhile() {
    return LANES == WORTHWHILE_LANES;
  }

  /**
   * Merges two blocks of entries into a third, as many whole vectors as can be: up to the end of
   * the third, or until the next vector would have to come from a block that has less than one.
   * Which of two entries of the same key comes first is left open.
   *
   * @return where the merged entries end
   */
  static int merge(
      long[] newerKeys,
      long[] newerValues,
      int newerFrom,
      int newerEnd,
      long[] olderKeys,
      long[] olderValues,
      int olderFrom,
      int olderEnd,
      long[] toKeys,
      long[] toValues,
      int toFrom) {
    int i = newerFrom;
    int j = olderFrom;
    int to = toFrom;
    if (newerEnd - i < LANES || olderEnd - j < LANES || toKeys.length - to < LANES) {
      return to;
    }
    LongVector upperKeys = LongVector.fromArray(SPECIES, newerKeys, i);
    LongVector upperValues = LongVector.fromArray(SPECIES, newerValues, i);
    i += LANES;
    LongVector nextKeys = LongVector.fromArray(SPECIES, olderKeys, j);
    LongVector nextValues = LongVector.fromArray(SPECIES, olderValues, j);
    j += LANES;
    while (true) {
      nextKeys = nextKeys.rearrange(REVERSED);
      nextValues = nextValues.rearrange(REVERSED);
      VectorMask<Long> isLower = upperKeys.lt(nextKeys);
      LongVector keys = nextKeys.blend(upperKeys, isLower);
      LongVector values = nextValues.blend(upperValues, isLower);
      upperKeys = upperKeys.blend(nextKeys, isLower);
      upperValues = upperValues.blend(nextValues, isLower);

      LongVector others = keys.rearrange(APART_4);
      LongVector upperOthers = upperKeys.rearrange(APART_4);
      VectorMask<Long> taken = others.lt(keys).eq(LOWER_OF_4);
      VectorMask<Long> upperTaken = upperOthers.lt(upperKeys).eq(LOWER_OF_4);
      keys = keys.blend(others, taken);
      values = values.blend(values.rearrange(APART_4), taken);
      upperKeys = upperKeys.blend(upperOthers, upperTaken);
      upperValues = upperValues.blend(upperValues.rearrange(APART_4), upperTaken);

      others = keys.rearrange(APART_2);
      upperOthers = upperKeys.rearrange(APART_2);
      taken = others.lt(keys).eq(LOWER_OF_2);
      upperTaken = upperOthers.lt(upperKeys).eq(LOWER_OF_2);
      keys = keys.blend(others, taken);
      values = values.blend(values.rearrange(APART_2), taken);
      upperKeys = upperKeys.blend(upperOthers, upperTaken);
      upperValues = upperValues.blend(upperValues.rearrange(APART_2), upperTaken);

      others = keys.rearrange(APART_1);
      upperOthers = upperKeys.rearrange(APART_1);
      taken = others.lt(keys).eq(LOWER_OF_1);
      upperTaken = upperOthers.lt(upperKeys).eq(LOWER_OF_1);
      keys.blend(others, taken).intoArray(toKeys, to);
      values.blend(values.rearrange(APART_1), taken).intoArray(toValues, to);
      upperKeys = upperKeys.blend(upperOthers, upperTaken);
      upperValues = upperValues.blend(upperValues.rearrange(APART_1), upperTaken);
      to += LANES;

      if (toKeys.length - to < LANES || i == newerEnd || j == olderEnd) {
        return to;
      }
      // All that is left is above the lower half if the vector with the lowest key is next.
      if (newerKeys[i] <= olderKeys[j]) {
        if (newerEnd - i < LANES) {
          return to;
        }
        nextKeys = LongVector.fromArray(SPECIES, newerKeys, i);
        nextValues = LongVector.fromArray(SPECIES, newerValues, i);
        i += LANES;
      } else {
        if (olderEnd - j < LANES) {
          return to;
        }
        nextKeys = LongVector.fromArray(SPECIES, olderKeys, j);
        nextValues = LongVector.fromArray(SPECIES, olderValues, j);
        j += LANES;
      }
    }
  }

  /** Tells whether two sorted keys that follow one another are the same. */
  static boolean hasTwins(long[] keys, int from, int to) {
    VectorMask<Long> twins = SPECIES.maskAll(false);
    int i = from;
    for (; i + LANES < to; i += LANES) {
      LongVector next = LongVector.fromArray(SPECIES, keys, i + 1);
      twins = twins.or(LongVector.fromArray(SPECIES, keys, i).eq(next));
    }
    boolean found = twins.anyTrue();
    for (; i + 1 < to; i++) {
      found |= keys[i] == keys[i + 1];
    }
    return found;
  }
}
