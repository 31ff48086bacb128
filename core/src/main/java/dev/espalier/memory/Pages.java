// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.MemorySegment;

/**
 * Allocation and pinning of the pages of a {@link PageStore}.
 *
 * <p>A page is known by its number, counted from 1, so that 0 can mean none. While a page is
 * pinned, its bytes stay at the same offset in {@link #segment}.
 */
public interface Pages {
  /**
   * Returns the memory that holds all pinned pages. It may be a different one after {@link
   * #allocate} or {@link #clear}; offsets do not change.
   */
  MemorySegment segment();

  /**
   * Returns the words that the store keeps for its tree in addition to the pages: {@link
   * PageStore#META_WORDS} longs, initially 0, which are read and written in place. The array is
   * always the same.
   */
  long[] meta();

  // ---------------------------------------------------------------- pin

  /**
   * Pins a page: it stays in memory, at the same offset, until it has been unpinned as often as it
   * was pinned.
   *
   * @return the offset of its first byte in {@link #segment}, a multiple of the page size
   */
  long pin(int page);

  /**
   * Pins a page that was allocated by {@link #allocate(int)} and is about to be written for the
   * first time. It is pinned as by {@link #pin}, but nothing is read, and its contents are
   * undefined.
   */
  long pinFresh(int page);

  /**
   * Pins many pages with one wave of reads, rather than one after the other. Replaces {@code count}
   * page numbers in {@code pages}, from index {@code from}, by the offsets of the pages. A page
   * that occurs several times is pinned as often.
   *
   * @param count at most {@link PageFacts#mostPins}
   */
  void pinAll(long[] pages, int from, int count);

  /**
   * Releases one pin.
   *
   * @param offset the offset of the page, as returned by {@link #pin}, or of any byte in it
   * @param changed whether the page was written to since it was pinned
   */
  void unpin(long offset, boolean changed);

  // ---------------------------------------------------------------- allocate

  /**
   * Allocates a page with undefined contents, unpinned, and returns its number.
   *
   * @throws MemoryLimitException if there is no room; in that case, nothing has changed
   */
  int allocate();

  /**
   * Allocates an extent of {@code count} consecutive pages and returns the number of the first.
   * Their contents are undefined, so each must be pinned by {@link #pinFresh} first.
   *
   * @param count at least 1
   * @throws MemoryLimitException if there is no room; in that case, nothing has changed
   */
  int allocate(int count);

  /**
   * Frees a page, which must not be pinned.
   *
   * @throws IllegalStateException if the page is not in use
   */
  void free(int page);

  /** Frees all pages, none of which may be pinned, and sets {@link #meta} to 0. */
  void clear();
}
