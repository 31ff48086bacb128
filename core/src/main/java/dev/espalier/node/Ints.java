// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static dev.espalier.memory.Words.getInt;

import java.lang.foreign.MemorySegment;

/** Searches ints, stored one after the other from a byte offset. */
public final class Ints {
  /** The most ints that one call searches. */
  public static final int MOST = Long.SIZE;

  private Ints() {}

  /**
   * Returns which ints are equal to {@code sought}: bit {@code i} of the result is set if int
   * {@code i} is. No branch depends on the ints. O(count).
   *
   * @param nodes native memory
   * @param offset byte offset of the first int
   * @param count number of ints: whole cache lines, at most {@link #MOST} ints
   */
  public static long places(MemorySegment nodes, long offset, int count, int sought) {
    return Keys.SIMD
        ? VectorInts.places(nodes, offset, count, sought)
        : placesOneByOne(nodes, offset, count, sought);
  }

  static long placesOneByOne(MemorySegment nodes, long offset, int count, int sought) {
    long places = 0;
    for (int i = 0; i < count; i++) {
      places |= (getInt(nodes, offset + ((long) i << 2)) == sought ? 1L : 0L) << i;
    }
    return places;
  }
}
