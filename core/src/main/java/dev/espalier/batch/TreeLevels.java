// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import org.jspecify.annotations.Nullable;

/**
 * A tree as buffered access sees it: levels, through which probes go down many at a time. One call
 * takes the probes of a whole buffer one level further, so there is no call per probe.
 *
 * <p>Where a probe is, its <i>place</i>, is a number that only the tree understands: the offset of
 * a node, or the number of its page. A place is good until {@link #changesAbove} grows.
 *
 * <p>For one thread, as the tree's own methods that it stands for: any number of threads may
 * descend while none changes the tree.
 */
public interface TreeLevels {

  /** Returns the number of levels, leaves included. Level 0 are the leaves. */
  int height();

  /** Returns the place of the root, which is at level {@code height() - 1}. */
  long root();

  /** Returns a bound of the numbers that {@link #descend} gives to the children of one node. */
  int maxChildren(int level);

  /**
   * Takes probes to the children where their keys are or belong.
   *
   * @param level of the nodes they are at, 1 or more
   * @param keys of the probes, from 0 on
   * @param places for each probe its place, which becomes that of the child
   * @param slots for each probe a number, which is multiplied by {@code maxChildren(level)} and
   *     then grows by the number of the child: different for different children of one node
   */
  void descend(int level, long[] keys, long[] places, int[] slots, int count);

  /**
   * Looks up keys from nodes on to which they lead, prefetching in groups.
   *
   * @param level of these nodes
   * @param values holds the probes' places, which become the values, or {@code missingValue()}
   * @param found takes bit {@code foundFrom + i} for each probe {@code i} whose key is there, if it
   *     is not null; all of these bits are clear before
   */
  void answer(
      int level,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found,
      int foundFrom);

  /**
   * Returns a number that grows with every change to an inner node above {@code level}, and when
   * the root is at {@code level} and goes. While it stays the same, so do the places of the nodes
   * at {@code level}, and which keys belong there.
   */
  long changesAbove(int level);

  /** Tells whether nodes may have to be read from a file, and so are better asked for together. */
  default boolean readsPages() {
    return false;
  }
}
