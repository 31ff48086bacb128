// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/** How a key is compared, the key on the left. */
enum Comparison {
  EQUAL("="),
  LESS("<"),
  AT_MOST("<="),
  GREATER(">"),
  AT_LEAST(">=");

  private final String sign;

  Comparison(String sign) {
    this.sign = sign;
  }

  static @Nullable Comparison of(SqlKind kind) {
    return switch (kind) {
      case EQUALS -> EQUAL;
      case LESS_THAN -> LESS;
      case LESS_THAN_OR_EQUAL -> AT_MOST;
      case GREATER_THAN -> GREATER;
      case GREATER_THAN_OR_EQUAL -> AT_LEAST;
      default -> null;
    };
  }

  /** Returns the keys for which it holds. */
  LongRange with(long number) {
    return switch (this) {
      case EQUAL -> new LongRange(number, number);
      case LESS ->
          number == Long.MIN_VALUE ? LongRange.NONE : new LongRange(Long.MIN_VALUE, number - 1);
      case AT_MOST -> new LongRange(Long.MIN_VALUE, number);
      case GREATER ->
          number == Long.MAX_VALUE ? LongRange.NONE : new LongRange(number + 1, Long.MAX_VALUE);
      case AT_LEAST -> new LongRange(number, Long.MAX_VALUE);
    };
  }

  @Override
  public String toString() {
    return sign;
  }
}
