// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/**
 * Hints about the use of pages in the near future, which a tree may give to its {@link PageStore}.
 * They change no result; a store with all its pages in memory ignores them.
 */
public interface PageHints {
  /**
   * Starts to read pages that will be pinned soon, without waiting for them.
   *
   * @param pages numbers of pages, from index {@code from}
   */
  default void readAhead(int[] pages, int from, int count) {}

  /**
   * Announces that an unpinned page will be neither read nor written for a while, so that it is
   * evicted before others.
   */
  default void wontNeed(int page) {}

  /**
   * Announces that an unpinned page will be freed soon, so that it may be evicted if that takes no
   * write.
   */
  default void willFree(int page) {}
}
