// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/**
 * Pages of equal size, by number: what the trees on pages live in. A page is worked on between
 * {@link #pin}, which tells where its bytes are, and {@link #unpin}; in between it stays there.
 *
 * <p>A store has three sides: its {@linkplain Pages pages}, {@linkplain PageHints hints} that a
 * tree may give about them, and {@linkplain PageFacts facts}. Here is what concerns all pages
 * together: a change of several is announced, and may fail halfway.
 *
 * <p>The first {@link #RESERVED_BYTES} bytes of each page belong to the store; with the rest it
 * does nothing. {@link #meta} keeps the little that a tree has beside its pages, so that all of it
 * is in the store.
 *
 * <p>Pins, {@link #readAhead} and reading may be used by many threads at once; whatever changes
 * pages is for one thread at a time, without readers.
 */
public interface PageStore extends Pages, PageHints, PageFacts, AutoCloseable {
  /** Bytes at the start of each page that belong to the store. */
  int RESERVED_BYTES = 16;

  /** Longs that the store keeps for its tree. */
  int META_WORDS = 8;

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

  /** Frees everything. A second call does nothing. */
  @Override
  void close();
}
