// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.support.Torn;

/**
 * The external jump-pointer array of the cache-first fpB+-tree (fpB+ 3.3): the numbers of all leaf
 * pages in order, in a chain of chunks, each of which is a page. A tree of one leaf page has none.
 *
 * <p>A place in the array is a long: the chunk in the upper half, the index in that in the lower.
 */
final class LeafPageArray {
  private final CacheFirstStructure tree;
  private final PageStore store;

  LeafPageArray(CacheFirstStructure tree) {
    this.tree = tree;
    this.store = tree.store;
  }

  // ---------------------------------------------------------------- search

  /** Returns the place of a leaf page, or 0 if there is no array. */
  long placeOf(int leafPage) {
    int chunk = chunkOf(leafPage);
    return chunk == 0 ? 0 : place(chunk, indexOf(chunk, leafPage));
  }

  /** Returns the place after ({@code direction} 1) or before (-1) one, 0 at the end. */
  long step(long place, int direction) {
    int chunk = (int) (place >>> 32);
    int index = (int) place + direction;
    if (index >= 0 && index < count(chunk)) {
      return place(chunk, index);
    }
    long at = store.pin(chunk);
    int beside =
        direction > 0
            ? CacheFirstPage.next(tree.pages, at)
            : CacheFirstPage.previous(tree.pages, at);
    store.unpin(at, false);
    if (beside == 0) {
      return 0;
    }
    return place(beside, direction > 0 ? 0 : count(beside) - 1);
  }

  /** Returns the leaf page at a place. */
  int pageAt(long place) {
    long at = store.pin((int) (place >>> 32));
    int index = (int) place;
    int number = index < 0 ? 0 : CacheFirstPage.entry(tree.pages, at, index);
    store.unpin(at, false);
    return number;
  }

  private static long place(int chunk, int index) {
    return (long) chunk << 32 | (index & 0xffff_ffffL);
  }

  private int chunkOf(int leafPage) {
    long at = store.pin(leafPage);
    int chunk = CacheFirstPage.chunk(tree.pages, at);
    store.unpin(at, false);
    return chunk;
  }

  private int indexOf(int chunk, int leafPage) {
    long at = store.pin(chunk);
    try {
      int count = count(at);
      for (int i = 0; i < count; i++) {
        if (CacheFirstPage.entry(tree.pages, at, i) == leafPage) {
          return i;
        }
      }
    } finally {
      store.unpin(at, false);
    }
    throw CacheFirstStructure.torn("page " + leafPage + " is not in the jump-pointer array");
  }

