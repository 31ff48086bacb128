// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.MemorySegment;

/**
 * Pages of equal size, by number: what the trees on pages live in. A page is worked on between
 * {@link #pin}, which tells where its bytes are, and {@link #unpin}; in between it stays there.
 *
 * <p>Pages are numbered from 1, so that 0 can mean none. The first {@link #RESERVED_BYTES} bytes of
 * each belong to the store; with the rest it does nothing. {@link #meta} keeps the little that a
 * tree has beside its pages, so that all of it is in the store.
 *
 * <p>Pins, {@link #readAhead} and reading may be used by many threads at once; whatever changes
 * pages is for one thread at a time, without readers.
 */
public interface PageStore extends MemoryUse, AutoCloseable {
  /** Bytes at the start of each page that belong to the store. */
  int RESERVED_BYTES = 16;

  /** Longs that the store keeps for its tree. */
  int META_WORDS = 8;

  /** Returns the bytes of a page: a power of two. */
  int pageBytes();

  /**
   * Returns the memory in which all pinned pages lie. It may be another one after {@link #allocate}
   * and {@link #clear}; places stay what they are.
   */
  MemorySegment segment();

  /**
   * Returns what the store keeps for its tree beside the pages: {@link #META_WORDS} longs, all 0 at
   * first, to be read and written in place. Always the same array.
   */
  long[] meta();

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

  /**
   * Keeps a page where it is until it is unpinned as often as it was pinned.
   *
   * @return its place: the offset of its first byte in {@link #segment}, a multiple of {@link
   *     #pageBytes}
   */
  long pin(int page);

  /**
   * As {@link #pin}, for a page of {@link #allocate(int)} that is about to be written for the first
   * time: nothing is read, and it has any contents.
   */
  long pinFresh(int page);

  /**
   * Pins many pages by one wave of reads, rather than one after the other: {@code pages[i]}, a
   * number, becomes the page's place, for {@code count} values of {@code i} from {@code from}. A
   * page may come up more than once, and is then pinned as often.
   *
   * @param count at most {@link #mostPins}
   */
  void pinAll(long[] pages, int from, int count);

  /**
   * Gives back one pin.
   *
   * @param place of the page, as {@link #pin} gave it, or of any byte in it
   * @param changed whether the page was written to since it was pinned
   */
  void unpin(long place, boolean changed);

  /**
   * Asks for pages that will be pinned soon, and does not wait.
   *
   * @param pages numbers of pages, from {@code from} on
   */
  void readAhead(int[] pages, int from, int count);

  /**
   * Says that a page, which is not pinned, is not needed for a while, and will not be overwritten
   * either: it can make room for others before them.
   */
  void wontNeed(int page);

  /**
   * Says that a page, which is not pinned, will be given back soon. It can make room for others, if
   * it need not be written for that.
   */
  void willFree(int page);

  /**
   * Returns how many pins may be held at once, three at least: a page, its parent and a neighbour.
   */
  int mostPins();

  /**
   * Tells whether a page that is not pinned stays where it is, with its contents, as long as {@link
   * #segment} is the same.
   */
  boolean keepsPlaces();

  /**
   * Tells that a change begins: to be called before anything is changed.
   *
   * @throws IllegalStateException if the store takes no changes: it is closed, for reading only, or
   *     has failed
   */
  void beforeChange();

  /**
   * Tells that a change has failed halfway, so that the pages are no tree any more. A store that
   * can lose nothing else by it refuses everything from now on.
   *
   * @param cause why it failed
   */
  void leftHalfway(Throwable cause);

  /**
   * Makes all pages, and {@link #meta}, safe from a crash, if the store has anything beside memory.
   */
  void flush();

  /** Returns the number of pages given out and not taken back. */
  int pagesInUse();

  /**
   * Tells whether there is room for a row of {@code extent} consecutive pages and {@code more}
   * pages anywhere, as far as the store knows a limit. O(pages / 64).
   */
  boolean hasRoom(long extent, long more);

  /** Tells whether a page was given out and not taken back; false for what is no page's number. */
  boolean isInUse(int page);

  @Override
  default long usedBytes() {
    return (long) pagesInUse() * pageBytes();
  }

  /** Tells whether {@link #close} was called. */
  boolean isClosed();

  /** Frees everything. A second call does nothing. */
  @Override
  void close();
}
