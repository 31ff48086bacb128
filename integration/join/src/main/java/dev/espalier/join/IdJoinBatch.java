// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.bytes.PackedBytes;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A batch of rows of the output of a {@link SecondaryIndexJoin}. A join has one batch, which the
 * next call of {@link SecondaryIndexJoin#next} overwrites, along with the segments that the batch
 * has returned.
 */
public final class IdJoinBatch {
  private final JoinType type;
  private final int[] outerRows;
  private final boolean[] matched;
  private final long[] ids;
  private final long[] payloads;
  private PackedBytes keys;
  private int count;

  IdJoinBatch(JoinType type, long[] payloads, PackedBytes keys) {
    this.type = type;
    this.payloads = payloads;
    this.keys = keys;
    this.outerRows = new int[payloads.length];
    this.matched = new boolean[payloads.length];
    this.ids = new long[payloads.length];
  }

  /** Returns the number of rows. */
  public int count() {
    return count;
  }

  /**
   * Returns the key of a row, read only.
   *
   * @throws IndexOutOfBoundsException if there is no such row; applies to all methods
   */
  public MemorySegment key(int row) {
    return keys.get(outerRows[checkRow(row)]).asReadOnly();
  }

  /** Returns the payload that the outer side gave to a row. */
  public long outerPayload(int row) {
    return payloads[outerRows[checkRow(row)]];
  }

  /** Returns whether a row has a partner. Only in a left join does this differ from row to row. */
  public boolean isMatched(int row) {
    return matched[checkRow(row)];
  }

  /**
   * Returns an id of the key.
   *
   * @throws IllegalStateException if the row {@linkplain #isMatched has no partner}, or the type of
   *     the join has no inner values, as is the case for {@link JoinType#SEMI} and {@link
   *     JoinType#ANTI}
   */
  public long id(int row) {
    if (!type.hasInnerValues()) {
      throw new IllegalStateException("a join of type " + type + " has no inner values");
    }
    if (!matched[checkRow(row)]) {
      throw new IllegalStateException("row " + row + " has no partner");
    }
    return ids[row];
  }

  private int checkRow(int row) {
    return Objects.checkIndex(row, count);
  }

  // ---------------------------------------------------------------- fill

  void begin(PackedBytes outerKeys) {
    keys = outerKeys;
    count = 0;
  }

  boolean isFull() {
    return count == ids.length;
  }

  void addMatched(int outerRow, long id) {
    outerRows[count] = outerRow;
    matched[count] = true;
    ids[count] = id;
    count++;
  }

  void addUnmatched(int outerRow) {
    outerRows[count] = outerRow;
    matched[count] = false;
    count++;
  }

  void clear() {
    count = 0;
  }
}
