// SPDX-License-Identifier: Apache-2.0
package dev.espalier.family;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;

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
 * <p>{@link Workload} says which tree suits which kind of work. To choose a tree and its geometry
 * yourself, use the factories of its class, such as {@link
 * dev.espalier.bplus.PbPlusTree#create(IndexOptions, dev.espalier.bplus.PbPlusTree.Geometry)};
 * {@link Family} lists all trees. For indexes in files, use {@code Espalier} or {@code IndexStore}
 * in the module {@code dev.espalier.io}.
 */
public final class Indexes {
  private Indexes() {}

  /** Creates an empty index for {@linkplain Workload#MIXED mixed work}, with default options. */
  public static LongIndex create() {
    return create(IndexOptions.DEFAULT);
  }

  /** Creates an empty index for {@linkplain Workload#MIXED mixed work}. */
  public static LongIndex create(IndexOptions options) {
    return create(Workload.MIXED, options);
  }

  /** Creates an empty index of the tree recommended for {@code workload}. */
  public static LongIndex create(Workload workload, IndexOptions options) {
    return workload.variant().create(options);
  }
}
