// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/**
 * Which rows are in the output of a join. In an index of unique keys, an outer row has at most one
 * partner with its key. In a {@link BandJoin} and over an index of several ids for each key it may
 * have many: then only {@code INNER} and {@code LEFT} joins give it out more than once.
 */
public enum JoinType {
  /** Outer rows with a partner, once for each, and its value. */
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
