// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.batch.TreeLevels;

/**
 * The levels of one of the trees whose nodes are pages, but for the searches, which are the trees'
 * own. A place is the number of a page.
 */
abstract class PagedLevels implements TreeLevels {
  private final PagedStructure tree;

  PagedLevels(PagedStructure tree) {
    this.tree = tree;
  }

  @Override
  public final int height() {
    return tree.height();
  }

  @Override
  public final long root() {
    tree.checkOpen();
    return tree.root();
  }

  @Override
  public final long changesAbove(int level) {
    return tree.levelChanges.above(level);
  }

  @Override
  public final boolean readsPages() {
    return !tree.store.keepsPlaces();
  }
}
