// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongRun;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;

/**
 * A batch of rows of the output of a join whose keys are longs. A join has one batch, which the
 * next call of {@link BatchJoin#next} overwrites.
 */
public final class JoinBatch {
  final long[] keys;
  final long[] payloads;
  final long[] values;
  final boolean[] matched;

  /** The keys of the partners; the same array as {@link #keys} if partners have equal keys. */
  final long[] innerKeys;

  private final JoinType type;
  private int count;

  private JoinBatch(JoinType type, int capacity, boolean hasEqualKeys) {
    this.type = type;
    this.keys = new long[capacity];
    this.innerKeys = hasEqualKeys ? keys : new long[capacity];
    this.payloads = new long[capacity];
    this.values = new long[capacity];
    this.matched = new boolean[capacity];
  }

  /** Creates a batch for a join in which the keys of partners are equal. */
  static JoinBatch ofEqualKeys(JoinType type, int capacity) {
    return new JoinBatch(type, capacity, true);
  }

  /** Creates a batch for a join in which the keys of partners may differ. */
  static JoinBatch ofAnyKeys(JoinType type, int capacity) {
    return new JoinBatch(type, capacity, false);
  }

  /** Returns the number of rows. */
  public int count() {
    return count;
  }

  /**
   * Returns the key that the outer side gave to a row; in a {@link BandJoin}, the lower end of its
   * interval.
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
   * Returns the key of the entry that is the partner of a row: the row's own key, except in an
   * {@link AsOfJoin} and a {@link BandJoin}.
   *
   * @throws IllegalStateException if the row {@linkplain #isMatched has no partner}, or the type of
   *     the join has no inner values, as is the case for {@link JoinType#SEMI} and {@link
   *     JoinType#ANTI}
   */
  public long innerKey(int row) {
    checkHasInner();
    if (!matched[checkRow(row)]) {
      throw new IllegalStateException("row " + row + " has no partner");
    }
    return innerKeys[row];
  }

  /**
   * Returns the value found in the index, or its {@code missingValue()} if the row {@linkplain
   * #isMatched has no partner}.
   *
   * @throws IllegalStateException if the type of the join has no inner values, as is the case for
   *     {@link JoinType#SEMI} and {@link JoinType#ANTI}
   */
  public long innerValue(int row) {
    checkHasInner();
    return values[checkRow(row)];
  }

  private void checkHasInner() {
    if (!type.hasInnerValues()) {
      throw new IllegalStateException("a join of type " + type + " has no inner values");
    }
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
        innerKeys[kept] = innerKeys[row];
        values[kept] = values[row];
        matched[kept] = matched[row];
        kept++;
      }
    }
    count = kept;
  }

  boolean isFull() {
    return count == keys.length;
  }

  /** Adds a row of the output that has a partner. */
  void add(long key, long payload, long innerKey, long value) {
    keys[count] = key;
    payloads[count] = payload;
    innerKeys[count] = innerKey;
    values[count] = value;
    matched[count] = true;
    count++;
  }

  /** Returns how many more rows can be added. */
  int room() {
    return keys.length - count;
  }

  /** Adds rows of the output whose partners are the first entries of a run. */
  void addAll(long key, long payload, LongRun run, int rows) {
    int end = count + rows;
    Arrays.fill(keys, count, end, key);
    Arrays.fill(payloads, count, end, payload);
    Arrays.fill(matched, count, end, true);
    MemorySegment segment = run.segment();
    long keyAt = run.keysOffset();
    long valueAt = run.valuesOffset();
    for (int row = count; row < end; row++, keyAt += run.stride(), valueAt += run.stride()) {
      innerKeys[row] = segment.get(ValueLayout.JAVA_LONG, keyAt);
      values[row] = segment.get(ValueLayout.JAVA_LONG, valueAt);
    }
    count = end;
  }

  /** Adds a row of the output that has no partner. */
  void addUnmatched(long key, long payload, long missingValue) {
    add(key, payload, key, missingValue);
    matched[count - 1] = false;
  }

  void clear() {
    count = 0;
  }
}
