// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * The keys between two ends, in ascending order; none if the ends cross.
 *
 * <p>Ends are kept as they were given, not turned into inclusive ones: {@code key + 1} overflows at
 * {@link Long#MAX_VALUE}, and an exclusive end may itself be an exclusive end of a narrower range,
 * as in {@link java.util.TreeMap}.
 */
record KeyRange(long from, boolean fromInclusive, long to, boolean toInclusive) {

  static final KeyRange ALL = new KeyRange(Long.MIN_VALUE, true, Long.MAX_VALUE, true);

  boolean isAll() {
    return equals(ALL);
  }

  boolean contains(long key) {
    return !isBelow(key) && !isAbove(key);
  }

  /** Tells whether {@code key} comes before all keys of this range. */
  boolean isBelow(long key) {
    return fromInclusive ? key < from : key <= from;
  }

  /** Tells whether {@code key} comes after all keys of this range. */
  boolean isAbove(long key) {
    return toInclusive ? key > to : key >= to;
  }

  /** Tells whether a narrower range may end at {@code key}. */
  boolean admitsEnd(long key, boolean inclusive) {
    return inclusive ? contains(key) : key >= from && key <= to;
  }

  boolean isCrossed() {
    return from > to;
  }

  KeyRange withFrom(long from, boolean inclusive) {
    return new KeyRange(from, inclusive, to, toInclusive);
  }

  KeyRange withTo(long to, boolean inclusive) {
    return new KeyRange(from, fromInclusive, to, inclusive);
  }

  /** Returns the keys that are in both ranges; the ends cross if the two ranges lie apart. */
  KeyRange intersect(KeyRange other) {
    KeyRange lower = from > other.from || (from == other.from && !fromInclusive) ? this : other;
    KeyRange upper = to < other.to || (to == other.to && !toInclusive) ? this : other;
    return new KeyRange(lower.from, lower.fromInclusive, upper.to, upper.toInclusive);
  }

  @Override
  public String toString() {
    return (fromInclusive ? "[" : "(") + from + ", " + to + (toInclusive ? "]" : ")");
  }
}
