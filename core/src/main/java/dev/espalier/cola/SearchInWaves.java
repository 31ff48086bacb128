// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.Words;
import dev.espalier.node.Bits;
import dev.espalier.node.Keys;
import dev.espalier.support.GroupPins;
import org.jspecify.annotations.Nullable;

/**
 * Searches arrays in a file for a group of probes. A binary search of each, or of its fences, finds
 * its page; the pages that the probes come to with a step are read by one wave.
 */
final class SearchInWaves {
  private final DeamortizedStructure tree;
  private final ElementPage layout;
  private final Fences fences;

  /** Places of pages, one for each probe that is open. */
  private final long[] pinned;

  private final GroupPins pins;

  /**
   * Makes it for one thread.
   *
   * @param most probes of a group, no more than the pins that a store gives
   */
  SearchInWaves(DeamortizedStructure tree, int most) {
    this.tree = tree;
    this.layout = tree.layout;
    this.fences = tree.fences;
    this.pinned = new long[most];
    this.pins = new GroupPins(tree.store, most);
  }

  /**
   * Answers what an array has messages for. O(log pages) waves.
   *
   * @param open the probes to answer, as a bit set
   * @param missingValue what a tombstone means
   * @param found takes bit {@code foundFrom + i} for each probe {@code i} whose key is there, if it
   *     is not null
   * @return the probes that are still open; their values are undefined
   */
  long answer(
      Level array,
      long open,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      long missingValue,
      long @Nullable [] found,
      int foundFrom) {
    try {
      findPages(array, open, keys, keysFrom, values, valuesFrom);
      pin(array.firstPage(), 1, open, values, valuesFrom, 0);
      return answerInPages(
          array, open, keys, keysFrom, values, valuesFrom, missingValue, found, foundFrom);
    } finally {
      pins.unpinAll();
    }
  }

  private long answerInPages(
      Level array,
      long open,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      long missingValue,
      long @Nullable [] found,
      int foundFrom) {
    long stillOpen = open;
    long there = 0;
    int pin = 0;
    for (long rest = open; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      long page = pinned[pin++];
      int count = countIn(array, values[valuesFrom + i]);
      int slot = find(page, count, keys[keysFrom + i]);
      if (slot >= 0) {
        boolean isPut = ElementPage.isPut(tree.pages, page, slot);
        values[valuesFrom + i] = isPut ? layout.value(tree.pages, page, slot) : missingValue;
        there |= isPut ? 1L << i : 0;
        stillOpen &= ~Long.lowestOneBit(rest);
      }
    }
    Bits.addGroup(found, foundFrom, there);
    return stillOpen;
  }

  /**
   * Leaves in {@code values} the number of the last page whose first key is not above a probe's.
   */
  private void findPages(
      Level array, long open, long[] keys, int keysFrom, long[] values, int valuesFrom) {
    int firstFence = array.firstFence();
    if (firstFence == 0) {
      step(
          array.firstPage(),
          1,
          array.pages(),
          layout.keysOffset,
          open,
          keys,
          keysFrom,
          values,
          valuesFrom);
      return;
    }
    int fencePages = fences.pagesOf(array);
    step(firstFence, -1, fencePages, fences.offset(0), open, keys, keysFrom, values, valuesFrom);
    pin(firstFence, -1, open, values, valuesFrom, 0);
    int pin = 0;
    for (long rest = open; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      long page = pinned[pin++];
      values[valuesFrom + i] =
          fences.searchIn(
              tree.pages, page, (int) values[valuesFrom + i], array.pages(), keys[keysFrom + i]);
    }
    pins.unpinAll();
  }

  /**
   * Leaves in {@code values} the number of the last of some pages, up or down from a first one,
   * whose first key is not above a probe's.
   *
   * @param offset where the first key of a page is
   */
  private void step(
      int first,
      int direction,
      int pages,
      long offset,
      long open,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom) {
    for (long rest = open; rest != 0; rest &= rest - 1) {
      values[valuesFrom + Long.numberOfTrailingZeros(rest)] = 0;
    }
    int half;
    for (int length = pages; length > 1; length -= half) {
      half = length >>> 1;
      pin(first, direction, open, values, valuesFrom, half);
      int pin = 0;
      for (long rest = open; rest != 0; rest &= rest - 1) {
        int i = Long.numberOfTrailingZeros(rest);
        long page = pinned[pin++];
        if (Words.getLong(tree.pages, page + offset) <= keys[keysFrom + i]) {
          values[valuesFrom + i] += half;
        }
      }
      pins.unpinAll();
    }
  }

  private void pin(int first, int direction, long open, long[] numbers, int numbersFrom, int more) {
    int count = 0;
    for (long rest = open; rest != 0; rest &= rest - 1) {
      long number = numbers[numbersFrom + Long.numberOfTrailingZeros(rest)];
      pinned[count++] = first + direction * (number + more);
    }
    pins.pinAll(pinned, 0, count);
  }

  private int countIn(Level array, long number) {
    return (int) Math.min(array.elements() - number * layout.capacity, layout.capacity);
  }

  /** Returns the slot of a page with the message of a key, or -1. */
  private int find(long page, int count, long key) {
    int slot = Keys.lowerBoundBinary(tree.pages, page + layout.keysOffset, count, key);
    boolean isThere =
        slot < count
            && layout.key(tree.pages, page, slot) == key
            && layout.isMessage(tree.pages, page, slot);
    return isThere ? slot : -1;
  }
}
