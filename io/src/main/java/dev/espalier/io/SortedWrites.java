// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import java.util.Arrays;

/**
 * Writes to one tree that are gathered and then made in the order of their keys, those that store
 * together: so the tree asks for many of its pages at once, and neighbours share one.
 */
final class SortedWrites {
  /** Bytes of memory for a write that is gathered, those to sort it included. */
  static final int BYTES = 33;

  /** Most writes that are gathered unless it is told, in a few MiB. */
  static final int USUAL_MOST = 1 << 17;

  /** Puts that the tree is given at once. */
  private static final int AT_ONCE = 1 << 12;

  private final LongIndex tree;

  /** Most writes that are gathered; the next one makes them all. */
  private final int most;

  private long[] keys = new long[16];
  private long[] values = new long[16];
  private boolean[] stores = new boolean[16];
  private int count;

  /** Begins without writes, of which it gathers {@link #USUAL_MOST}. */
  SortedWrites(LongIndex tree) {
    this(tree, USUAL_MOST);
  }

  /**
   * Begins without writes.
   *
   * @param most writes that are gathered, {@value #BYTES} bytes each; the next one makes them all
   */
  SortedWrites(LongIndex tree, int most) {
    this.tree = tree;
    this.most = most;
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
    if (count == most) {
      apply();
    } else if (count == keys.length) {
      int length = (int) Math.min(2L * count, most);
      keys = Arrays.copyOf(keys, length);
      values = Arrays.copyOf(values, length);
      stores = Arrays.copyOf(stores, length);
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
    int room = Math.min(AT_ONCE, order.length);
    long[] putKeys = new long[room];
    long[] putValues = new long[room];
    int puts = 0;
    for (int write : order) {
      if (!stores[write]) {
        tree.delete(keys[write]);
        continue;
      }
      putKeys[puts] = keys[write];
      putValues[puts++] = values[write];
      if (puts == room) {
        tree.putAll(putKeys, 0, putValues, 0, puts);
        puts = 0;
      }
    }
    tree.putAll(putKeys, 0, putValues, 0, puts);
    count = 0;
  }
}
