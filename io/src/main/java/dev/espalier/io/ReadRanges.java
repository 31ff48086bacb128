// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The keys of an index that a transaction has read: disjoint ranges, both ends included. Too many
 * of them grow coarser: two neighbours become one with what is between them, and none is lost.
 */
final class ReadRanges {
  /** The most ranges. */
  static final int MOST = 4096;

  /** Ranges that do not touch, by their first keys. */
  private final TreeMap<Long, Long> ends = new TreeMap<>();

  /** The range that was added last, which a scan makes longer; none if it is empty. */
  private long from = 1;

  private long to;

  /** Adds a range that is not empty. */
  void add(long from, long to) {
    if (touches(this.from, this.to, from, to)) {
      this.from = Math.min(from, this.from);
      this.to = Math.max(to, this.to);
      return;
    }
    settle();
    this.from = from;
    this.to = to;
  }

  /** Tells whether two ranges overlap or follow one another; an empty one touches none. */
  private static boolean touches(long from, long to, long otherFrom, long otherTo) {
    return from <= to
        && (from <= otherTo || from - 1 == otherTo)
        && (otherFrom <= to || otherFrom - 1 == to);
  }

  /** Puts the last range to the others. */
  private void settle() {
    if (from > to) {
      return;
    }
    long low = from;
    long high = to;
    Map.Entry<Long, Long> other = ends.floorEntry(low);
    if (other != null && touches(other.getKey(), other.getValue(), low, high)) {
      low = other.getKey();
      high = Math.max(high, other.getValue());
    }
    other = ends.higherEntry(low);
    while (other != null && touches(other.getKey(), other.getValue(), low, high)) {
      high = Math.max(high, other.getValue());
      ends.remove(other.getKey());
      other = ends.higherEntry(low);
    }
    ends.put(low, high);
    if (ends.size() > MOST) {
      join(low, high);
    }
    from = 1;
    to = 0;
  }

  /** Makes one range of a range and the neighbour that is closer. */
  private void join(long low, long high) {
    Map.Entry<Long, Long> before = ends.lowerEntry(low);
    Map.Entry<Long, Long> after = ends.higherEntry(low);
    boolean isAfter =
        before == null
            || (after != null
                && Long.compareUnsigned(after.getKey() - high, low - before.getValue()) < 0);
    if (isAfter && after != null) {
      ends.remove(after.getKey());
      ends.put(low, after.getValue());
    } else if (before != null) {
      ends.remove(low);
      ends.put(before.getKey(), high);
    }
  }

  /** Calls for each range, with its first and its last key. */
  void forEach(BiConsumer<Long, Long> action) {
    settle();
    ends.forEach(action);
  }

  /** Returns how many ranges there are. */
  int count() {
    settle();
    return ends.size();
  }
}
