// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Units of one node that are to be written together: some of its changes, or all that it holds. */
final class UnitGroup {
  private final int node;
  private final boolean isWhole;
  private final int[] operations;
  private final long[] words;
  private int count;

  /** Makes a group without units that has room for some. */
  UnitGroup(int node, int capacity, boolean isWhole) {
    this.node = node;
    this.isWhole = isWhole;
    this.operations = new int[capacity];
    this.words = new long[2 * capacity];
  }

  /** Returns the units that make a node anew, of the entries in some slots of its content. */
  static UnitGroup whole(int node, NodeContent of, int from, int to) {
    UnitGroup group = new UnitGroup(node, to - from + 1, true);
    group.add(SectorPage.RESET, 0, 0);
    for (int slot = from; slot < to; slot++) {
      group.add(SectorPage.PUT, of.keys[slot], of.values[slot]);
    }
    return group;
  }

  void add(int operation, long key, long value) {
    operations[count] = operation;
    words[2 * count] = key;
    words[2 * count + 1] = value;
    count++;
  }

  int node() {
    return node;
  }

  /** Returns whether the units make the node anew. */
  boolean isWhole() {
    return isWhole;
  }

  int count() {
    return count;
  }

  /**
   * Returns the places of changes in the order of their keys, or null if they have that order, as
   * what a node holds has.
   */
  char @Nullable [] order() {
    if (isWhole) {
      return null;
    }
    int ascending = 1;
    while (ascending < count && words[2 * ascending - 2] <= words[2 * ascending]) {
      ascending++;
    }
    if (ascending >= count) {
      return null;
    }
    UnitOrder order = new UnitOrder();
    for (int i = 0; i < count; i++) {
      order.add(words[2 * i], i);
    }
    return order.toArray();
  }

  /** Writes the units from a slot on; returns the slot after them. */
  int copyTo(MemorySegment pages, long page, int slot) {
    for (int i = 0; i < count; i++) {
      long unit = SectorPage.unit(page, slot + i);
      SectorPage.set(pages, unit, node, operations[i], words[2 * i], words[2 * i + 1]);
    }
    return slot + count;
  }
}
