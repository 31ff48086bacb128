// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.bepsilon.BEpsilonTree.Geometry;
import dev.espalier.memory.PageStore;

/**
 * The buffered repository tree (Buchsbaum, Goldwasser, Venkatasubramanian and Westbrook, SODA
 * 2000): the {@link BEpsilonTree} with &epsilon; = 0, which these methods make and open. Pages have
 * up to 4 children and all the rest of the page for the buffer, which is distributed as a whole
 * when it is full. Writes that do not look are the cheapest that a tree of pages can have, and
 * lookups the most expensive: there are log(n / B) levels.
 *
 * <p>With pages of B entries, {@code set}, {@code delete} and {@link BEpsilonTree#add} cost
 * O(log(n) / B) page transfers, amortized, lookups O(log(n)). {@code put}, {@code putIfAbsent} and
 * {@code remove} return what was there, and so cost a lookup each. A single write may distribute
 * many buffers, one after the other.
 */
public final class BufferedRepositoryTree {
  /* Overview
   *
   * Structure, invariants and deviations are those of BEpsilonStructure, with two policies of its
   * own: a fanout of 4, and a full buffer is emptied.
   *
   *   D1  The paper's tree keeps several items of one key, and extracts them. This one is a map.
   *   D2  Pages become (2,4)-nodes by splits, but removal is lazy: see D4 of BEpsilonStructure.
   */

  /** This tree in the catalogue. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "BufferedRepositoryTree",
          "Buchsbaum et al. 2000",
          BufferedRepositoryTree::create,
          BufferedRepositoryTree::open,
          Capability.UPDATE_IN_PLACE,
          Capability.BLIND_WRITES);

  /** That of a (2,4)-tree. */
  private static final Geometry GEOMETRY = new Geometry(4);

  private BufferedRepositoryTree() {}

  /** Makes an empty tree with pages of 16 KiB in memory. */
  public static BEpsilonTree create(IndexOptions options) {
    return open(options, options.pagesInMemory(BEpsilonStructure.DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the tree that is in a store, or makes an empty one in an empty store.
   *
   * @param options of which the memory's do not matter: that is the store's
   * @param store belongs to the tree from now on, which closes it
   * @throws IllegalArgumentException if another kind of tree is in the store
   */
  public static BEpsilonTree open(IndexOptions options, PageStore store) {
    return new BEpsilonTree(VARIANT, FlushPolicy.WHOLE_BUFFER, options, store, GEOMETRY);
  }
}
