// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import java.util.Objects;

/**
 * A batch of rows of the output of a join. A join has one batch, which the next call of {@link
 * IndexNestedLoopJoin#next} overwrites.
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
   * @throws IndexOutOfBoundsException if there is no such row; applies to all methods
   */
  public long key(int row) {
    return keys[checkRow(row)];
  }

  /** Returns the payload that the outer side gave to a row. */
  public long outerPayload(int row) {
    return payloads[checkRow(row)];
  }

  /** Returns whether a row has a partner. Only in a left join does this differ from row to row. */
  public boolean isMatched(int row) {
    return matched[checkRow(row)];
  }

  /**
   * Returns the value found in the index, or its {@code missingValue()} if the row {@linkplain
   * #isMatched has no partner}.
   *
   * @throws IllegalStateException if the type of the join has no inner values, as is the case for
   *     {@link JoinType#SEMI} and {@link JoinType#ANTI}
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

  /** Keeps those of the first {@code probed} rows that belong to the output. */
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
