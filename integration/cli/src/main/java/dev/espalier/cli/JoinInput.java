// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

/**
 * A join to be measured. What the inner side has for its keys is its row numbers, counted from 0.
 *
 * @param <T> itself
 */
interface JoinInput<T extends JoinInput<T>> {
  /** Returns the tables' names. */
  String name();

  /** Returns the number of rows of the outer side. */
  int outerCount();

  /** Returns the number of rows of the inner side. */
  int innerCount();

  /** Returns the first rows of both sides. */
  T head(int outer, int inner);

  /** Returns what the textbook's hash join gives: what every measured join must agree with. */
  JoinDigest hashJoin();
}
