// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.support.ClosedRange;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.DeadWalk;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Removes ranges of entries from trees that write a message for each. It writes many at a time, so
 * that the cursor looks for its place anew only once for them.
 */
public final class RangeRemoval {
  /** Keys that are read before they are removed, at most and at first. */
  private static final int MOST_KEYS = 1 << 14;

  private static final int FIRST_KEYS = 64;

  private RangeRemoval() {}

  /**
   * Removes the entries of a range, one by one in their order, or clears the tree if there are no
   * others. A range from which many have gone is one of the dead from then on.
   *
   * @param remove removes the entry of a key, which is there
   * @return how many there were
   */
  public static long remove(
      IndexStructure tree, ClosedRange range, DeadRanges dead, LongConsumer remove) {
    if (range.isEmpty()) {
      return 0;
    }
    LongCursor cursor = tree.cursor();
    if (!cursor.lower(range.first()) && !cursor.higher(range.last())) {
      long all = tree.size();
      tree.clear();
      return all;
    }
    long removed = remove(cursor, range, remove);
    if (removed >= DeadWalk.WORTH) {
      dead.add(range.first(), range.last());
    }
    return removed;
  }

  private static long remove(LongCursor cursor, ClosedRange range, LongConsumer remove) {
    cursor.scanTo(range.last());
    long[] keys = new long[FIRST_KEYS];
    long removed = 0;
    int count;
    long next = range.first();
    do {
      if (removed >= keys.length && keys.length < MOST_KEYS) {
        keys = new long[2 * keys.length];
      }
      count = read(cursor, next, range.last(), keys);
      for (int i = 0; i < count; i++) {
        remove.accept(keys[i]);
      }
      removed += count;
      next = count == 0 ? next : keys[count - 1]; // It has no entry any more.
    } while (count == keys.length);
    return removed;
  }

  /** Reads keys from one up to another; returns how many, at most as many as there is room for. */
  private static int read(LongCursor cursor, long first, long last, long[] to) {
    if (!cursor.ceiling(first) || cursor.key() > last) {
      return 0;
    }
    int count = 0;
    to[count++] = cursor.key();
    LongRun run = new LongRun();
    while (count < to.length && cursor.nextRun(run)) {
      int taken = Math.min(run.count(), to.length - count);
      for (int i = 0; i < taken; i++) {
        to[count + i] = run.key(i);
      }
      if (to[count + taken - 1] > last) {
        int above = Arrays.binarySearch(to, count, count + taken, last);
        return above < 0 ? -1 - above : above + 1;
      }
      count += taken;
    }
    return count;
  }
}
