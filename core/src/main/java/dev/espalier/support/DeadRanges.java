// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.LongCursor;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.locks.StampedLock;

/**
 * Ranges of keys that have no entry, as readers of a tree have found out who walked over what was
 * removed there. Nobody has to walk there again: who comes to such a range goes on behind it.
 *
 * <p>They are beside the tree, in no page and in no file: whoever opens a file finds out anew. They
 * never overlap or adjoin. Readers may look and add at the same time; a writer who puts an entry
 * {@linkplain #revive takes its key out} before.
 *
 * <p>There are at most {@link #MOST}: beyond that, one makes way for another, or a part of one for
 * a key that comes back.
 */
public final class DeadRanges {
  /** The most that there are: adding one moves all that are behind it. */
  public static final int MOST = 4096;

  private static final int LEAST_ROOM = 16;

  private final StampedLock lock = new StampedLock();

  /** Their first and last keys, in order; what is behind the count is void. */
  private long[] firsts = {};

  private long[] lasts = {};
  private volatile int count;

  /** The place from which a range has made way last: each has its turn. */
  private int displaced;

  /** Creates none. */
  public DeadRanges() {}

  /** Returns the number of ranges. */
  public int count() {
    return count;
  }

  /** Returns the last key of the range that a key is in, or the key itself if it is in none. */
  public long lastFrom(long key) {
    return count == 0 ? key : end(key, true);
  }

  /** Returns the first key of the range that a key is in, or the key itself if it is in none. */
  public long firstUpTo(long key) {
    return count == 0 ? key : end(key, false);
  }

  /**
   * Returns the first key that has an entry though it is in a range.
   *
   * @param cursor over the tree, which knows nothing of the ranges
   */
  public OptionalLong alive(LongCursor cursor) {
    for (int i = 0; i < count; i++) {
      if (cursor.ceiling(firsts[i]) && cursor.key() <= lasts[i]) {
        return OptionalLong.of(cursor.key());
      }
    }
    return OptionalLong.empty();
  }

  private long end(long key, boolean last) {
    long stamp = lock.tryOptimisticRead();
    if (stamp != 0) {
      long end = findEnd(key, last);
      if (lock.validate(stamp)) {
        return end;
      }
    }
    stamp = lock.readLock();
    try {
      return findEnd(key, last);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /** Returns any key if others change the ranges meanwhile. */
  private long findEnd(long key, boolean last) {
    int range = lastBelow(key);
    long[] ends = lasts;
    if (range < 0 || range >= ends.length || ends[range] < key) {
      return key;
    }
    long[] begins = firsts;
    return last ? ends[range] : begins[Math.min(range, begins.length - 1)];
  }

  /** Returns the last range that does not begin above a key, or -1. O(log count). */
  private int lastBelow(long key) {
    long[] begins = firsts;
    int found = Arrays.binarySearch(begins, 0, Math.min(count, begins.length), key);
    return found >= 0 ? found : -found - 2;
  }

  /** Adds a range, and makes one of all that overlap it or adjoin. O(count). */
  public void add(long first, long last) {
    long stamp = lock.writeLock();
    try {
      int from = lastBelow(first);
      from += from < 0 || (first != Long.MIN_VALUE && lasts[from] < first - 1) ? 1 : 0;
      int to = lastBelow(last == Long.MAX_VALUE ? last : last + 1) + 1;
      if (to > from) {
        replace(from, to, Math.min(first, firsts[from]), Math.max(last, lasts[to - 1]));
      } else if (count < MOST) {
        replace(from, from, first, last);
      } else {
        displaced = (displaced + 1) % MOST;
        takeOut(displaced);
        int at = displaced < from ? from - 1 : from;
        replace(at, at, first, last);
      }
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private void takeOut(int range) {
    int behind = count - range - 1;
    System.arraycopy(firsts, range + 1, firsts, range, behind);
    System.arraycopy(lasts, range + 1, lasts, range, behind);
    count = range + behind;
  }

  /** Makes one range of those from {@code from} up to {@code to}, or inserts it. */
  private void replace(int from, int to, long first, long last) {
    int before = count;
    int after = before + 1 - (to - from);
    if (after > firsts.length) {
      int room = Math.max(LEAST_ROOM, 2 * firsts.length);
      firsts = Arrays.copyOf(firsts, room);
      lasts = Arrays.copyOf(lasts, room);
    }
    System.arraycopy(firsts, to, firsts, from + 1, before - to);
    System.arraycopy(lasts, to, lasts, from + 1, before - to);
    firsts[from] = first;
    lasts[from] = last;
    count = after;
  }

  /**
   * Takes a key that is about to get an entry out of the range that it is in. O(log count) if it is
   * in none.
   */
  public void revive(long key) {
    if (count > 0) {
      takeOutKey(key);
    }
  }

  private void takeOutKey(long key) {
    long stamp = lock.writeLock();
    try {
      int range = lastBelow(key);
      if (range < 0 || lasts[range] < key) {
        return;
      }
      long first = firsts[range];
      long last = lasts[range];
      if (first == last) {
        takeOut(range);
      } else if (key == last) {
        lasts[range] = key - 1;
      } else if (key == first) {
        firsts[range] = key + 1;
      } else if (count < MOST) {
        lasts[range] = key - 1;
        replace(range + 1, range + 1, key + 1, last);
      } else if (Long.compareUnsigned(key - first, last - key) > 0) {
        lasts[range] = key - 1;
      } else {
        firsts[range] = key + 1;
      }
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /** Forgets all. */
  public void clear() {
    if (count > 0) {
      long stamp = lock.writeLock();
      try {
        count = 0;
        firsts = new long[0];
        lasts = new long[0];
      } finally {
        lock.unlockWrite(stamp);
      }
    }
  }
}
