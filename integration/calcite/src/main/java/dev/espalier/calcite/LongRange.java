// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

/** The keys from one to another, both inclusive; none if the first is greater. */
record LongRange(long from, long to) {
  static final LongRange ALL = new LongRange(Long.MIN_VALUE, Long.MAX_VALUE);
  static final LongRange NONE = new LongRange(Long.MAX_VALUE, Long.MIN_VALUE);

  LongRange intersect(LongRange other) {
    return new LongRange(Math.max(from, other.from), Math.min(to, other.to));
  }

  /** Returns the smallest range that has the keys of both. */
  LongRange hull(LongRange other) {
    if (isEmpty()) {
      return other;
    }
    return other.isEmpty()
        ? this
        : new LongRange(Math.min(from, other.from), Math.max(to, other.to));
  }

  boolean isEmpty() {
    return from > to;
  }

  boolean contains(long key) {
    return key >= from && key <= to;
  }
}