  private int count(int chunk) {
    long at = store.pin(chunk);
    try {
      return count(at);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Reads the count of a pinned chunk; where threads have torn the tree it may be anything. */
  private int count(long at) {
    int count = CacheFirstPage.count(tree.pages, at);
    if (count < 0 || count > tree.page.chunkCapacity) {
      throw Torn.torn("a chunk of the jump-pointer array has count " + count);
    }
    return count;
  }

  // ---------------------------------------------------------------- insert and split

  /**
   * Inserts a leaf page after another.
   *
   * @throws MemoryLimitException if there is no memory for a chunk; nothing has changed then
   */
  void insertAfter(int leafPage, int added) {
    int chunk = chunkOf(leafPage);
    if (chunk == 0) {
      chunk = tree.space.newPage(CacheFirstPage.CHUNK);
      tree.meta[CacheFirstStructure.FIRST_CHUNK] = chunk;
      insert(chunk, 0, leafPage);
    }
    int index = indexOf(chunk, leafPage) + 1;
    int count = count(chunk);
    if (count == tree.page.chunkCapacity) {
      int right = tree.space.newPage(CacheFirstPage.CHUNK);
      int kept = split(chunk, right, index, count);
      if (index > kept || kept == count) {
        chunk = right;
        index -= kept;
      }
    }
    insert(chunk, index, added);
  }

  private void insert(int chunk, int index, int added) {
    long at = store.pin(chunk);
    try {
      int count = count(at);
      long gap = at + CacheFirstPage.HEADER_BYTES + ((long) index << 2);
      Words.copy(tree.pages, gap, gap + Integer.BYTES, (long) (count - index) << 2);
      CacheFirstPage.entry(tree.pages, at, index, added);
      CacheFirstPage.count(tree.pages, at, count + 1);
    } finally {
      store.unpin(at, true);
    }
    listIn(chunk, added);
  }

  private void listIn(int chunk, int leafPage) {
    long at = store.pin(leafPage);
    CacheFirstPage.chunk(tree.pages, at, chunk);
    store.unpin(at, true);
  }

  /**
   * Moves the upper half of a chunk to {@code right}, which becomes its neighbour; at the end of
   * the array nothing, so that ascending inserts leave full chunks. Returns how many stay.
   */
  private int split(int chunk, int right, int index, int count) {
    long from = store.pin(chunk);
    long to = store.pin(right);
    int next;
    int kept;
    try {
      next = CacheFirstPage.next(tree.pages, from);
      kept = index == count && next == 0 ? count : count / 2;
      for (int i = kept; i < count; i++) {
        CacheFirstPage.entry(tree.pages, to, i - kept, CacheFirstPage.entry(tree.pages, from, i));
      }
      CacheFirstPage.count(tree.pages, from, kept);
      CacheFirstPage.count(tree.pages, to, count - kept);
      CacheFirstPage.next(tree.pages, from, right);
      CacheFirstPage.previous(tree.pages, to, chunk);
      CacheFirstPage.next(tree.pages, to, next);
    } finally {
      store.unpin(from, true);
      store.unpin(to, true);
    }
    if (next != 0) {
      long at = store.pin(next);
      CacheFirstPage.previous(tree.pages, at, right);
      store.unpin(at, true);
    }
    for (int i = 0; i < count - kept; i++) {
      listIn(right, pageAt(place(right, i)));
    }
    return kept;
  }

  // ---------------------------------------------------------------- delete

  /**
   * Takes a leaf page out, gives its chunk back if that is empty, and the array with one page left.
   */
  void remove(int leafPage) {
    int chunk = chunkOf(leafPage);
    if (chunk == 0) {
      return;
    }
    int index = indexOf(chunk, leafPage);
    long at = store.pin(chunk);
    int count;
    try {
      count = count(at) - 1;
      long gap = at + CacheFirstPage.HEADER_BYTES + ((long) index << 2);
      Words.copy(tree.pages, gap + Integer.BYTES, gap, (long) (count - index) << 2);
      CacheFirstPage.count(tree.pages, at, count);
    } finally {
      store.unpin(at, true);
    }
    if (count == 0) {
      drop(chunk);
    }
    long first = place((int) tree.meta[CacheFirstStructure.FIRST_CHUNK], 0);
    if (step(first, 1) == 0) {
      listIn(0, pageAt(first));
      drop((int) tree.meta[CacheFirstStructure.FIRST_CHUNK]);
    }
  }

  private void drop(int chunk) {
    int first = tree.space.unlinkPage(chunk, (int) tree.meta[CacheFirstStructure.FIRST_CHUNK]);
    tree.meta[CacheFirstStructure.FIRST_CHUNK] = first;
    store.free(chunk);
  }

  // ---------------------------------------------------------------- bulkload

  /** Makes the array of the first {@code count} of some leaf pages. */
  void build(int[] leafPages, int count) {
    int before = 0;
    for (int done = 0; done < count; done += tree.page.chunkCapacity) {
      int chunk = tree.allocate();
      int here = Math.min(tree.page.chunkCapacity, count - done);
      long at = store.pin(chunk);
      CacheFirstPage.initialize(tree.pages, at, CacheFirstPage.CHUNK);
      for (int i = 0; i < here; i++) {
        CacheFirstPage.entry(tree.pages, at, i, leafPages[done + i]);
      }
      CacheFirstPage.count(tree.pages, at, here);
      CacheFirstPage.previous(tree.pages, at, before);
      store.unpin(at, true);
      for (int i = 0; i < here; i++) {
        listIn(chunk, leafPages[done + i]);
      }
      if (before == 0) {
        tree.meta[CacheFirstStructure.FIRST_CHUNK] = chunk;
      } else {
        long previous = store.pin(before);
        CacheFirstPage.next(tree.pages, previous, chunk);
        store.unpin(previous, true);
      }
      before = chunk;
    }
  }
}
