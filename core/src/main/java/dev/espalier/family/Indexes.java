// SPDX-License-Identifier: Apache-2.0
package dev.espalier.family;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;

/**
 * Creates indexes in memory. This is where to start:
 *
 * {@snippet :
 * try (LongIndex index = Indexes.create()) {
 *   index.put(42, 4711);
 *   long value = index.get(42);
 * }
 * }
 *
 * <p>Any number of threads may read and write this index at once. {@link Workload} says which other
 * tree suits which kind of work, and what a tree for one writer gains. To choose a tree and its
 * geometry yourself, use the factories of its class, such as {@link
 * dev.espalier.bplus.PbPlusTree#create(IndexOptions, dev.espalier.bplus.PbPlusTree.Geometry)};
 * {@link Family} lists all trees. For indexes in files, use {@code Espalier} or {@code IndexStore}
 * in the module {@code dev.espalier.io}.
 */
public final class Indexes {
  private Indexes() {}

  /**
   * Creates an empty index for {@linkplain Workload#MIXED mixed work} by any number of threads,
   * with default options: a {@link ConcurrentPbPlusTree}.
   */
  public static ConcurrentLongIndex create() {
    return create(IndexOptions.DEFAULT);
  }

  /**
   * Creates an empty index for {@linkplain Workload#MIXED mixed work} by any number of threads: a
   * {@link ConcurrentPbPlusTree}.
   */
  public static ConcurrentLongIndex create(IndexOptions options) {
    return ConcurrentPbPlusTree.create(options);
  }

  /**
   * Creates an empty index of byte strings for any number of threads, with default options: a
   * {@link ConcurrentPrefixBPlusTree}.
   */
  public static BytesIndex createBytes() {
    return createBytes(IndexOptions.DEFAULT);
  }

  /**
   * Creates an empty index of byte strings for any number of threads: a {@link
   * ConcurrentPrefixBPlusTree}.
   *
   * @param options the options; their missing value is not used
   */
  public static BytesIndex createBytes(IndexOptions options) {
    return ConcurrentPrefixBPlusTree.create(options);
  }

  /**
   * Creates an empty index of the tree recommended for {@code workload}. Only that for {@link
   * Workload#MIXED} takes readers and writers at once; others do so {@linkplain
   * LongIndex#withReadWriteLock() behind a lock}.
   */
  public static LongIndex create(Workload workload, IndexOptions options) {
    return workload.variant().create(options);
  }
}
