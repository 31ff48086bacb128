// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.support.LineClaims;

/**
 * Is told which leaves a structure has, as they come and go: what keeps a list of them outside the
 * tree. It may keep a word of its own in each leaf, the hint.
 */
public interface LeafListener {
  /** Listens to nothing, for trees in which all is found through the inner nodes. */
  LeafListener NONE = new LeafListener() {};

  /** The memory was empty, and {@code leaf} is the tree's only node. */
  default void planted(long leaf) {}

  /** A bulkload begins, with {@code leaf} as the tree's only node. */
  default void loading(long leaf) {}

  /** A bulkload has added {@code leaf} after {@code last}. */
  default void loaded(long last, long leaf) {}

  /**
   * {@code left} is about to be split. What the listener needs for that it allocates now.
   *
   * @throws MemoryLimitException if there is no memory for it; nothing has changed then
   */
  default void splitting(long left) {}

  /** The split announced last is not made, for want of memory. */
  default void notSplit() {}

  /** {@code left} was split, and {@code right} has its upper part. */
  default void split(long left, long right) {}

  /** The entries of {@code right} have moved to {@code left}, and {@code right} is freed next. */
  default void merged(long left, long right) {}

  /**
   * Begins a check of the listener's own invariants, along with one of the tree.
   *
   * @param claims where it claims the memory that it has allocated
   */
  default Inspection inspect(LineClaims claims) {
    return new Inspection() {};
  }

  /** A check of a listener, which follows the leaves in order of keys. */
  interface Inspection {
    /** Goes on to the next leaf. */
    default void visit(long leaf) {}

    /** Ends after the last leaf. */
    default void end() {}
  }
}
