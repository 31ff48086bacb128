// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.bepsilon.BEpsilonTree.Geometry;
import dev.espalier.memory.PageStore;

/**
 * The buffered repository tree (Buchsbaum, Goldwasser, Venkatasubramanian and Westbrook, SODA
 * 2000): a {@link BEpsilonTree} with &epsilon; = 0, which the methods of this class create and
 * open. Pages have up to 4 children; the rest of a page is its buffer, which is distributed as a
 * whole when it is full. Of all trees of pages, this one has the cheapest blind writes and the most
 * expensive lookups, as it has log(n / B) levels.
 *
 * <p>With pages of B entries, {@code set}, {@code delete} and {@link BEpsilonTree#add} take
 * O(log(n) / B) page transfers amortized, and lookups O(log(n)). {@code put}, {@code putIfAbsent}
 * and {@code remove} return the previous value, so each of them also takes a lookup. A single write
 * may distribute many buffers, one after the other.
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

  /** The description of this kind of tree. */
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

  /** Creates an empty tree with pages of 16 KiB in memory. */
  public static BEpsilonTree create(IndexOptions options) {
    return open(options, options.pagesInMemory(BEpsilonStructure.DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the tree in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree
   */
  public static BEpsilonTree open(IndexOptions options, PageStore store) {
    return new BEpsilonTree(VARIANT, FlushPolicy.WHOLE_BUFFER, options, store, GEOMETRY);
  }
}
