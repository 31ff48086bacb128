// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.memory.PageStore;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Describes one kind of tree: its name, its origin, what it can do, and how to create one. {@link
 * dev.espalier.family.Family} lists all of them.
 *
 * @param name the simple name of its class
 * @param paper the paper and section the tree comes from
 * @param medium where its nodes are kept
 * @param capabilities what the tree does beyond what {@link LongIndex} requires
 * @param factory creates an empty index with the tree's default geometry
 * @param opener opens a tree in a page store, or null for trees that do not use pages
 */
public record TreeVariant(
    String name,
    String paper,
    Medium medium,
    Set<Capability> capabilities,
    Function<IndexOptions, LongIndex> factory,
    @Nullable BiFunction<IndexOptions, PageStore, LongIndex> opener) {

  /** Where nodes are kept. */
  public enum Medium {
    /** In native memory. */
    MEMORY,
    /** In the pages of a page store, which is in memory or in a file. */
    PAGES
  }

  /** What a tree does beyond what {@link LongIndex} requires. */
  public enum Capability {
    /** {@code getAll} overlaps the cache misses of many lookups. */
    BATCHED_LOOKUP,
    /** Nodes are prefetched. */
    PREFETCH,
    /** Range scans prefetch leaves through a jump-pointer array. */
    JUMP_POINTERS,
    /** {@code nextRun} returns whole leaves, or copies of several. */
    LEAF_RUNS,
    /** {@code put} and {@code remove} change the structure in place, without rebuilding it. */
    UPDATE_IN_PLACE,
    /**
     * {@code set} and {@code delete} do not look for the previous value: they leave a message that
     * the tree applies later. Since messages anywhere on the path may concern a key, a lookup must
     * start at the root, and {@link dev.espalier.batch.TreeLevels} has a single level.
     */
    BLIND_WRITES
  }

  /** Copies the set of capabilities. */
  public TreeVariant {
    capabilities = Set.copyOf(capabilities);
  }

  /** Returns the description of a tree in native memory. */
  public static TreeVariant inMemory(
      String name,
      String paper,
      Function<IndexOptions, LongIndex> factory,
      Capability... capabilities) {
    return new TreeVariant(name, paper, Medium.MEMORY, Set.of(capabilities), factory, null);
  }

  /** Returns the description of a tree in the pages of a store. */
  public static TreeVariant inPages(
      String name,
      String paper,
      Function<IndexOptions, LongIndex> factory,
      BiFunction<IndexOptions, PageStore, LongIndex> opener,
      Capability... capabilities) {
    return new TreeVariant(name, paper, Medium.PAGES, Set.of(capabilities), factory, opener);
  }

  /** Creates an empty index in memory, with the tree's default geometry. */
  public LongIndex create(IndexOptions options) {
    return factory.apply(options);
  }

  /**
   * Opens the tree in a page store, or creates an empty one if the store is empty.
   *
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree
   * @throws UnsupportedOperationException if this kind of tree does not use pages
   */
  public LongIndex open(IndexOptions options, PageStore store) {
    if (opener == null) {
      throw new UnsupportedOperationException(
          name + " can't be opened in a page store; its nodes are in memory");
    }
    return opener.apply(options, store);
  }
}
