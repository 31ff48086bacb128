// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.bytes.BytesIndex;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Writes to one tree of byte strings that are gathered and then made in the order of their keys, so
 * that neighbours share a page and each page is read once. The counterpart of {@link SortedWrites},
 * which is for longs.
 */
final class SortedStringWrites {
  /** Least memory for what is gathered, in bytes. */
  static final int LEAST_BYTES = 4 << 20;

  /** Most memory for what is gathered, in bytes. */
  private static final int MOST_BYTES = 256 << 20;

  /** Memory of a write beside its key and value, that to sort it included. */
  private static final int BYTES_OF_WRITE = 36;

  /** A write that takes more than this part of the memory is made at once. */
  private static final int LARGE_PART = 8;

  private static final int REMOVED = -1;
  private static final int FEW = 64;

  private final BytesIndex tree;

  /** Most bytes that are gathered; the next write makes them all. */
  private final int most;

  /** Keys and values, one behind the other. */
  private byte[] bytes = {};

  private int end;

  private int count;
  private int[] starts = new int[FEW];
  private int[] keyBytes = new int[FEW];

  /** Length of the value, or {@link #REMOVED}. */
  private int[] valueBytes = new int[FEW];

  /**
   * Begins without writes.
   *
   * @param most bytes of memory for what is gathered; at least 4 MiB and at most 256 MiB are taken
   */
  SortedStringWrites(BytesIndex tree, long most) {
    this.tree = tree;
    this.most = Math.clamp(most, LEAST_BYTES, MOST_BYTES);
  }

  BytesIndex tree() {
    return tree;
  }

  /** Adds a write that stores a value, which is behind its key in {@code from}. */
  void set(byte[] from, int at, int key, int value) {
    if ((long) key + value > most / LARGE_PART) {
      apply();
      MemorySegment segment = MemorySegment.ofArray(from);
      tree.set(segment.asSlice(at, key), segment.asSlice((long) at + key, value));
    } else {
      add(from, at, key, value);
    }
  }

  /** Adds a write that removes a key, if it is there. */
  void delete(byte[] from, int at, int key) {
    add(from, at, key, REMOVED);
  }

  private void add(byte[] from, int at, int key, int value) {
    int length = key + Math.max(value, 0);
    if (end + length + (long) BYTES_OF_WRITE * (count + 1) > most) {
      apply();
    }
    if (end + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(end + length, Math.min(2 * bytes.length, most)));
    }
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      keyBytes = Arrays.copyOf(keyBytes, 2 * count);
      valueBytes = Arrays.copyOf(valueBytes, 2 * count);
    }
    System.arraycopy(from, at, bytes, end, length);
    starts[count] = end;
    keyBytes[count] = key;
    valueBytes[count++] = value;
    end += length;
  }

  /** Forgets all writes. */
  void clear() {
    count = 0;
    end = 0;
  }

  /** Makes the writes, of those to the same key only the last. */
  void apply() {
    int[] order = StringOrder.of(bytes, starts, keyBytes, count); // of a key, the last comes last
    MemorySegment all = MemorySegment.ofArray(bytes);
    for (int i = 0; i < order.length; i++) {
      int write = order[i];
      if (i + 1 < order.length && isSameKey(write, order[i + 1])) {
        continue;
      }
      MemorySegment key = all.asSlice(starts[write], keyBytes[write]);
      if (valueBytes[write] == REMOVED) {
        tree.delete(key);
      } else {
        tree.set(key, all.asSlice((long) starts[write] + keyBytes[write], valueBytes[write]));
      }
    }
    clear();
  }

  private boolean isSameKey(int a, int b) {
    int from = starts[a];
    int other = starts[b];
    return Arrays.equals(bytes, from, from + keyBytes[a], bytes, other, other + keyBytes[b]);
  }
}
