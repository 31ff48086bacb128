// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static dev.espalier.memory.Words.getUnsignedShort;

import dev.espalier.memory.CacheLine;
import java.lang.foreign.MemorySegment;

/** Searches shorts, stored one after the other in a cache line. */
public final class Shorts {
  private Shorts() {}

  /**
   * Counts the shorts of one cache line that are smaller than {@code sought}, except for the first
   * ones, which are a header. If the counted ones are sorted, this is a lowerBound. No branch
   * depends on the shorts.
   *
   * @param nodes native memory
   * @param line byte offset of the line, a multiple of its size
   * @param header shorts at the start of the line that do not count
   */
  public static int smallerInLine(MemorySegment nodes, long line, int header, short sought) {
    return Keys.SIMD
        ? VectorShorts.smallerInLine(nodes, line, header, sought)
        : smallerOneByOne(nodes, line, header, sought);
  }

  static int smallerOneByOne(MemorySegment nodes, long line, int header, short sought) {
    int smaller = 0;
    for (int i = header; i < CacheLine.BYTES / Short.BYTES; i++) {
      smaller += (short) getUnsignedShort(nodes, line + ((long) i << 1)) < sought ? 1 : 0;
    }
    return smaller;
  }
}
