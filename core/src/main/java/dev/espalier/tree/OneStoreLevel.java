// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

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
  public final boolean readsPages() {
    return !whole.store.pagesStay();
  }
}
