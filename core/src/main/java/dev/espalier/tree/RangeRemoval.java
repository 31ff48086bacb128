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
 * Removes ranges of entries from trees of sorted levels. A few entries take a message each, which
 * changes the newest level alone; more of them leave each level where they are.
 */
public final class RangeRemoval {
  /**
   * With so many entries, a range is cut out of all levels: messages for them would take up many
   * times the pages that the ends of the range touch.
   */
  public static final int MANY = 64;

  /** A call makes levels anew only if they have at most so many times the entries it removed. */
  private static final int MOST_COPIED = 16;

  private RangeRemoval() {}

  /** Cuts all entries from one key to another, both included, out of a tree. */
  @FunctionalInterface
  public interface Cut {
    /** Returns how many entries there were. */
    long remove(long first, long last);
  }

  /**
   * Removes the entries of a range, or clears the tree if there are no others. A range from which
   * many have gone is one of the dead from then on.
   *
   * @param remove removes the entry of a key, which is there
   * @param cut removes {@link #MANY} entries or more
   * @return how many there were
   */
  public static long remove(
      IndexStructure tree, ClosedRange range, DeadRanges dead, LongConsumer remove, Cut cut) {
    if (range.isEmpty()) {
      return 0;
    }
    LongCursor cursor = tree.cursor();
    if (!cursor.lower(range.first()) && !cursor.higher(range.last())) {
      long all = tree.size();
      tree.clear();
      return all;
    }
    cursor.scanTo(range.last());
    long[] keys = new long[MANY];
    long removed = read(cursor, range.first(), range.last(), keys);
    if (removed == MANY) {
      removed = cut.remove(range.first(), range.last());
    } else {
      for (int i = 0; i < removed; i++) {
        remove.accept(keys[i]);
      }
    }
    if (removed >= DeadWalk.WORTH) {
      dead.add(range.first(), range.last());
    }
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

  /** Counts the entries from one key to another, both included. */
  public static long count(LongCursor cursor, long first, long last) {
    cursor.scanTo(last);
    if (!cursor.ceiling(first) || cursor.key() > last) {
      return 0;
    }
    long count = 1;
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      if (run.key(run.count() - 1) > last) {
        return count + countUpTo(run, last);
      }
      count += run.count();
    }
    return count;
  }

  private static int countUpTo(LongRun run, long last) {
    int low = 0;
    int high = run.count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (run.key(middle) <= last) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Tells whether levels are to be made anew after a removal: more than {@code multiple} times of
   * what has to be copied is nothing any more, and the call has removed enough to pay for the copy.
   *
   * @param removed what the call has removed
   * @param nothing elements that a copy drops
   * @param copied elements that it has to copy
   */
  public static boolean isWorthCopying(long removed, long nothing, long copied, int multiple) {
    return removed >= MANY && removed * MOST_COPIED >= copied && nothing > multiple * copied;
  }
}
