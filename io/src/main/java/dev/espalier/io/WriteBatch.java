// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Writes to one or more indexes of a store that come true together: after a crash all of them are
 * there, or none. Filled, given to {@link IndexStore#write}, and then cleared and used again. For
 * one thread at a time.
 */
public final class WriteBatch {
  /** Most writes of a batch. */
  public static final int MOST_WRITES = 1 << 22;

  private static final byte SET = 0;
  private static final byte DELETE = 1;

  private final List<LongIndex> indexes = new ArrayList<>();
  private byte[] kinds = new byte[16];
  private int[] targets = new int[16];
  private long[] keys = new long[16];
  private long[] values = new long[16];
  private int count;

  /** Makes an empty batch. */
  public WriteBatch() {}

  /** Adds: store a value for a key. */
  public WriteBatch set(LongIndex index, long key, long value) {
    return add(SET, index, key, value);
  }

  /** Adds: remove a key, if it is there. */
  public WriteBatch delete(LongIndex index, long key) {
    return add(DELETE, index, key, 0);
  }

  private WriteBatch add(byte kind, LongIndex index, long key, long value) {
    Objects.requireNonNull(index, "index");
    if (count == MOST_WRITES) {
      throw new IllegalStateException("the batch is full: it has " + MOST_WRITES + " writes");
    }
    if (count == kinds.length) {
      kinds = Arrays.copyOf(kinds, 2 * count);
      targets = Arrays.copyOf(targets, 2 * count);
      keys = Arrays.copyOf(keys, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
    }
    kinds[count] = kind;
    targets[count] = target(index);
    keys[count] = key;
    values[count] = value;
    count++;
    return this;
  }

  /** Returns the number of an index in this batch; a batch has few. */
  @SuppressWarnings("ReferenceEquality") // An index is only ever itself.
  private int target(LongIndex index) {
    for (int i = 0; i < indexes.size(); i++) {
      if (indexes.get(i) == index) {
        return i;
      }
    }
    indexes.add(index);
    return indexes.size() - 1;
  }

  /** Returns the number of writes. */
  public int size() {
    return count;
  }

  /** Forgets all writes. */
  public void clear() {
    count = 0;
    indexes.clear();
  }

  // ---------------------------------------------------------------- for the store

  List<LongIndex> indexes() {
    return indexes;
  }

  /** Returns the number of the index of a write. */
  int target(int write) {
    return targets[write];
  }

  boolean isDelete(int write) {
    return kinds[write] == DELETE;
  }

  long key(int write) {
    return keys[write];
  }

  long value(int write) {
    return values[write];
  }
}
