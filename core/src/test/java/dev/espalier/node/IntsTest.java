// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
