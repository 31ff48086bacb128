// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static dev.espalier.memory.Words.getInt;

import java.lang.foreign.MemorySegment;

/** Searching ints that are in no order, one after the other from a byte offset on. */
public final class Ints {
  private Ints() {}

  /**
   * Returns the first place of {@code sought} among the ints number {@code from} to {@code to - 1},
   * or -1 if it is not there. O(to).
   *
   * @param nodes native memory
   * @param offset byte offset of int 0; {@code to} ints from there are whole cache lines
   */
  public static int find(MemorySegment nodes, long offset, int from, int to, int sought) {
    return Keys.SIMD
        ? VectorInts.find(nodes, offset, from, to, sought)
        : findOneByOne(nodes, offset, from, to, sought);
  }

  static int findOneByOne(MemorySegment nodes, long offset, int from, int to, int sought) {
    for (int i = from; i < to; i++) {
      if (getInt(nodes, offset + ((long) i << 2)) == sought) {
        return i;
      }
    }
    return -1;
  }
}
