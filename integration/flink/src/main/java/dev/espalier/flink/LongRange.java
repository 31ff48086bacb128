// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.Serializable;
import java.util.Optional;
import org.apache.flink.table.expressions.ValueLiteralExpression;

/** The keys from one to another, both inclusive; none if the first is greater. */
record LongRange(long from, long to) implements Serializable {
  static final LongRange ALL = new LongRange(Long.MIN_VALUE, Long.MAX_VALUE);
  static final LongRange NONE = new LongRange(Long.MAX_VALUE, Long.MIN_VALUE);

  /** Ranges between literals that are whole numbers. */
  static final KeyBounds<LongRange> BOUNDS =
      new KeyBounds<>() {
        @Override
        public LongRange all() {
          return ALL;
        }

        @Override
        public LongRange both(LongRange one, LongRange other) {
          return one.intersect(other);
        }

        @Override
        public Optional<LongRange> from(ValueLiteralExpression literal, boolean inclusive) {
          return whole(literal).map(key -> inclusive ? atLeast(key) : above(key));
        }

        @Override
        public Optional<LongRange> to(ValueLiteralExpression literal, boolean inclusive) {
          return whole(literal).map(key -> inclusive ? atMost(key) : below(key));
        }
      };

  /** Returns the value of a literal that is a whole number. */
  static Optional<Long> whole(ValueLiteralExpression literal) {
    return literal
        .getValueAs(Number.class)
        .filter(
            number ->
                number instanceof Long
                    || number instanceof Integer
                    || number instanceof Short
                    || number instanceof Byte)
        .map(Number::longValue);
  }

  private static LongRange atLeast(long key) {
    return new LongRange(key, Long.MAX_VALUE);
  }

  private static LongRange atMost(long key) {
    return new LongRange(Long.MIN_VALUE, key);
  }

  private static LongRange above(long key) {
    return key == Long.MAX_VALUE ? NONE : atLeast(key + 1);
  }

  private static LongRange below(long key) {
    return key == Long.MIN_VALUE ? NONE : atMost(key - 1);
  }

  LongRange intersect(LongRange other) {
    return new LongRange(Math.max(from, other.from), Math.min(to, other.to));
  }

  boolean contains(long key) {
    return key >= from && key <= to;
  }
}
