// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import java.lang.foreign.MemorySegment;

/**
 * How far the merge of a level's two arrays has come, and what the one before it left to be given
 * back. With the arrays, this is all that the manifest says of a level, so a merge goes on where it
 * was after an index is opened again.
 *
 * <pre>
 *  0                32               64       72            80            88
 *  | newer: 4 longs | older: 4 longs | target | moved newer | moved older | elements |
 *
 *  96         104          112                144              152       160
 *  | messages | tombstones | waste: 4 extents | newer's fences | older's | target's |
 * </pre>
 *
 * Structures of the first version have no fences: their records have three extents of waste, and
 * end there.
 */
final class HalfMerge {
  /**
   * Extents that a merge leaves: its two sources, and what it did not need of its target and the
   * target's fences.
   */
  static final int WASTE = 4;

  /** Longs in the manifest for an array. */
  private static final int ARRAY_WORDS = 4;

  /** Longs in the manifest for a level. */
  static final int WORDS = 2 * ARRAY_WORDS + 6 + WASTE + 3;

  /** The same in a structure of the first version. */
  static final int WORDS_WITHOUT_FENCES = 2 * ARRAY_WORDS + 6 + WASTE - 1;

  private static final int TARGET_FENCES = (WORDS - 1) * Long.BYTES;
  private static final int OLDER_FENCES = TARGET_FENCES - Long.BYTES;
  private static final int NEWER_FENCES = OLDER_FENCES - Long.BYTES;

  /** The extent that is being written; no pages if no merge has begun. */
  int firstPage;

  int pages;

  /** The first page of the target's fences, 0 if it is to have none. */
  int firstFence;

  /** Elements of the two arrays that were moved, or passed over. */
  long movedNewer;

  long movedOlder;

  /** What was written so far. */
  long elements;

  long messages;
  long tombstones;

  final int[] wasteFirst = new int[WASTE];
  final int[] wastePages = new int[WASTE];

  boolean isBegun() {
    return pages > 0;
  }

  /** Begins a target, as an array without elements. */
  void begin(Level target) {
    firstPage = target.firstPage();
    pages = target.pages();
    firstFence = target.firstFence();
    movedNewer = 0;
    movedOlder = 0;
    elements = 0;
    messages = 0;
    tombstones = 0;
  }

  void end() {
    begin(Level.EMPTY);
  }

  /** Returns all of the target as an array without elements. */
  Level target() {
    return new Level(firstPage, pages, 0, 0, 0, 0, firstFence);
  }

  /** Returns what was written so far as an array, in as many pages as that needs. */
  Level written(int capacity) {
    int needed = (int) Math.max(1, Math.ceilDiv(elements, (long) capacity));
    int used = Math.min(needed, pages);
    int fence = used < Fences.LEAST_PAGES ? 0 : firstFence;
    return new Level(firstPage, used, elements, messages, tombstones, 0, fence);
  }

  /** Tells whether everything was given back. */
  boolean isTidy() {
    return wastePages() == 0;
  }

  /** Returns the pages that wait to be given back. */
  long wastePages() {
    return (long) wastePages[0] + wastePages[1] + wastePages[2] + wastePages[3];
  }

  void waste(int i, int extent, int count) {
    wasteFirst[i] = extent;
    wastePages[i] = count;
  }

  // ---------------------------------------------------------------- manifest

  void write(MemorySegment segment, long at, Level newer, Level older, boolean hasFences) {
    writeArray(segment, at, newer);
    writeArray(segment, at + ARRAY_WORDS * Long.BYTES, older);
    long own = at + 2 * ARRAY_WORDS * Long.BYTES;
    putLong(segment, own, extent(firstPage, pages));
    putLong(segment, own + 8, movedNewer);
    putLong(segment, own + 16, movedOlder);
    putLong(segment, own + 24, elements);
    putLong(segment, own + 32, messages);
    putLong(segment, own + 40, tombstones);
    for (int i = 0; i < wasteIn(hasFences); i++) {
      putLong(segment, own + 48 + 8L * i, extent(wasteFirst[i], wastePages[i]));
    }
    if (hasFences) {
      putLong(segment, at + NEWER_FENCES, newer.firstFence());
      putLong(segment, at + OLDER_FENCES, older.firstFence());
      putLong(segment, at + TARGET_FENCES, firstFence);
    }
  }

  void read(MemorySegment segment, long at, boolean hasFences) {
    long own = at + 2 * ARRAY_WORDS * Long.BYTES;
    firstPage = (int) (getLong(segment, own) >>> 32);
    pages = (int) getLong(segment, own);
    firstFence = hasFences ? (int) getLong(segment, at + TARGET_FENCES) : 0;
    movedNewer = getLong(segment, own + 8);
    movedOlder = getLong(segment, own + 16);
    elements = getLong(segment, own + 24);
    messages = getLong(segment, own + 32);
    tombstones = getLong(segment, own + 40);
    for (int i = 0; i < wasteIn(hasFences); i++) {
      long extent = getLong(segment, own + 48 + 8L * i);
      waste(i, (int) (extent >>> 32), (int) extent);
    }
  }

  /**
   * Tells whether this and the arrays that are merged can be in a store with so many pages.
   *
   * @param capacity elements of a page
   */
  boolean isSound(Level newer, Level older, int pagesInUse, int capacity) {
    boolean isSound =
        isSound(pages, elements, pagesInUse, capacity) && movedNewer >= 0 && movedOlder >= 0;
    for (Level array : new Level[] {newer, older}) {
      isSound &= isSound(array.pages(), array.elements(), pagesInUse, capacity);
      isSound &= isSound(array.pages(), array.messages(), pagesInUse, capacity);
    }
    for (int count : wastePages) {
      isSound &= isSound(count, 0, pagesInUse, capacity);
    }
    return isSound;
  }

  private static boolean isSound(int count, long elements, int pagesInUse, int capacity) {
    return count >= 0
        && count <= pagesInUse
        && elements >= 0
        && elements <= (long) count * capacity;
  }

  private static int wasteIn(boolean hasFences) {
    return hasFences ? WASTE : WASTE - 1;
  }

  private static void writeArray(MemorySegment segment, long at, Level array) {
    putLong(segment, at, extent(array.firstPage(), array.pages()));
    putLong(segment, at + 8, array.elements());
    putLong(segment, at + 16, array.messages());
    putLong(segment, at + 24, array.tombstones());
  }

  /** Reads the array filled later, or the other one, from a level's place in the manifest. */
  static Level readArray(MemorySegment segment, long level, boolean newer, boolean hasFences) {
    long at = newer ? level : level + ARRAY_WORDS * Long.BYTES;
    long extent = getLong(segment, at);
    return new Level(
        (int) (extent >>> 32),
        (int) extent,
        getLong(segment, at + 8),
        getLong(segment, at + 16),
        getLong(segment, at + 24),
        0,
        hasFences ? (int) getLong(segment, level + (newer ? NEWER_FENCES : OLDER_FENCES)) : 0);
  }

  private static long extent(int first, int count) {
    return (long) first << 32 | count;
  }
}
