// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/**
 * What a tree knows about the use of its pages in the near future, and may tell a {@link
 * PageStore}. A store that has all pages in memory has no use for it, and all is right without.
 */
public interface PageHints {
  /**
   * Asks for pages that will be pinned soon, and does not wait.
   *
   * @param pages numbers of pages, from {@code from} on
   */
  default void readAhead(int[] pages, int from, int count) {}

  /**
   * Says that a page, which is not pinned, is not needed for a while, and will not be overwritten
   * either: it can make room for others before them.
   */
  default void wontNeed(int page) {}

  /**
   * Says that a page, which is not pinned, will be given back soon. It can make room for others, if
   * it need not be written for that.
   */
  default void willFree(int page) {}
}
