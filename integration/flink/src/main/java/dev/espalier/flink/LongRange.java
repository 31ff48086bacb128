// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.Serializable;

/** The keys from one to another, both inclusive; none if the first is greater. */
record LongRange(long from, long to) implements Serializable {
  static final LongRange ALL = new LongRange(Long.MIN_VALUE, Long.MAX_VALUE);
  static final LongRange NONE = new LongRange(Long.MAX_VALUE, Long.MIN_VALUE);

  static LongRange only(long key) {
    return new LongRange(key, key);
  }

  static LongRange atLeast(long key) {
    return new LongRange(key, Long.MAX_VALUE);
  }

  static LongRange atMost(long key) {
    return new LongRange(Long.MIN_VALUE, key);
  }

  static LongRange above(long key) {
    return key == Long.MAX_VALUE ? NONE : atLeast(key + 1);
  }

  static LongRange below(long key) {
    return key == Long.MIN_VALUE ? NONE : atMost(key - 1);
  }

  LongRange intersect(LongRange other) {
    return new LongRange(Math.max(from, other.from), Math.min(to, other.to));
  }

  boolean contains(long key) {
    return key >= from && key <= to;
  }
}
