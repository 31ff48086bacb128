// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.batch.TreeLevels;
import dev.espalier.node.Bits;
import dev.espalier.support.GroupPins;
import org.jspecify.annotations.Nullable;

/**
 * The levels of one of the trees whose nodes are pages, but for the searches, which are the trees'
 * own. A place is the number of a page.
 */
abstract class PagedLevels implements TreeLevels {
  private final PagedStructure tree;
  private final int group;

  /**
   * Makes the levels of a tree.
   *
   * @param group the most probes that are answered together, if there is room for so many pins
   */
  PagedLevels(PagedStructure tree, int group) {
    this.tree = tree;
    this.group = group;
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
    return !tree.store.pagesStay();
  }

  /** Pins a page once for all neighbours among the probes that are there. */
  @Override
  public final void descend(int level, long[] keys, long[] places, int[] slots, int count) {
    for (int from = 0, to; from < count; from = to) {
      long number = places[from];
      to = from + 1;
      while (to < count && places[to] == number) {
        to++;
      }
      long page = tree.store.pin((int) number);
      try {
        divide(level, page, (int) number, keys, places, slots, from, to);
      } finally {
        tree.store.unpin(page, false);
      }
    }
  }

  /** As {@link #descend}, for the probes {@code from} to {@code to - 1}, all at one page. */
  abstract void divide(
      int level, long page, int number, long[] keys, long[] places, int[] slots, int from, int to);

  @Override
  public final void answer(
      int level,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found,
      int foundFrom) {
    int most = Math.min(group, tree.store.mostPins());
    GroupPins pins = new GroupPins(tree.store, Math.min(most, count));
    try {
      for (int done = 0; done < count; done += most) {
        int some = Math.min(most, count - done);
        long there =
            answerGroup(level, keys, keysFrom + done, values, valuesFrom + done, some, pins);
        Bits.addGroup(found, foundFrom + done, there);
      }
    } finally {
      pins.unpinAll();
    }
  }

  /**
   * As {@link #answer}, for at most 64 probes, of which each may pin a page.
   *
   * @param pins no pins; those that are left are given back
   * @return the keys that are there, as a bit set
   */
  abstract long answerGroup(
      int level,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      GroupPins pins);
}
