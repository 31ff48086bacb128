// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.memory.CacheLine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every count of keys in a node, every key and those beside it, against a plain loop. */
@Tag("fallback-too")
final class KeyLinesTest {
  private static final int MOST_LINES = 64;
  private static final int GAP = 10;

  /** In front of the keys and the places of a group, to find a search that forgets where it is. */
  private static final int FROM = 3;

  private final Arena arena = Arena.ofConfined();

  /** A line in front of the nodes, and one behind them. */
  private final MemorySegment nodes =
      arena.allocate((2L * MOST_LINES + 2) * CacheLine.BYTES, CacheLine.BYTES);

  @AfterEach
  void close() {
    arena.close();
  }

  private long node(int i, int lines) {
    return (1L + (long) i * lines) * CacheLine.BYTES;
  }

  private void fill(long node, int lines, int count, long first) {
    for (int slot = 0; slot < lines * CacheLine.LONGS; slot++) {
      long key = slot < count ? first + (long) slot * GAP : Keys.PADDING;
      nodes.setAtIndex(ValueLayout.JAVA_LONG, node / Long.BYTES + slot, key);
    }
  }

  /** What is wanted of one node: every key that it may have, and those beside it. */
  private void check(int lines, int count, long first) {
    int slots = lines * CacheLine.LONGS;
    long node = node((int) (first & 1), lines);
    int wanted = 3 * slots + 1;
    long[] keys = new long[FROM + wanted];
    long[] places = new long[FROM + wanted];
    for (int i = 0; i < wanted; i++) {
      long near = first + (long) (i / 3) * GAP;
      keys[FROM + i] = i == wanted - 1 ? Long.MAX_VALUE : near + i % 3 - 1;
      places[FROM + i] = node;
    }
    long[] found = places.clone();
    KeyLines.find(nodes, nodes.address(), keys, FROM, found, FROM, wanted, lines);
    long[] slotsFound = places.clone();
    KeyLines.findSlots(nodes, nodes.address(), keys, FROM, slotsFound, FROM, wanted, lines);
    for (int i = FROM; i < FROM + wanted; i++) {
      int smaller = Keys.lowerBoundLinear(nodes, node, slots, keys[i]);
      long line = KeyLines.line(found[i]);
      int inLine = Keys.lowerBoundLinear(nodes, line, CacheLine.LONGS, keys[i]);
      assertEquals(node, KeyLines.node(found[i]));
      assertEquals(smaller, KeyLines.index(found[i]) * CacheLine.LONGS + inLine);
      assertEquals(node + 8L * Math.min(smaller, slots - 1), slotsFound[i]);
    }
    assertArrayEquals(new long[FROM], Arrays.copyOf(found, FROM));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, MOST_LINES})
  void findsWhatALoopFinds(int lines) {
    for (int count = 0; count <= lines * CacheLine.LONGS; count++) {
      fill(node(0, lines), lines, count, 1000);
      fill(node(1, lines), lines, count, 1);
      check(lines, count, 1000);
      check(lines, count, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 5, 7})
  void findsTheSmallestAndTheGreatestKeysThereAre(int lines) {
    int slots = lines * CacheLine.LONGS;
    fill(node(0, lines), lines, slots, Long.MIN_VALUE);
    nodes.setAtIndex(ValueLayout.JAVA_LONG, node(0, lines) / 8 + slots - 1, Long.MAX_VALUE);
    check(lines, slots, Long.MIN_VALUE);
  }
}
