// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.MemorySegment;

/**
 * The pages of a {@link PageStore}: given out and taken back, pinned and unpinned.
 *
 * <p>A page is known by its number, from 1 on, so that 0 can mean none. While it is pinned, its
 * first byte is at an offset in {@link #segment}, and stays there.
 */
public interface Pages {
  /**
   * Returns the memory in which all pinned pages lie. It may be another one after {@link #allocate}
   * and {@link #clear}; offsets stay what they are.
   */
  MemorySegment segment();

  /**
   * Returns what the store keeps for its tree beside the pages: {@link PageStore#META_WORDS} longs,
   * all 0 at first, to be read and written in place. Always the same array.
   */
  long[] meta();

  // ---------------------------------------------------------------- pin

  /**
   * Keeps a page where it is until it is unpinned as often as it was pinned.
   *
   * @return the offset of its first byte in {@link #segment}, a multiple of the bytes of a page
   */
  long pin(int page);

  /**
   * As {@link #pin}, for a page of {@link #allocate(int)} that is about to be written for the first
   * time: nothing is read, and it has any contents.
   */
  long pinFresh(int page);

  /**
   * Pins many pages by one wave of reads, rather than one after the other: {@code pages[i]}, a
   * number, becomes the page's offset, for {@code count} values of {@code i} from {@code from}. A
   * page may come up more than once, and is then pinned as often.
   *
   * @param count at most {@link PageFacts#mostPins}
   */
  void pinAll(long[] pages, int from, int count);

  /**
   * Gives back one pin.
   *
   * @param offset of the page, as {@link #pin} gave it, or of any byte in it
   * @param changed whether the page was written to since it was pinned
   */
  void unpin(long offset, boolean changed);

  // ---------------------------------------------------------------- allocate

  /**
   * Gives out a page with any contents, which is not pinned, and returns its number.
   *
   * @throws MemoryLimitException if there is no room; nothing has changed then
   */
  int allocate();

  /**
   * Gives out {@code count} consecutive pages, and returns the number of the first: an extent that
   * is written once from end to end. None has contents: {@link #pinFresh} is to be the first pin of
   * each.
   *
   * @param count at least 1
   * @throws MemoryLimitException if there is no room; nothing has changed then
   */
  int allocate(int count);

  /**
   * Takes back a page, which is not pinned.
   *
   * @throws IllegalStateException if the page is not in use
   */
  void free(int page);

  /** Takes back all pages, none of which is pinned, and sets {@link #meta} to 0. */
  void clear();
}
