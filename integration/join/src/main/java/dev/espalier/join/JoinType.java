// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/**
 * Which rows are in the output of a join. Keys of an index are unique, so an outer row has at most
 * one partner, and the output never has more rows than the outer side.
 */
public enum JoinType {
  /** Outer rows with a partner, and its value. */
  INNER,
  /** All outer rows; those without a partner are marked as unmatched. */
  LEFT,
  /** Outer rows with a partner, without its value. */
  SEMI,
  /** Outer rows without a partner. */
  ANTI;

  /** Returns whether the output has values of the inner side. */
  public boolean hasInnerValues() {
    return this == INNER || this == LEFT;
  }

  /** Returns whether a row is in the output. */
  boolean keeps(boolean matched) {
    return switch (this) {
      case INNER, SEMI -> matched;
      case LEFT -> true;
      case ANTI -> !matched;
    };
  }
}
