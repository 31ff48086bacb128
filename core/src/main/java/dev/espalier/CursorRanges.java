// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.ConcurrentModificationException;

/** Counts and removes entries of a range, or at an end, by what every index has. */
final class CursorRanges {
  /** Room for a leaf of a few cache lines; the buffer grows to the longest run. */
  private static final int INITIAL_RUN = 64;

  /** More than threads that put the same entry again and again make likely. */
  private static final int MOST_REPEATED = 1000;

  private CursorRanges() {}

  static long count(
      LongIndex index, long from, boolean fromInclusive, long to, boolean toInclusive) {
    LongCursor cursor = before(index, from, fromInclusive, to);
    long total = 0;
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      int end = end(run, to, toInclusive);
      total += Math.max(0, end - skipped(run, from, fromInclusive));
      if (end < run.count()) {
        break;
      }
    }
    return total;
  }

  /** Returns a cursor whose next run begins the range, unless others write before the range. */
  private static LongCursor before(LongIndex index, long from, boolean fromInclusive, long to) {
    if (from > to) {
      throw new IllegalArgumentException("from is " + from + ", which is greater than to, " + to);
    }
    LongCursor cursor = index.cursor();
    cursor.scanTo(to);
    if (fromInclusive) {
      cursor.lower(from);
    } else {
      cursor.floor(from);
    }
    return cursor;
  }

  /** Returns how many keys of a run are before the range: others have put them just now. */
  private static int skipped(LongRun run, long from, boolean fromInclusive) {
    return run.key(0) > from ? 0 : smaller(run, from, !fromInclusive);
  }

  /** Returns the slot of a run where the range ends, or the run does. */
  private static int end(LongRun run, long to, boolean toInclusive) {
    long last = run.key(run.count() - 1);
    boolean isWithin = last < to || (last == to && toInclusive);
    return isWithin ? run.count() : smaller(run, to, toInclusive);
  }

  /** Returns how many keys of a run are below {@code to}, or equal to it if that is included. */
  private static int smaller(LongRun run, long to, boolean toInclusive) {
    int low = 0;
    int high = run.count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      long key = run.key(middle);
      if (key < to || (toInclusive && key == to)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Removes the entries of a range, for an index that nobody else writes meanwhile. */
  static long remove(
      LongIndex index, long from, boolean fromInclusive, long to, boolean toInclusive) {
    long removed = count(index, from, fromInclusive, to, toInclusive);
    if (removed == index.size()) {
      index.clear();
      return removed;
    }
    LongCursor cursor = index.cursor();
    boolean found = fromInclusive ? cursor.ceiling(from) : cursor.higher(from);
    for (long left = removed; found && left > 0; left--) {
      cursor.remove();
      found = cursor.next();
    }
    return removed;
  }

  /**
   * Removes the entries of a range, beside others who write. What is there from the beginning to
   * the end goes; what others put meanwhile may stay or go; and each key is compared with the range
   * before it goes.
   *
   * @return how many entries this call removed
   */
  static long removeBesideWriters(
      LongIndex index, long from, boolean fromInclusive, long to, boolean toInclusive) {
    LongCursor cursor = before(index, from, fromInclusive, to);
    long removed = 0;
    LongRun run = new LongRun();
    RunBuffer copy = new RunBuffer(INITIAL_RUN);
    while (cursor.nextRun(run)) {
      copy.copy(run);
      copy.handOut(run);
      int end = end(run, to, toInclusive);
      for (int i = skipped(run, from, fromInclusive); i < end; i++) {
        removed += removes(index, run.key(i), run.value(i)) ? 1 : 0;
      }
      if (end < run.count()) {
        break;
      }
    }
    return removed;
  }

  /**
   * Removes the entry of a key, whatever others make its value; false if another has removed it.
   */
  private static boolean removes(LongIndex index, long key, long value) {
    if (index.remove(key, value)) {
      return true;
    }
    long[] now = new long[1];
    while (index.find(key, now)) {
      if (index.remove(key, now[0])) {
        return true;
      }
    }
    return false;
  }

  /**
   * Removes the entry at one end, beside others who write.
   *
   * @return whether there was one
   * @throws ConcurrentModificationException if an entry is shown again and again that is not there
   */
  static boolean poll(LongNavigable entries, boolean first, LongEntry entry) {
    long key = 0;
    long value = 0;
    int repeated = 0;
    while (first ? entries.first(entry) : entries.last(entry)) {
      if (entries.remove(entry.key(), entry.value())) {
        return true;
      }
      // Another thread has changed the entry meanwhile; or pages that lie lead to it only from
      // here.
      repeated = entry.key() == key && entry.value() == value ? repeated + 1 : 0;
      if (repeated == MOST_REPEATED) {
        throw new ConcurrentModificationException("entry " + entry + " is shown, but not found");
      }
      key = entry.key();
      value = entry.value();
    }
    return false;
  }
}
