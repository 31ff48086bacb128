// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import java.util.Arrays;

/** The entries of a node, replayed from its units. */
final class NodeContent {
  long[] keys;
  long[] values;
  int count;

  NodeContent(int capacity) {
    this.keys = new long[capacity];
    this.values = new long[capacity];
  }

  /** Has room for so many more entries. */
  void makeRoom(int more) {
    if (count + more > keys.length) {
      int room = Math.max(2 * keys.length, count + more);
      keys = Arrays.copyOf(keys, room);
      values = Arrays.copyOf(values, room);
    }
  }

  int lowerBound(long key) {
    int slot = Arrays.binarySearch(keys, 0, count, key);
    return slot < 0 ? -slot - 1 : slot;
  }

  /** Returns how many keys are up to one. */
  int upTo(long key) {
    return key == Long.MAX_VALUE ? count : lowerBound(key + 1);
  }

  /** Keeps the entries with keys from one up to another. */
  void keep(long low, long high) {
    count = upTo(high);
    int below = lowerBound(low);
    if (below > 0) {
      count -= below;
      System.arraycopy(keys, below, keys, 0, count);
      System.arraycopy(values, below, values, 0, count);
    }
  }

  /** Applies one unit; returns false if there is no room for it. */
  boolean apply(int operation, long key, long value) {
    if (operation == SectorPage.RESET) {
      count = 0;
      return true;
    }
    int slot = lowerBound(key);
    boolean isThere = slot < count && keys[slot] == key;
    if (operation == SectorPage.DELETE) {
      if (isThere) {
        count--;
        System.arraycopy(keys, slot + 1, keys, slot, count - slot);
        System.arraycopy(values, slot + 1, values, slot, count - slot);
      }
      return true;
    }
    if (!isThere) {
      if (count == keys.length) {
        return false;
      }
      System.arraycopy(keys, slot, keys, slot + 1, count - slot);
      System.arraycopy(values, slot, values, slot + 1, count - slot);
      keys[slot] = key;
      count++;
    }
    values[slot] = value;
    return true;
  }
}
