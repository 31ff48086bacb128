// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/**
 * Which rows a join gives. The keys of an index are unique, so an outer row has one partner at
 * most, and no type gives more rows than the outer side has.
 */
public enum JoinType {
  /** Outer rows that have a partner, with its value. */
  INNER,
  /** All outer rows; those without a partner are marked as unmatched. */
  LEFT,
  /** Outer rows that have a partner, without its value. */
  SEMI,
  /** Outer rows that have no partner. */
  ANTI;

  /** Tells whether the join's output carries the values of the inner side. */
  public boolean hasInnerValues() {
    return this == INNER || this == LEFT;
  }

  /** Tells whether a row is in the output. */
  boolean keeps(boolean matched) {
    return switch (this) {
      case INNER, SEMI -> matched;
      case LEFT -> true;
      case ANTI -> !matched;
    };
  }
}
