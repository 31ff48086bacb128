// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import java.util.BitSet;

/**
 * Writes to one tree that are gathered and then made in the order of their keys. Those that store
 * values are made together, so that the tree asks for many of its pages at once, and neighbours
 * share one.
 */
final class SortedWrites {
  /** Bytes of memory for a write that is gathered, those to sort it included. */
  static final int BYTES = 41;

  /** The most writes that are gathered unless told otherwise, in a few MiB. */
  static final int USUAL_MOST = 1 << 17;

  /** Puts that the tree is given at once. */
  private static final int AT_ONCE = 1 << 12;

  private final LongIndex tree;

  /** Most writes that are gathered; the next one makes them all. */
  private final int most;

  private final Entries entries = new Entries();

  /** The writes that remove. */
  private final BitSet removals = new BitSet();

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

  /** Adds a write that stores a value for a key. */
  void set(long key, long value) {
    add(key, value);
  }

  /** Adds a write that removes a key, if it is there. */
  void delete(long key) {
    add(key, 0);
    removals.set(entries.count() - 1);
  }

  private void add(long key, long value) {
    if (entries.count() == most) {
      apply();
    }
    entries.add(key, value);
  }

  /** Forgets all writes. */
  void clear() {
    entries.clear();
    removals.clear();
  }

  /** Makes the writes, of those to the same key only the last. */
  void apply() {
    int[] order = LastWrites.of(entries);
    int room = Math.min(AT_ONCE, order.length);
    long[] keys = new long[room];
    long[] values = new long[room];
    int puts = 0;
    for (int write : order) {
      long key = entries.key(write);
      if (removals.get(write)) {
        tree.delete(key);
        continue;
      }
      keys[puts] = key;
      values[puts++] = entries.value(write);
      if (puts == room) {
        tree.putAll(keys, 0, values, 0, puts);
        puts = 0;
      }
    }
    tree.putAll(keys, 0, values, 0, puts);
    clear();
  }
}
