// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("fallback-too")
class IntsTest {
  private static final long OFFSET = 64;

  @ParameterizedTest
  @ValueSource(ints = {16, 32, 64, 1024})
  void everyPlaceIsFoundFromEveryFirstPlaceOfALine(int count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(OFFSET + 4L * count, 64);
      for (int i = 0; i < count; i++) {
        memory.set(ValueLayout.JAVA_INT, OFFSET + 4L * i, -100 - i);
      }
      for (int from = 0; from < 16; from++) {
        for (int i = 0; i < count; i++) {
          int expected = i < from ? -1 : i;
          assertEquals(expected, Ints.find(memory, OFFSET, from, count, -100 - i));
          assertEquals(expected, Ints.findOneByOne(memory, OFFSET, from, count, -100 - i));
        }
        assertEquals(-1, Ints.find(memory, OFFSET, from, count, 7));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 15})
  void firstOfSeveralIsFound(int from) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(OFFSET + 4 * 64, 64);
      memory.set(ValueLayout.JAVA_INT, OFFSET, 5);
      memory.set(ValueLayout.JAVA_INT, OFFSET + 4 * 40, 5);
      memory.set(ValueLayout.JAVA_INT, OFFSET + 4 * 63, 5);
      assertEquals(from == 0 ? 0 : 40, Ints.find(memory, OFFSET, from, 64, 5));
    }
  }
}
