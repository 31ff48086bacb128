// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import static dev.espalier.memory.Words.getLong;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The newest message of each key that has one, out of the buffers on a way down. It alone decides
 * whether its key has an entry: after a {@link Message#DELETE} there is none, after any other there
 * is one. So entries are counted without their values.
 */
public final class NewestMessages {
  /** No messages. */
  public static final NewestMessages NONE = new NewestMessages(new long[0], new int[0], 0);

  private final long[] keys;
  private final int[] kinds;
  private final int count;

  private NewestMessages(long[] keys, int[] kinds, int count) {
    this.keys = keys;
    this.kinds = kinds;
    this.count = count;
  }

  /** Tells whether there are none. */
  public boolean isEmpty() {
    return count == 0;
  }

  /** Returns how many keys have an entry after these messages, whatever was there before. */
  public int entries() {
    int entries = 0;
    for (int i = 0; i < count; i++) {
      entries += kinds[i] != Message.DELETE ? 1 : 0;
    }
    return entries;
  }

  /** Returns those for the keys from one to another, both included. */
  public NewestMessages within(long first, long last) {
    int from = lowerBound(first);
    int to = last == Long.MAX_VALUE ? count : Math.max(from, lowerBound(last + 1));
    if (to - from == count) {
      return this;
    }
    return new NewestMessages(
        Arrays.copyOfRange(keys, from, to), Arrays.copyOfRange(kinds, from, to), to - from);
  }

  private int lowerBound(long key) {
    int found = Arrays.binarySearch(keys, 0, count, key);
    return found < 0 ? -1 - found : found;
  }

  /**
   * Returns these, and those of a buffer for keys that have none here. O(messages).
   *
   * @param at where the buffer's {@link MessageColumns} begin
   * @param from the first of its messages to take
   * @param to the one behind the last
   */
  public NewestMessages over(MemorySegment memory, long at, int capacity, int from, int to) {
    if (from >= to) {
      return this;
    }
    long[] olderKeys = new long[to - from];
    for (int i = from; i < to; i++) {
      olderKeys[i - from] = MessageColumns.key(memory, at, i);
    }
    int[] olderKinds = new int[to - from];
    for (int i = from; i < to; i++) {
      olderKinds[i - from] = MessageColumns.kind(memory, at, capacity, i);
    }
    return count == 0
        ? new NewestMessages(olderKeys, olderKinds, to - from)
        : over(olderKeys, olderKinds);
  }

  private NewestMessages over(long[] olderKeys, int[] olderKinds) {
    long[] allKeys = new long[count + olderKeys.length];
    int[] allKinds = new int[allKeys.length];
    int all = 0;
    int next = 0;
    for (int i = 0; i < olderKeys.length; i++) {
      for (; next < count && keys[next] < olderKeys[i]; next++) {
        allKeys[all] = keys[next];
        allKinds[all++] = kinds[next];
      }
      if (next == count || keys[next] != olderKeys[i]) {
        allKeys[all] = olderKeys[i];
        allKinds[all++] = olderKinds[i];
      }
    }
    System.arraycopy(keys, next, allKeys, all, count - next);
    System.arraycopy(kinds, next, allKinds, all, count - next);
    return new NewestMessages(allKeys, allKinds, all + count - next);
  }

  /**
   * Returns how many entries there are after these messages. O(entries + messages).
   *
   * @param keysAt where the keys of the entries before them are, in order
   * @param entries how many those are
   */
  public int entriesOver(MemorySegment memory, long keysAt, int entries) {
    int there = entries;
    int next = 0;
    for (int i = 0; i < count; i++) {
      while (next < entries && keyAt(memory, keysAt, next) < keys[i]) {
        next++;
      }
      boolean wasThere = next < entries && keyAt(memory, keysAt, next) == keys[i];
      boolean isThere = kinds[i] != Message.DELETE;
      there += (isThere ? 1 : 0) - (wasThere ? 1 : 0);
    }
    return there;
  }

  private static long keyAt(MemorySegment memory, long keysAt, int slot) {
    return getLong(memory, keysAt + ((long) slot << 3));
  }
}
