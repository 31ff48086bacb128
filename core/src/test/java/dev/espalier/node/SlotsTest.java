// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Counts go from none to beyond the point where loops give way to the bulk copy. */
class SlotsTest {
  private static final int MOST = 64;
  private static final int FIRST = 3;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment nodes = arena.allocate((FIRST + MOST + 3) * 8L, 8);

  @AfterEach
  void close() {
    arena.close();
  }

  @Test
  void openGapMovesTheSlotsFromTheGapOn() {
    for (int count = 0; count <= MOST; count++) {
      for (int slot = 0; slot <= count; slot++) {
        List<Long> expected = fill();
        Slots.openGap(nodes, FIRST * 8, slot, count);
        for (int i = slot; i < count; i++) {
          expected.set(FIRST + i + 1, (long) FIRST + i);
        }
        assertEquals(expected, contents(), "slot " + slot + " of " + count);
      }
    }
  }

  @Test
  void closeGapMovesTheSlotsAfterTheGap() {
    for (int count = 1; count <= MOST; count++) {
      for (int slot = 0; slot < count; slot++) {
        List<Long> expected = fill();
        Slots.closeGap(nodes, FIRST * 8, slot, count);
        for (int i = slot; i < count - 1; i++) {
          expected.set(FIRST + i, (long) FIRST + i + 1);
        }
        assertEquals(expected, contents(), "slot " + slot + " of " + count);
      }
    }
  }

  @Test
  void fillSetsTheSlotsBetween() {
    for (int from = 0; from <= MOST; from += 7) {
      for (int to = from; to <= MOST; to += 5) {
        List<Long> expected = fill();
        Slots.fill(nodes, FIRST * 8, from, to, -1);
        for (int slot = from; slot < to; slot++) {
          expected.set(FIRST + slot, -1L);
        }
        assertEquals(expected, contents());
      }
    }
  }

  /** Gives every slot its number, and returns the same. */
  private List<Long> fill() {
    long[] numbers = LongStream.range(0, nodes.byteSize() / 8).toArray();
    MemorySegment.copy(numbers, 0, nodes, ValueLayout.JAVA_LONG, 0, numbers.length);
    return new ArrayList<>(Arrays.stream(numbers).boxed().toList());
  }

  private List<Long> contents() {
    return Arrays.stream(nodes.toArray(ValueLayout.JAVA_LONG)).boxed().toList();
  }
}
