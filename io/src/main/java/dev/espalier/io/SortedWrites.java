// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import java.util.Arrays;

/**
 * Writes to one tree that are gathered and then made in the order of their keys, those that store
 * together: so the tree asks for many of its pages at once, and neighbours share one.
 */
final class SortedWrites {
  /** Most writes that are gathered, in a few MiB; the next one makes them all. */
  private static final int MOST = 1 << 17;

  private final LongIndex tree;
  private long[] keys = new long[16];
  private long[] values = new long[16];
  private boolean[] stores = new boolean[16];
  private int count;

  /** Begins without writes. */
  SortedWrites(LongIndex tree) {
    this.tree = tree;
  }

  LongIndex tree() {
    return tree;
  }

  /** Adds: store a value for a key. */
  void set(long key, long value) {
    add(key, value, true);
  }

  /** Adds: remove a key, if it is there. */
  void delete(long key) {
    add(key, 0, false);
  }

  private void add(long key, long value, boolean stored) {
    if (count == MOST) {
      apply();
    } else if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
      stores = Arrays.copyOf(stores, 2 * count);
    }
    keys[count] = key;
    values[count] = value;
    stores[count] = stored;
    count++;
  }

  /** Forgets all writes. */
  void clear() {
    count = 0;
  }

  /** Makes the writes, of those to one key the last. */
  void apply() {
    int[] order = LastWrites.of(keys, count);
    long[] putKeys = new long[order.length];
    long[] putValues = new long[order.length];
    int puts = 0;
    for (int write : order) {
      if (stores[write]) {
        putKeys[puts] = keys[write];
        putValues[puts++] = values[write];
      } else {
        tree.delete(keys[write]);
      }
    }
    tree.putAll(Arrays.copyOf(putKeys, puts), Arrays.copyOf(putValues, puts));
    count = 0;
  }
}
