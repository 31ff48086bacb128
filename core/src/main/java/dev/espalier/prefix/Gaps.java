// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * Remembers pages that values share and that have room left, by the length of the largest gap of
 * each: so a gap that is just long enough is found without a look at any page. For one thread at a
 * time; each call is O(log n).
 */
final class Gaps {
  /** Pages that are remembered: more do not make values lie closer. */
  private static final int MOST = 4096;

  /** Gaps that are looked at: where so many may still be read, others may as well. */
  private static final int MOST_LOOKS = 8;

  /** The lower bits of an order, which have a number. */
  private static final int NUMBER_BITS = 40;

  /**
   * A page with a gap.
   *
   * @param left the epoch when the last piece of the page has died, or a later one
   */
  private record Gap(int page, long left) {}

  /** Shorter gaps are not remembered. */
  private final int least;

  /** By length, and those of the same length in the order in which they came to be. */
  private final NavigableMap<Long, Gap> gaps = new TreeMap<>();

  private final Map<Integer, Long> orders = new HashMap<>();
  private long noted;
  private long bytes;

  Gaps(int least) {
    this.least = least;
  }

  private static long order(int bytes, long number) {
    return (long) bytes << NUMBER_BITS | (number & ((1L << NUMBER_BITS) - 1));
  }

  /** Returns how many bytes all gaps have. */
  long bytes() {
    return bytes;
  }

  /** Tells whether no more are remembered. */
  boolean areMost() {
    return gaps.size() == MOST;
  }

  boolean has(int page) {
    return orders.containsKey(page);
  }

  /** Remembers a page, unless its gap is too short to be of use. */
  void note(int page, int bytes, long left) {
    forget(page);
    if (bytes < least) {
      return;
    }
    if (gaps.size() == MOST) {
      forget(gaps.values().iterator().next().page);
    }
    long order = order(bytes, noted++);
    gaps.put(order, new Gap(page, left));
    this.bytes += bytes;
    orders.put(page, order);
  }

  void forget(int page) {
    Long order = orders.remove(page);
    if (order != null) {
      gaps.remove(order);
      bytes -= order >>> NUMBER_BITS;
    }
  }

  void forgetAll() {
    gaps.clear();
    orders.clear();
    bytes = 0;
  }

  /**
   * Forgets the page with the shortest gap that has so many bytes, and returns it; 0 if there is
   * none.
   *
   * @param isUnreachable tells of an epoch whether nobody can read any more what has died in it
   */
  int take(int bytes, LongPredicate isUnreachable) {
    int looks = 0;
    for (Gap gap : gaps.tailMap(order(bytes, 0)).values()) {
      if (looks++ == MOST_LOOKS) {
        return 0;
      }
      if (isUnreachable.test(gap.left)) {
        forget(gap.page);
        return gap.page;
      }
    }
    return 0;
  }
}
