// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import dev.espalier.memory.PageStore;
import dev.espalier.support.ChangeCount;

/**
 * A change to a tree in a page store: what its writer needs beside the tree. It begins, and then is
 * committed or abandoned; one that turns out to have nothing to change needs no end. A tree has one
 * change, for one writer at a time.
 */
public class StoreChange {
  /** Most pages that are kept for splits: those of the path, a new root, and two more leaves. */
  private static final int MOST_SPARES = StoreTree.MAX_HEIGHT + 4;

  private final StoreTree tree;
  private final PageStore store;
  private final ChangeCount modifications;
  private final long[] meta;

  /** For each level, the page or node on the way to the key that is about to be changed. */
  public final int[] path = new int[StoreTree.MAX_HEIGHT];

  private final int[] spares = new int[MOST_SPARES];
  private int spareCount;

  /** Makes the change of a tree. */
  public StoreChange(StoreTree tree) {
    this.tree = tree;
    this.store = tree.store;
    this.modifications = tree.modifications;
    this.meta = tree.meta;
  }

  /**
   * Begins a change, before anything is changed.
   *
   * @throws IllegalStateException if the store takes no changes: it is closed, for reading only, or
   *     has failed
   */
  public final void begin() {
    store.beforeChange();
  }

  /**
   * Allocates pages that the change may need, all of them or none.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room; nothing has changed then
   */
  public final void reserve(int count) {
    try {
      for (spareCount = 0; spareCount < count; spareCount++) {
        spares[spareCount] = tree.allocate();
      }
    } catch (RuntimeException refused) {
      freeSpares();
      throw refused;
    }
  }

  /** Returns one of the reserved pages, which is the change's to use. */
  public final int spare() {
    return spares[--spareCount];
  }

  /** Gives back the reserved pages that were not used. */
  public final void freeSpares() {
    while (spareCount > 0) {
      store.free(spares[--spareCount]);
    }
  }

  /**
   * Ends a change after which cursors may find their entries elsewhere.
   *
   * @param grown entries more, if it is known how many there were
   */
  public final void commit(long grown) {
    if (meta[StoreTree.SIZE] >= 0) {
      meta[StoreTree.SIZE] += grown;
    }
    modifications.changes++;
  }

  /** Ends a change of a value in place, which only those cursors need to know that have a copy. */
  public final void commitInPlace() {
    if (tree.cursorsCopy) {
      modifications.changes++;
    }
  }

  /** Ends a change that was refused: the entries are what they were, though not where they were. */
  public final void abandon() {
    modifications.changes++;
  }

  /** Ends a change that has failed halfway, so that the pages are no tree any more. */
  public final void abandon(Throwable cause) {
    modifications.changes++;
    store.leftHalfway(cause);
  }
}
