// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import java.util.function.Supplier;

/** A {@link OneLevel} of a tree in a page store. */
public abstract class OneStoreLevel extends OneLevel {
  private final StoreTree whole;

  /** Makes the level of a tree. */
  protected OneStoreLevel(StoreTree tree) {
    this.whole = tree;
  }

  @Override
  protected final void checkOpen() {
    whole.checkOpen();
  }

  @Override
  protected final long replacements() {
    return whole.levelChanges.above(0);
  }

  @Override
  public final <T> T whileNodesStay(Supplier<T> look) {
    return whole.whileNodesStay(look);
  }

  @Override
  public final boolean readsPages() {
    return !whole.store.pagesStay();
  }
}
