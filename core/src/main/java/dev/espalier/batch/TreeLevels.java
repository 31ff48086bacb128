// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A tree as seen by buffered access: levels through which many probes descend at a time. One call
 * takes all probes of a buffer down one level, so there is no call per probe.
 *
 * <p>The <i>place</i> of a probe is a number that only the tree understands: the offset of a node,
 * or the number of its page. A place is valid until {@link #changesAbove} grows.
 *
 * <p>Any number of threads may descend, as long as none changes the tree.
 */
public interface TreeLevels {

  /** Returns the number of levels, including the leaves, which are level 0. */
  int height();

  /** Returns the place of the root, which is at level {@code height() - 1}. */
  long root();

  /**
   * Returns an upper bound, exclusive, of the numbers that {@link #descend} gives to the children
   * of a node at {@code level}.
   */
  int maxChildren(int level);

  /** Returns the number of keys from which a group is faster than as many single lookups. */
  default int leastGroup() {
    return 2;
  }

  /**
   * Moves probes from nodes to the children where their keys are or belong.
   *
   * @param level level of the nodes, 1 or more
   * @param keys the keys of the probes, from index 0
   * @param places the place of each probe, replaced by that of the child
   * @param slots a number for each probe, replaced by itself times {@code maxChildren(level)} plus
   *     the number of the child; different for different children of a node
   * @param count number of probes
   */
  void descend(int level, long[] keys, long[] places, int[] slots, int count);

  /**
   * Looks up keys, starting at nodes on their paths, and prefetching in groups.
   *
   * @param level level of these nodes
   * @param keys the keys, from index {@code keysFrom}
   * @param values the places of the probes, from index {@code valuesFrom}; replaced by the values,
   *     or {@code missingValue()}
   * @param count number of probes
   * @param found if not null, bit {@code foundFrom + i} is set for each probe {@code i} whose key
   *     is present; these bits must be clear before
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
   * Returns a number that grows with every change to an inner node above {@code level}, and when a
   * root at {@code level} is removed. As long as it stays the same, so do the places of the nodes
   * at {@code level} and the keys that belong to each.
   */
  long changesAbove(int level);

  /**
   * Looks at nodes, by the view of the root, while nobody replaces one. A tree that many threads
   * may use keeps those out who would.
   */
  default <T> T whileNodesStay(Supplier<T> look) {
    return look.get();
  }

  /**
   * Returns whether nodes may have to be read from a file, so that it is better to ask for many
   * together.
   */
  default boolean readsPages() {
    return false;
  }
}
