// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** Counts and removes the entries of a range with a cursor, which every index has. */
final class CursorRanges {
  private CursorRanges() {}

  static long count(
      LongIndex index, long from, boolean fromInclusive, long to, boolean toInclusive) {
    if (from > to) {
      throw new IllegalArgumentException("from is " + from + ", which is greater than to, " + to);
    }
    LongCursor cursor = index.cursor();
    cursor.scanTo(to);
    // The run after the last entry before the range is the first of the range.
    if (fromInclusive) {
      cursor.lower(from);
    } else {
      cursor.floor(from);
    }
    long total = 0;
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      long last = run.key(run.count() - 1);
      if (last > to || (last == to && !toInclusive)) {
        return total + smaller(run, to, toInclusive);
      }
      total += run.count();
    }
    return total;
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
}
