// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;

/**
 * Searches nodes for a group of keys, line after line: a line of keys in the middle of each node
 * tells whether to go on to the left or to the right of it, and the lines that all nodes need next
 * are prefetched together. This takes more steps than fetching whole nodes, but only about half of
 * the lines; it pays off where lines come from memory.
 *
 * <p>The position of a search is one long: the offset of a line and, in the bits that are 0 in that
 * offset, how many lines of keys the node has before that line.
 */
public final class KeyLines {
  /** From so many entries on most lines come from memory: these have twice the bytes of a cache. */
  private static final long LEAST_ENTRIES = 4 << 20;

  private static final long INDEX = CacheLine.BYTES - 1;

  /** From a line of a node to the next one. */
  private static final long STEP = CacheLine.BYTES + 1;

  private KeyLines() {}

  /** Returns whether an index of so many entries is searched faster line by line. */
  public static boolean pays(long entries) {
    return entries >= LEAST_ENTRIES;
  }

  /**
   * Finds, for each key, the line of its node where the search ends. {@link Keys#lowerBoundInLine}
   * of that line, plus eight for each line before it, is {@link Keys#lowerBound} of the node.
   *
   * @param nodes native memory
   * @param base the address of {@code nodes}
   * @param places the offsets of the nodes, multiples of the line size; afterwards, the positions
   *     where the searches end
   * @param lines lines of keys of each node, from 1 to 64, padded as for {@link Keys#lowerBound}
   */
  public static void find(
      MemorySegment nodes,
      long base,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      int lines) {
    int last = lines - 1;
    int first = last / 2;
    for (int i = 0; i < count; i++) {
      places[placesFrom + i] += first * STEP;
    }
    Words.prefetchGroup(base, places, placesFrom, count, 1);
    for (int steps = last - first; steps > 0; steps--) {
      for (int i = 0; i < count; i++) {
        long place = places[placesFrom + i];
        int smaller = Keys.lowerBoundInLine(nodes, line(place), keys[keysFrom + i]);
        int index = index(place);
        int next = index + (smaller >> 3) + ((smaller - 1) >> 31); // +1 if all are, -1 if none is
        places[placesFrom + i] = place + (Math.max(Math.min(next, last), 0) - index) * STEP;
      }
      Words.prefetchGroup(base, places, placesFrom, count, 1);
    }
  }

  /**
   * Finds, for each key, the slot of the first key that is not smaller, or the last slot if all are
   * smaller: first {@link #find}, then the slot in the line.
   *
   * @param places the offsets of the nodes; afterwards, the offsets of the slots
   */
  public static void findSlots(
      MemorySegment nodes,
      long base,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      int lines) {
    find(nodes, base, keys, keysFrom, places, placesFrom, count, lines);
    for (int i = 0; i < count; i++) {
      long place = places[placesFrom + i];
      long line = line(place);
      int inLine = Keys.lowerBoundInLine(nodes, line, keys[keysFrom + i]);
      int left = (lines - index(place)) * CacheLine.LONGS;
      places[placesFrom + i] = line + ((long) Math.min(inLine, left - 1) << 3);
    }
  }

  /**
   * As {@link #find}, in nodes whose first word is not a key; {@link #slotBehindWord} tells the
   * slot. The nodes may change meanwhile: the answer may be wrong then, but is a line of the node.
   */
  public static void findBehindWord(
      MemorySegment nodes,
      long base,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      int lines) {
    int last = lines - 1;
    int first = last / 2;
    for (int i = 0; i < count; i++) {
      places[placesFrom + i] += first * STEP;
    }
    Words.prefetchGroup(base, places, placesFrom, count, 1);
    for (int steps = last - first; steps > 0; steps--) {
      for (int i = 0; i < count; i++) {
        long place = places[placesFrom + i];
        int smaller = smallerInLine(nodes, place, keys[keysFrom + i]);
        int index = index(place);
        int next = index + (smaller >> 3) + ((smaller - 1) >> 31); // as in find
        places[placesFrom + i] = place + (Math.max(Math.min(next, last), 0) - index) * STEP;
      }
      Words.prefetchGroup(base, places, placesFrom, count, 1);
    }
  }

  /** As {@link #findSlots}, in nodes whose first word is not a key. */
  public static void findSlotsBehindWord(
      MemorySegment nodes,
      long base,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      int lines) {
    findBehindWord(nodes, base, keys, keysFrom, places, placesFrom, count, lines);
    for (int i = 0; i < count; i++) {
      long place = places[placesFrom + i];
      int inLine = smallerInLine(nodes, place, keys[keysFrom + i]);
      int left = (lines - index(place)) * CacheLine.LONGS;
      places[placesFrom + i] = line(place) + ((long) Math.min(inLine, left - 1) << 3);
    }
  }

  /** Returns how many keys are smaller, where {@link #findBehindWord} has ended. */
  public static int slotBehindWord(MemorySegment nodes, long place, long key) {
    return index(place) * CacheLine.LONGS + smallerInLine(nodes, place, key) - 1;
  }

  /** Returns how many words of a line are smaller; the first one of a node counts as such. */
  private static int smallerInLine(MemorySegment nodes, long place, long key) {
    return Keys.lowerBoundInLine(nodes, line(place), index(place) == 0 ? 1 : 0, key);
  }

  /** Returns the offset of the line. */
  public static long line(long place) {
    return place & ~INDEX;
  }

  /** Returns how many lines of keys the node has before the line. */
  public static int index(long place) {
    return (int) (place & INDEX);
  }

  /** Returns the offset of the node. */
  public static long node(long place) {
    return line(place) - ((place & INDEX) << CacheLine.SHIFT);
  }
}
