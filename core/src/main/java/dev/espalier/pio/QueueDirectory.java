// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.putInt;

import dev.espalier.memory.PageStore;
import java.util.Arrays;

/**
 * The numbers of the queue's pages: in a page of the store, from its header on, and in an array,
 * for which others need no latch.
 */
final class QueueDirectory {
  private static final int NUMBERS_OFFSET = EntryPage.HEADER_BYTES;

  private final PioStructure tree;
  private final PageStore store;
  private final PageWave wave;

  /** Replaced when it grows; searches see the numbers up to the count of pages that they know. */
  private int[] numbers = new int[4];

  private int count;

  QueueDirectory(PioStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.wave = new PageWave(tree);
  }

  /** Returns how many numbers there is room for. */
  int capacity() {
    return (store.pageBytes() - NUMBERS_OFFSET) / Integer.BYTES;
  }

  /** Returns the page of the directory. */
  int page() {
    return (int) tree.meta[PioStructure.DIRECTORY];
  }

  int count() {
    return count;
  }

  int number(int i) {
    return numbers[i];
  }

  /** Returns how many pages are read at once. */
  int width() {
    return wave.width();
  }

  /** Brings pages into memory that will be used one after the other, in waves of reads. */
  void bring(int from, int to) {
    for (int i = from; i < to; i++) {
      wave.bring(numbers[i]);
    }
    wave.bring();
  }

  /** Makes an empty directory in a page of its own. */
  void plant() {
    count = 0;
    int page = tree.allocate();
    long at = store.pin(page);
    EntryPage.initialize(tree.pages, at, EntryPage.QUEUE);
    store.unpin(at, true);
    tree.meta[PioStructure.DIRECTORY] = page;
  }

  /** Reads numbers from the page. */
  void open(int listed) {
    count = listed;
    numbers = new int[Math.max(count, 4)];
    long at = store.pin(page());
    for (int i = 0; i < count; i++) {
      numbers[i] = getInt(tree.pages, at + NUMBERS_OFFSET + ((long) i << 2));
    }
    store.unpin(at, false);
  }

  void add(int number) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = number;
    write(count - 1, count);
  }

  /** Removes the last number and returns it. */
  int removeLast() {
    return numbers[--count];
  }

  /** Moves numbers to the left, and those that they come to lie on behind them. */
  void move(int from, int to, int some) {
    int[] passed = Arrays.copyOfRange(numbers, to, from);
    System.arraycopy(numbers, from, numbers, to, some);
    System.arraycopy(passed, 0, numbers, to + some, passed.length);
    write(to, from + some);
  }

  private void write(int from, int to) {
    long at = store.pin(page());
    for (int i = from; i < to; i++) {
      putInt(tree.pages, at + NUMBERS_OFFSET + ((long) i << 2), numbers[i]);
    }
    store.unpin(at, true);
  }
}
