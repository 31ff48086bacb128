// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import java.util.Objects;

/**
 * Some rows of a join's output, in the order of the outer side. One object for all batches of a
 * join: the next call of {@link IndexNestedLoopJoin#next} overwrites it.
 */
public final class JoinBatch {
  final long[] keys;
  final long[] payloads;
  final long[] values;
  final boolean[] matched;
  private final JoinType type;
  private int count;

  JoinBatch(JoinType type, int capacity) {
    this.type = type;
    this.keys = new long[capacity];
    this.payloads = new long[capacity];
    this.values = new long[capacity];
    this.matched = new boolean[capacity];
  }

  /** Returns the number of rows. */
  public int count() {
    return count;
  }

  /**
   * Returns the key of a row.
   *
   * @throws IndexOutOfBoundsException if there is no such row; so do all methods
   */
  public long key(int row) {
    return keys[checkRow(row)];
  }

  /** Returns the payload of a row's outer side. */
  public long outerPayload(int row) {
    return payloads[checkRow(row)];
  }

  /**
   * Tells whether a row has a partner; of interest in a left join, where some have and some not.
   */
  public boolean isMatched(int row) {
    return matched[checkRow(row)];
  }

  /**
   * Returns the value of a row's inner side; if the row {@linkplain #isMatched has no partner}, the
   * index's {@code missingValue()}.
   *
   * @throws IllegalStateException if the join's type has no inner values
   */
  public long innerValue(int row) {
    if (!type.hasInnerValues()) {
      throw new IllegalStateException("a join of type " + type + " has no inner values");
    }
    return values[checkRow(row)];
  }

  private int checkRow(int row) {
    return Objects.checkIndex(row, count);
  }

  /** Keeps the first rows that the join's type asks for, of those that were probed. */
  void keep(int probed) {
    int kept = 0;
    for (int row = 0; row < probed; row++) {
      if (type.keeps(matched[row])) {
        keys[kept] = keys[row];
        payloads[kept] = payloads[row];
        values[kept] = values[row];
        matched[kept] = matched[row];
        kept++;
      }
    }
    count = kept;
  }

  void clear() {
    count = 0;
  }
}
