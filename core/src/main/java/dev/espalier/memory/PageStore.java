// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.MemorySegment;

/**
 * A store of numbered pages of equal size, which holds a tree. A page is read and written between
 * {@link #pin}, which returns where its bytes are, and {@link #unpin}; in between, the page does
 * not move.
 *
 * <p>The interface has three parts: {@link Pages} allocates and pins, {@link PageHints} takes hints
 * about future use, and {@link PageFacts} reports sizes and limits. The methods here concern all
 * pages together.
 *
 * <p>The first {@link #RESERVED_BYTES} bytes of each page belong to the store, the others to the
 * tree. {@link #meta} keeps what a tree has in addition to its pages, so that the store holds the
 * whole tree.
 *
 * <p>Several threads may pin and read pages and call {@link #readAhead} at once. Methods that
 * change pages, and writing to pages, require that no other thread uses the store. The exception is
 * a tree that keeps its threads from using the same pages: its pages may be pinned and written
 * while another thread allocates or frees some, if {@link #allocationMoves} says that none moves.
 */
public interface PageStore extends Pages, PageHints, PageFacts, AutoCloseable {
  /** Number of bytes at the start of each page that belong to the store. */
  int RESERVED_BYTES = 16;

  /** Number of longs that the store keeps for its tree. */
  int META_WORDS = 8;

  /**
   * Announces a change. Must be called before anything is changed.
   *
   * @throws IllegalStateException if the store accepts no changes, because it is closed, read-only,
   *     or has failed
   */
  void beforeChange();

  /**
   * Announces that a tree for many threads is about to store a value for a key, while no other
   * thread can write the key and before any can see the value. So a log that is told here has a
   * write before all those that depend on it. If the value is not stored, the write fails.
   */
  default void beforeSet(long key, long value) {}

  /** Announces that a tree for many threads is about to remove a key; see {@link #beforeSet}. */
  default void beforeRemoval(long key) {}

  /** Announces, as {@link #beforeSet(long, long)} does, what a tree of byte strings stores. */
  default void beforeSet(MemorySegment key, MemorySegment value) {}

  /** Announces that a tree of byte strings is about to remove a key. */
  default void beforeRemoval(MemorySegment key) {}

  /**
   * Makes sure that a change may write to many pages that are in use already. A store in a file
   * writes a page elsewhere after a checkpoint, and needs room for that. There always is some for a
   * few pages per level of a tree, so only those changes need to ask that touch more.
   *
   * @throws MemoryLimitException if there is no room
   */
  default void ensureRoomToChange(int pages) {}

  /**
   * Reports that a change failed halfway, so that the pages no longer form a valid tree. A store in
   * a file refuses all calls from then on, so that it never returns wrong answers.
   *
   * @param cause why it failed
   */
  void leftHalfway(Throwable cause);

  /**
   * Writes all pages and {@link #meta} to the device, if the store is in a file; see {@link
   * dev.espalier.LongIndex#flush}.
   */
  void flush();

  /** Frees everything. A second call does nothing. */
  @Override
  void close();
}
