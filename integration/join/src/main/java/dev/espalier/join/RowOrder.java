// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.bytes.KeyOrder;
import dev.espalier.bytes.PackedBytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Comparator;

/** Sorts the rows of a batch by their keys, so that lookups go through an index in its order. */
final class RowOrder {
  private RowOrder() {}

  /** A row, the head of its key, and the key. */
  private record Row(int row, long head, MemorySegment key) {
    static final Comparator<Row> BY_KEY = Row::compareKeys;

    private static int compareKeys(Row left, Row right) {
      int heads = Long.compare(left.head, right.head);
      return heads != 0 ? heads : KeyOrder.compare(left.key, right.key);
    }
  }

  /** Returns the numbers of all rows, in the order of their keys, unsigned. */
  static int[] of(PackedBytes keys) {
    Row[] rows = new Row[keys.count()];
    for (int row = 0; row < rows.length; row++) {
      MemorySegment key = keys.get(row);
      rows[row] = new Row(row, KeyOrder.head(key, 0, (int) key.byteSize()), key);
    }
    Arrays.sort(rows, Row.BY_KEY);
    int[] order = new int[rows.length];
    for (int i = 0; i < order.length; i++) {
      order[i] = rows[i].row;
    }
    return order;
  }

  /** Returns copies of the keys, in an order. */
  static PackedBytes inOrder(PackedBytes keys, int[] order) {
    MemorySegment offsets = MemorySegment.ofArray(new int[order.length + 1]);
    int[] lengths = new int[order.length];
    int bytes = 0;
    for (int i = 0; i < order.length; i++) {
      lengths[i] = (int) keys.get(order[i]).byteSize();
      bytes = Math.addExact(bytes, lengths[i]);
      offsets.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i + 1L, bytes);
    }
    MemorySegment sorted = MemorySegment.ofArray(new byte[bytes]);
    long to = 0;
    for (int i = 0; i < order.length; i++) {
      MemorySegment.copy(keys.get(order[i]), 0, sorted, to, lengths[i]);
      to += lengths[i];
    }
    return new PackedBytes(sorted, offsets, order.length);
  }
}
