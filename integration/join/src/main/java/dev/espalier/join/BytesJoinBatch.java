// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.bytes.PackedBytes;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/**
 * A batch of rows of the output of a {@link BytesIndexJoin}. A join has one batch, which the next
 * call of {@link BytesIndexJoin#next} overwrites, along with the segments that the batch has
 * returned.
 */
public final class BytesJoinBatch {
  private static final long FIRST_BYTES = 1 << 12;

  /** Longer arrays are not possible. */
  private static final long MOST_BYTES = Integer.MAX_VALUE - 8;

  private final JoinType type;
  final long[] payloads;
  private final boolean[] matched;
  private final long[] valueFrom;
  private final long[] valueBytes;

  /** Which rows of the outer side are in the output, in its order. */
  private final int[] kept;

  private PackedBytes keys =
      new PackedBytes(MemorySegment.NULL, MemorySegment.ofArray(new int[1]), 0);
  private MemorySegment values = MemorySegment.ofArray(new byte[(int) FIRST_BYTES]);
  private long end;
  private int count;

  BytesJoinBatch(JoinType type, int capacity) {
    this.type = type;
    this.payloads = new long[capacity];
    this.matched = new boolean[capacity];
    this.valueFrom = new long[capacity];
    this.valueBytes = new long[capacity];
    this.kept = new int[capacity];
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
    return keys.get(outerRow(row)).asReadOnly();
  }

  /** Returns the payload that the outer side gave to a row. */
  public long outerPayload(int row) {
    return payloads[outerRow(row)];
  }

  /** Returns whether a row has a partner. Only in a left join does this differ from row to row. */
  public boolean isMatched(int row) {
    return matched[outerRow(row)];
  }

  /**
   * Returns the value found in the index, read only.
   *
   * @throws IllegalStateException if the row {@linkplain #isMatched has no partner}, or the type of
   *     the join has no inner values, as is the case for {@link JoinType#SEMI} and {@link
   *     JoinType#ANTI}
   */
  public MemorySegment innerValue(int row) {
    if (!type.hasInnerValues()) {
      throw new IllegalStateException("a join of type " + type + " has no inner values");
    }
    int outer = outerRow(row);
    if (!matched[outer]) {
      throw new IllegalStateException("row " + row + " has no partner");
    }
    return values.asSlice(valueFrom[outer], valueBytes[outer]).asReadOnly();
  }

  private int outerRow(int row) {
    return kept[Objects.checkIndex(row, count)];
  }

  // ---------------------------------------------------------------- fill

  /** Begins with rows of the outer side, none of which has a partner yet. */
  void begin(PackedBytes outerKeys) {
    keys = outerKeys;
    end = 0;
    count = 0;
    Arrays.fill(matched, 0, outerKeys.count(), false);
  }

  /** Takes a piece of the value of an outer row's partner. */
  void take(int row, MemorySegment piece, long from, long bytes, long position, long total) {
    if (position == 0) {
      matched[row] = true;
      valueFrom[row] = end;
      valueBytes[row] = total;
      makeRoom(total);
      end += total;
    }
    MemorySegment.copy(piece, from, values, valueFrom[row] + position, bytes);
  }

  /** Notes that an outer row has a partner whose value is not asked for. */
  void match(int row) {
    matched[row] = true;
  }

  private void makeRoom(long bytes) {
    long needed = end + bytes;
    if (needed > values.byteSize()) {
      if (needed > MOST_BYTES) {
        throw new ArithmeticException(
            "the values of a batch have more than "
                + MOST_BYTES
                + " bytes; smaller batches have fewer");
      }
      long room = Math.max(needed, Math.min(2 * values.byteSize(), MOST_BYTES));
      MemorySegment larger = MemorySegment.ofArray(new byte[(int) room]);
      MemorySegment.copy(values, 0, larger, 0, end);
      values = larger;
    }
  }

  /** Keeps those outer rows that belong to the output, in a given order. */
  void keep(int[] order) {
    for (int row : order) {
      keep(row);
    }
  }

  /** Keeps those outer rows that belong to the output, in their own order. */
  void keep() {
    for (int row = 0; row < keys.count(); row++) {
      keep(row);
    }
  }

  private void keep(int row) {
    if (type.keeps(matched[row])) {
      kept[count++] = row;
    }
  }

  void clear() {
    count = 0;
  }
}
