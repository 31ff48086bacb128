// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sources hand out all rows of arrays and segments, from the first one each time. */
final class OuterSourceTest {
  private static final long[] KEYS = {7, -3, 7, Long.MAX_VALUE, Long.MIN_VALUE};
  private static final long[] PAYLOADS = {40, 41, -42, 43, 44};

  private static List<List<Long>> rows(OuterSource source) {
    List<List<Long>> rows = new ArrayList<>();
    long[] keys = new long[2];
    long[] payloads = new long[2];
    source.open();
    for (int count = -1; count != 0; ) {
      count = source.nextBatch(keys, payloads);
      for (int row = 0; row < count; row++) {
        rows.add(List.of(keys[row], payloads[row]));
      }
    }
    source.close();
    return rows;
  }

  private static List<List<Long>> expected(boolean numbered) {
    List<List<Long>> rows = new ArrayList<>();
    for (int row = 0; row < KEYS.length; row++) {
      rows.add(List.of(KEYS[row], numbered ? row : PAYLOADS[row]));
    }
    return rows;
  }

  @Test
  void sourcesOfArraysAndSegmentsHaveTheSameRows() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment keys = arena.allocate(8L * KEYS.length + 1, 8).asSlice(1); // Not aligned.
      MemorySegment.copy(KEYS, 0, keys, ValueLayout.JAVA_LONG_UNALIGNED, 0, KEYS.length);
      MemorySegment payloads = MemorySegment.ofArray(PAYLOADS).asReadOnly();
      List<OuterSource> sources =
          List.of(OuterSource.of(KEYS, PAYLOADS), OuterSource.of(keys, payloads));
      List<OuterSource> numbered = List.of(OuterSource.of(KEYS), OuterSource.of(keys));
      for (int time = 0; time < 2; time++) {
        sources.forEach(source -> assertEquals(expected(false), rows(source)));
        numbered.forEach(source -> assertEquals(expected(true), rows(source)));
      }
    }
  }

  @Test
  void columnsOfDifferentSizesAreRefused() {
    MemorySegment two = MemorySegment.ofArray(new long[2]);
    MemorySegment three = MemorySegment.ofArray(new long[3]);
    assertEquals(
        "keys and payloads differ in size: keys has 16 bytes, payloads has 24",
        assertThrows(IllegalArgumentException.class, () -> OuterSource.of(two, three))
            .getMessage());
    assertEquals(
        "keys has 15 bytes; it must have 8 for each key",
        assertThrows(IllegalArgumentException.class, () -> OuterSource.of(two.asSlice(1)))
            .getMessage());
  }
}
