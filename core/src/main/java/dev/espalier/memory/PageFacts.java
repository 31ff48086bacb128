// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** How large a {@link PageStore} and its pages are, what its limits are, and what is in use. */
public interface PageFacts extends MemoryUse {
  /** Returns the bytes of a page: a power of two. */
  int pageBytes();

  /**
   * Returns how many pins may be held at once, three at least: a page, its parent and a neighbour.
   */
  int mostPins();

  /**
   * Tells whether a page that is not pinned stays where it is, with its contents, as long as {@link
   * Pages#segment} is the same.
   */
  boolean pagesStay();

  /** Returns the number of pages given out and not taken back. */
  int pagesInUse();

  /** Tells whether a page was given out and not taken back; false for what is no page's number. */
  boolean isInUse(int page);

  /**
   * Tells whether there is room for an extent of {@code extent} consecutive pages and {@code more}
   * pages anywhere, as far as the store knows a limit. O(pages / 64).
   */
  boolean hasRoom(long extent, long more);

  @Override
  default long usedBytes() {
    return (long) pagesInUse() * pageBytes();
  }

  /** Returns the file in which the pages are; null if they are in memory only. */
  default @Nullable Path file() {
    return null;
  }

  /** Tells whether {@link PageStore#close} was called. */
  boolean isClosed();
}
