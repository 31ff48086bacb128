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
   * always the same. A tree that keeps it may be behind with words that many threads change; it is
   * {@linkplain #whenMetaIsWanted told} by this call to write them.
   */
  long[] meta();

  /**
   * Has a task run whenever {@link #meta} is called, and before a store in a file copies the words:
   * by it a tree writes to them what it keeps elsewhere. It replaces the task of the tree before,
   * and runs a last time when the store is closed. What it writes is exact if nobody changes the
   * tree meanwhile.
   *
   * @param task does not wait, and does not fail
   */
  void whenMetaIsWanted(Runnable task);

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

  // ---------------------------------------------------------------- look

  /**
   * Looks for a page without pinning it, and writes to no memory that other threads use. The page
   * may make room for another while it is read, so what is read there may be nonsense; only {@link
   * #isStill}, asked afterwards, tells whether it counts:
   *
   * <pre>{@code
   * long look = store.look(page);
   * if (look >= 0) {
   *   long at = store.offset(look);
   *   // Read the page, bounding by its size all that leads from one place in it to another.
   *   if (store.isStill(look)) {
   *     // What was read is the page's.
   *   }
   * }
   * // Otherwise, pin the page.
   * }</pre>
   *
   * <p>The memory stays, whatever happens to the page. A page that others write to takes versions
   * besides, as it does when it is pinned: read the version after this look, and look at it again
   * before or after {@link #isStill}.
   *
   * @return what {@link #offset(long)} and {@link #isStill} take, or a negative number if the page
   *     is not there, or the store can't tell; then it has to be pinned
   */
  long look(int page);

  /** Returns the offset of the first byte of a page that {@link #look} has found. */
  long offset(long look);

  /**
   * Tells whether a page has stayed where it was since {@link #look} found it, so that all that was
   * read of it in between is its own. It may stay longer, or not.
   */
  boolean isStill(long look);

  /**
   * Counts pages that were read without a pin, for the statistics of the store. Whoever looks at
   * several pages counts them all at once.
   */
  default void noteLooks(int pages) {}

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
