// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.batch.TreeLevels;

/** The levels of one of this package's trees, but for the searches, which are the trees' own. */
public abstract class BPlusLevels implements TreeLevels {
  private final BPlusStructure tree;

  public BPlusLevels(BPlusStructure tree) {
    this.tree = tree;
  }

  @Override
  public final int height() {
    return tree.height;
  }

  @Override
  public final long root() {
    tree.checkOpen();
    return tree.root;
  }

  /** A torn node may have no padding, and then its last slot is one more than its capacity. */
  @Override
  public final int maxChildren(int level) {
    return tree.inner.keySlots + 1;
  }

  @Override
  public final long changesAbove(int level) {
    return tree.levelChanges.above(level);
  }
}
