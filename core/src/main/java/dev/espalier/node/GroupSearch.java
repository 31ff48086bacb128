// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static dev.espalier.memory.Words.getLong;

import java.lang.foreign.MemorySegment;

/**
 * Binary searches for many keys, each in its own sorted array, eight at a time: all make their
 * first step, then all their second, and so on. The loads of one search wait for one another, as in
 * any binary search, but those of different searches do not, so their cache misses overlap.
 *
 * <p>The state of a search is one long, so that a group of searches needs no more than an array
 * that the caller provides:
 *
 * <pre>
 *  63   62    48 47                                                                         0
 *  | 0 | length | offset of the first of the keys among which the one sought may be         |
 * </pre>
 *
 * At the end of a search, the offset is that of the last key less than or equal to the one sought,
 * or of the first key if all are greater; the length is 1, or 0 if the array is empty.
 */
public final class GroupSearch {
  /** The most keys of an array. */
  public static final int MOST_KEYS = (1 << 15) - 1;

  private static final int LENGTH_SHIFT = 48;

  private static final long OFFSET_MASK = (1L << LENGTH_SHIFT) - 1;

  private GroupSearch() {}

  /**
   * Returns the state of a search before its first step.
   *
   * @param offset byte offset of the first key, below 2^48
   * @param count number of keys in the array, from 0 to {@link #MOST_KEYS}
   */
  public static long begin(long offset, int count) {
    return (long) count << LENGTH_SHIFT | offset;
  }

  /** Returns the byte offset of the key that a search is at. */
  public static long offset(long search) {
    return search & OFFSET_MASK;
  }

  /** Returns whether the key that a search is at equals {@code key}; false in an empty array. */
  public static boolean isAt(MemorySegment nodes, long search, long key) {
    return search >>> LENGTH_SHIFT != 0 && getLong(nodes, offset(search)) == key;
  }

  /**
   * Carries searches to their end. O(searches * log(keys)).
   *
   * <p>Simultaneous searches are local variables, because array elements would be stored and loaded
   * at each step. In uncached pages, eight searches at a time take two thirds of the time of four
   * at a time, and two fifths of the time of one after the other.
   *
   * @param nodes native memory
   * @param group which searches: number {@code i} if bit {@code i} is set
   * @param keys the keys sought, that of search {@code i} at index {@code keysFrom + i}
   * @param searches the states, that of search {@code i} at index {@code searchesFrom + i}
   */
  public static void finish(
      MemorySegment nodes,
      long group,
      long[] keys,
      int keysFrom,
      long[] searches,
      int searchesFrom) {
    long rest = group;
    while (rest != 0) {
      int probe0 = Long.numberOfTrailingZeros(rest);
      rest = othersThanFirst(rest);
      int probe1 = first(rest, probe0);
      rest = othersThanFirst(rest);
      int probe2 = first(rest, probe1);
      rest = othersThanFirst(rest);
      int probe3 = first(rest, probe2);
      rest = othersThanFirst(rest);
      int probe4 = first(rest, probe3);
      rest = othersThanFirst(rest);
      int probe5 = first(rest, probe4);
      rest = othersThanFirst(rest);
      int probe6 = first(rest, probe5);
      rest = othersThanFirst(rest);
      int probe7 = first(rest, probe6);
      rest = othersThanFirst(rest);
      long search0 = searches[searchesFrom + probe0];
      long search1 = searches[searchesFrom + probe1];
      long search2 = searches[searchesFrom + probe2];
      long search3 = searches[searchesFrom + probe3];
      long search4 = searches[searchesFrom + probe4];
      long search5 = searches[searchesFrom + probe5];
      long search6 = searches[searchesFrom + probe6];
      long search7 = searches[searchesFrom + probe7];
      long key0 = keys[keysFrom + probe0];
      long key1 = keys[keysFrom + probe1];
      long key2 = keys[keysFrom + probe2];
      long key3 = keys[keysFrom + probe3];
      long key4 = keys[keysFrom + probe4];
      long key5 = keys[keysFrom + probe5];
      long key6 = keys[keysFrom + probe6];
      long key7 = keys[keysFrom + probe7];
      long longest =
          Math.max(
              Math.max(Math.max(search0, search1), Math.max(search2, search3)),
              Math.max(Math.max(search4, search5), Math.max(search6, search7)));
      for (long length = longest >>> LENGTH_SHIFT; length > 1; length -= length >>> 1) {
        search0 = step(nodes, search0, key0);
        search1 = step(nodes, search1, key1);
        search2 = step(nodes, search2, key2);
        search3 = step(nodes, search3, key3);
        search4 = step(nodes, search4, key4);
        search5 = step(nodes, search5, key5);
        search6 = step(nodes, search6, key6);
        search7 = step(nodes, search7, key7);
      }
      searches[searchesFrom + probe0] = search0;
      searches[searchesFrom + probe1] = search1;
      searches[searchesFrom + probe2] = search2;
      searches[searchesFrom + probe3] = search3;
      searches[searchesFrom + probe4] = search4;
      searches[searchesFrom + probe5] = search5;
      searches[searchesFrom + probe6] = search6;
      searches[searchesFrom + probe7] = search7;
    }
  }

  /** Returns a set without its first probe. */
  private static long othersThanFirst(long group) {
    return group & (group - 1);
  }

  /** Returns the first probe of a set, or where none is left, another: its search is made twice. */
  private static int first(long group, int other) {
    return group == 0 ? other : Long.numberOfTrailingZeros(group);
  }

  /** Halves the keys of a search; one that has ended stays what it is. */
  private static long step(MemorySegment nodes, long search, long key) {
    long half = search >>> (LENGTH_SHIFT + 1);
    long skipped = half << 3;
    boolean isBehind = getLong(nodes, offset(search) + skipped) <= key;
    return search - (half << LENGTH_SHIFT) + (isBehind ? skipped : 0);
  }
}
