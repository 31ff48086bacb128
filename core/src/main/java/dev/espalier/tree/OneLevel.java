// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import dev.espalier.batch.TreeLevels;

/**
 * A tree to buffered access where probes can't wait on their way: what becomes of a key is decided
 * by messages in several places, or a node by several pages, so a probe is answered from the root
 * alone, the only place there is.
 */
public abstract class OneLevel implements TreeLevels {

  /** Throws {@link IllegalStateException} if the index is closed. */
  protected abstract void checkOpen();

  /** Returns how often all of the tree was replaced. */
  protected abstract long replacements();

  @Override
  public final int height() {
    return 1;
  }

  @Override
  public final long root() {
    checkOpen();
    return 0;
  }

  @Override
  public final int maxChildren(int level) {
    throw noSuchLevel(level);
  }

  @Override
  public final void descend(int level, long[] keys, long[] places, int[] slots, int count) {
    throw noSuchLevel(level);
  }

  private static IllegalArgumentException noSuchLevel(int level) {
    return new IllegalArgumentException("level is " + level + ", but probes wait at the root only");
  }

  @Override
  public final long changesAbove(int level) {
    return replacements();
  }
}
