// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("fallback-too")
class IntsTest {
  private static final long OFFSET = 64;

  @ParameterizedTest
  @ValueSource(ints = {16, 32, 48, 64})
  void everyPlaceIsFoundAndNoOther(int count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(OFFSET + 4L * count, 64);
      for (int i = 0; i < count; i++) {
        memory.set(ValueLayout.JAVA_INT, OFFSET + 4L * i, -100 - i);
      }
      for (int i = 0; i < count; i++) {
        assertEquals(1L << i, Ints.places(memory, OFFSET, count, -100 - i));
        assertEquals(1L << i, Ints.placesOneByOne(memory, OFFSET, count, -100 - i));
      }
      assertEquals(0, Ints.places(memory, OFFSET, count, 7));
      assertEquals(0, Ints.placesOneByOne(memory, OFFSET, count, 7));
    }
  }

  /** Every choice of the sixteen ints that are smaller, below a header of every length. */
  @Test
  void smallerIntsBehindTheHeaderAreCounted() {
    int[] sought = {0, 1, -7, Integer.MAX_VALUE, Integer.MIN_VALUE + 1};
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(OFFSET + 64, 64);
      for (int choice = 0; choice < 1 << 16; choice++) {
        int than = sought[choice % sought.length];
        for (int i = 0; i < 16; i++) {
          boolean isSmaller = (choice >> i & 1) != 0;
          int notSmaller = i % 2 == 0 ? than : Integer.MAX_VALUE;
          int smaller = i % 3 == 0 ? than - 1 : Integer.MIN_VALUE;
          memory.set(ValueLayout.JAVA_INT, OFFSET + 4L * i, isSmaller ? smaller : notSmaller);
        }
        for (int header = 0; header < 16; header++) {
          int expected = Integer.bitCount(choice >>> header);
          int found = Ints.smallerInLine(memory, OFFSET, header, than);
          int foundByScalars = Ints.smallerOneByOne(memory, OFFSET, header, than);
          if (found != expected || foundByScalars != expected) {
            fail(choice + ", " + header + ": " + found + ", " + foundByScalars);
          }
        }
      }
    }
  }

  @Test
  void allPlacesOfAnIntAreFound() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(OFFSET + 4 * 64, 64);
      for (int i : new int[] {0, 15, 16, 63}) {
        memory.set(ValueLayout.JAVA_INT, OFFSET + 4L * i, 5);
      }
      long expected = 1L | 1L << 15 | 1L << 16 | 1L << 63;
      assertEquals(expected, Ints.places(memory, OFFSET, 64, 5));
      assertEquals(expected, Ints.placesOneByOne(memory, OFFSET, 64, 5));
      assertEquals(~expected, Ints.places(memory, OFFSET, 64, 0));
    }
  }
}
