// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The sizes and limits of a {@link PageStore}, and how much of it is in use. */
public interface PageFacts extends MemoryUse {
  /** Returns the size of a page in bytes: a power of two. */
  int pageBytes();

  /**
   * Returns how many pins may be held at once: at least three, for a page, its parent and a
   * neighbour.
   */
  int mostPins();

  /**
   * Returns whether unpinned pages stay where they are, with their contents, as long as {@link
   * Pages#segment} is the same.
   */
  boolean pagesStay();

  /**
   * Returns whether the next {@link Pages#allocate()} would move all pages to another {@link
   * Pages#segment}, in which case no page may be used meanwhile.
   */
  default boolean allocationMoves() {
    return false;
  }

  /** Returns the number of pages in use. */
  int pagesInUse();

  /** Returns whether a page is in use; false for a number that no page has. */
  boolean isInUse(int page);

  /**
   * Returns whether there is room for {@code extent} consecutive pages and, besides them, {@code
   * more} pages anywhere, as far as the store knows its limit. O(pages / 64).
   */
  boolean hasRoom(long extent, long more);

  @Override
  default long usedBytes() {
    return (long) pagesInUse() * pageBytes();
  }

  /** Returns the file that holds the pages, or null if they are in memory only. */
  default @Nullable Path file() {
    return null;
  }

  /**
   * Returns what the index over the pages says of itself when it is used after it was closed.
   *
   * @param tree the name of its tree
   */
  default String closedMessage(String tree) {
    return "the " + tree + " is closed";
  }

  /** Returns whether {@link PageStore#close} was called. */
  boolean isClosed();
}
