// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

/**
 * One level from 1 on, or an array: an extent of pages, all full but the last.
 *
 * @param firstPage number of the first page; the others follow
 * @param pages number of pages
 * @param elements in them: messages, pointers, and those that are both
 * @param messages puts and tombstones
 * @param tombstones of the messages
 * @param runs batches that were merged into the level since it was last empty of messages
 * @param firstFence number of the first page of its {@link Fences}, 0 if it has none
 */
record Level(
    int firstPage,
    int pages,
    long elements,
    long messages,
    long tombstones,
    int runs,
    int firstFence) {

  /** Longs in a manifest for one level. */
  static final int WORDS = 6;

  /** A level without anything. */
  static final Level EMPTY = new Level(0, 0, 0, 0, 0, 0);

  /** Makes a level without fences. */
  Level(int firstPage, int pages, long elements, long messages, long tombstones, int runs) {
    this(firstPage, pages, elements, messages, tombstones, runs, 0);
  }

  /** Returns this level after so many runs. */
  Level withRuns(int count) {
    return new Level(firstPage, pages, elements, messages, tombstones, count);
  }

  /** Returns this array, with so many messages and tombstones instead. */
  Level withCounts(long newMessages, long newTombstones) {
    return new Level(firstPage, pages, elements, newMessages, newTombstones, runs, firstFence);
  }

  /** Returns this array with its fences. */
  Level withFences(int page) {
    return new Level(firstPage, pages, elements, messages, tombstones, runs, page);
  }

  /** Returns how many of the elements are pointers alone. */
  long onlyPointers() {
    return elements - messages;
  }
}
