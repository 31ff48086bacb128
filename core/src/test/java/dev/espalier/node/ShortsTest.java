// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.fail;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fallback-too")
class ShortsTest {
  private static final long OFFSET = 64;

  /** Every choice of sixteen neighbours that are smaller, below a header of every length. */
  @Test
  void smallerShortsBehindTheHeaderAreCounted() {
    short[] sought = {0, 1, -7, Short.MAX_VALUE, Short.MIN_VALUE + 1};
    SplittableRandom others = new SplittableRandom(5);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(OFFSET + 64, 64);
      for (int choice = 0; choice < 1 << 16; choice++) {
        int all = (choice | others.nextInt() << 16);
        int smaller = Integer.rotateLeft(all, choice % 32);
        short than = sought[choice % sought.length];
        for (int i = 0; i < 32; i++) {
          short notBelow = i % 2 == 0 ? than : Short.MAX_VALUE;
          short below = i % 3 == 0 ? (short) (than - 1) : Short.MIN_VALUE;
          boolean isSmaller = (smaller >> i & 1) != 0;
          memory.set(ValueLayout.JAVA_SHORT, OFFSET + 2L * i, isSmaller ? below : notBelow);
        }
        for (int header = 0; header < 32; header++) {
          int expected = Integer.bitCount(smaller >>> header);
          int found = Shorts.smallerInLine(memory, OFFSET, header, than);
          int foundByScalars = Shorts.smallerOneByOne(memory, OFFSET, header, than);
          if (found != expected || foundByScalars != expected) {
            fail(smaller + ", " + header + ": " + found + ", " + foundByScalars);
          }
        }
      }
    }
  }
}
