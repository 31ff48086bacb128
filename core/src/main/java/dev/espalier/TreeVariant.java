// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.memory.PageStore;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One tree of the family: its name, where it comes from, what it can do, and how to make one.
 * {@code dev.espalier.family.Family} has all of them.
 *
 * @param name the class's simple name
 * @param paper the paper and section the tree comes from
 * @param medium where the nodes live
 * @param capabilities what the tree does beyond the shared contract
 * @param factory makes an empty index with the tree's default geometry
 * @param opener opens the tree that is in a page store, null for trees that don't live in pages
 */
public record TreeVariant(
    String name,
    String paper,
    Medium medium,
    Set<Capability> capabilities,
    Function<IndexOptions, LongIndex> factory,
    @Nullable BiFunction<IndexOptions, PageStore, LongIndex> opener) {

  /** Where the nodes live. */
  public enum Medium {
    /** Nodes in native memory. */
    MEMORY,
    /** Nodes in pages of a page store. */
    PAGES
  }

  /** What a tree does beyond the shared contract, or does itself rather than by a loop. */
  public enum Capability {
    /** {@code getAll} overlaps the cache misses of many probes. */
    BATCHED_LOOKUP,
    /** Nodes are prefetched. */
    PREFETCH,
    /** Range scans prefetch leaves through a jump-pointer array. */
    JUMP_POINTERS,
    /** {@code nextRun} hands out whole leaves. */
    LEAF_RUNS,
    /** {@code put} and {@code remove} change the structure in place, without rebuilding it. */
    UPDATE_IN_PLACE,
    /**
     * {@code set} and {@code delete} don't look for what was there: they leave a message that the
     * tree takes on later. As messages on the way decide what becomes of a key, a probe is answered
     * from the root alone, and {@link dev.espalier.batch.TreeLevels} has one level.
     */
    BLIND_WRITES
  }

  /** Copies the set of capabilities. */
  public TreeVariant {
    capabilities = Set.copyOf(capabilities);
  }

  /** Describes a tree that lives in native memory. */
  public static TreeVariant inMemory(
      String name,
      String paper,
      Function<IndexOptions, LongIndex> factory,
      Capability... capabilities) {
    return new TreeVariant(name, paper, Medium.MEMORY, Set.of(capabilities), factory, null);
  }

  /** Describes a tree that lives in the pages of a store. */
  public static TreeVariant inPages(
      String name,
      String paper,
      Function<IndexOptions, LongIndex> factory,
      BiFunction<IndexOptions, PageStore, LongIndex> opener,
      Capability... capabilities) {
    return new TreeVariant(name, paper, Medium.PAGES, Set.of(capabilities), factory, opener);
  }

  /** Makes an empty index with the tree's default geometry. */
  public LongIndex create(IndexOptions options) {
    return factory.apply(options);
  }

  /**
   * Opens the tree that is in a page store, or makes an empty one in an empty store.
   *
   * @param store belongs to the tree from now on, which closes it
   * @throws IllegalArgumentException if another kind of tree is in the store
   * @throws UnsupportedOperationException if this tree does not live in pages
   */
  public LongIndex open(IndexOptions options, PageStore store) {
    if (opener == null) {
      throw new UnsupportedOperationException(name + " does not live in pages");
    }
    return opener.apply(options, store);
  }
}
