// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.TestSize;
import dev.espalier.memory.CacheLine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every count of keys in a node, in a thorough run those of its part, every key and those beside
 * it, against a plain loop.
 */
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

  /** Returns the counts of keys to try in a node with room for some. */
  private static int[] counts(int lines, int room) {
    long[] counts = TestSize.seeds("lines " + lines, room + 1, room + 1);
    return Arrays.stream(counts).mapToInt(Math::toIntExact).toArray();
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
    for (int count : counts(lines, lines * CacheLine.LONGS)) {
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

  /** A word in front of the keys, which is smaller than some of them, and may change. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, MOST_LINES})
  void findsWhatALoopFindsBehindAWord(int lines) {
    long node = node(0, lines);
    for (long first : new long[] {-5 * GAP, 1, 1000, Long.MIN_VALUE}) {
      for (int count : counts(lines, lines * CacheLine.LONGS - 1)) {
        fill(node, lines, count + 1, first - GAP);
        nodes.setAtIndex(ValueLayout.JAVA_LONG, node / Long.BYTES, 24 + (count & 7));
        checkBehindWord(node, lines, first);
      }
    }
  }

  private void checkBehindWord(long node, int lines, long first) {
    int slots = lines * CacheLine.LONGS - 1;
    int wanted = 3 * slots + 1;
    long[] keys = new long[FROM + wanted];
    for (int i = 0; i < wanted; i++) {
      keys[FROM + i] = i == wanted - 1 ? Long.MAX_VALUE : first + (long) (i / 3) * GAP + i % 3 - 1;
    }
    long[] found = new long[FROM + wanted];
    Arrays.fill(found, FROM, found.length, node);
    long[] slotsFound = found.clone();
    KeyLines.findBehindWord(nodes, nodes.address(), keys, FROM, found, FROM, wanted, lines);
    KeyLines.findSlotsBehindWord(
        nodes, nodes.address(), keys, FROM, slotsFound, FROM, wanted, lines);
    for (int i = FROM; i < FROM + wanted; i++) {
      int smaller = Keys.lowerBoundLinear(nodes, node + Long.BYTES, slots, keys[i]);
      assertEquals(node, KeyLines.node(found[i]));
      assertEquals(smaller, KeyLines.slotBehindWord(nodes, found[i], keys[i]));
      assertEquals(node + 8L * (1 + Math.min(smaller, slots - 1)), slotsFound[i]);
    }
  }
}
