// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import java.util.Arrays;

/**
 * Units of one node in the order of their keys, those of one key in the order in which they apply:
 * the key and the slot of each.
 */
final class UnitOrder {
  private static final int FIRST_ROOM = 4;

  private long[] keys = new long[FIRST_ROOM];
  private int[] slots = new int[FIRST_ROOM];
  private int count;

  UnitOrder() {}

  int count() {
    return count;
  }

  long key(int place) {
    return keys[place];
  }

  int slot(int place) {
    return slots[place];
  }

  /** Returns how many units have keys up to one. O(log count). */
  int upTo(long key) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (keys[middle] <= key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Adds a unit that applies after all others. O(count). */
  void add(long key, int slot) {
    if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count);
      slots = Arrays.copyOf(slots, 2 * count);
    }
    int place = upTo(key);
    System.arraycopy(keys, place, keys, place + 1, count - place);
    System.arraycopy(slots, place, slots, place + 1, count - place);
    keys[place] = key;
    slots[place] = slot;
    count++;
  }

  /** Notes that a unit is in another slot now. Pages that lie may have units that are not here. */
  void move(long key, int from, int to) {
    for (int place = upTo(key) - 1; place >= 0 && keys[place] == key; place--) {
      if (slots[place] == from) {
        slots[place] = to;
        return;
      }
    }
  }

  /** Returns the least slot. O(count). */
  int firstSlot() {
    int first = slots[0];
    for (int i = 1; i < count; i++) {
      first = Math.min(first, slots[i]);
    }
    return first;
  }

  /** Returns the slots in the order in which their units apply. */
  int[] inTurn() {
    int[] turn = Arrays.copyOf(slots, count);
    Arrays.sort(turn);
    return turn;
  }

  /** Returns the slots in the order of the keys. */
  char[] toArray() {
    char[] array = new char[count];
    for (int i = 0; i < count; i++) {
      array[i] = (char) slots[i];
    }
    return array;
  }
}
