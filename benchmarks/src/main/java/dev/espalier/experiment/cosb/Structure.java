// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.TreeVariant;
import dev.espalier.bepsilon.BEpsilonTree;
import dev.espalier.bepsilon.BufferedRepositoryTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.cola.Cola;
import dev.espalier.cola.DeamortizedCola;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import dev.espalier.pma.CacheObliviousBTree;
import dev.espalier.pma.PackedMemoryArray;
import dev.espalier.shuttle.ShuttleTree;

/** What is compared: a tree, with its proportions. */
enum Structure {
  /** The tree that everything in memory is held against. */
  PB_PLUS_TREE(PbPlusTree.VARIANT),
  /** The tree that everything in files is held against. */
  B_PLUS_TREE(DiskOptimizedBPlusTree.VARIANT),
  COLA_2("2-COLA", cola(2)),
  /** The growth that the authors chose, and this library's default. */
  COLA_4("4-COLA", cola(4)),
  COLA_8("8-COLA", cola(8)),
  DEAMORTIZED_COLA(DeamortizedCola.VARIANT),
  B_EPSILON_TREE(BEpsilonTree.VARIANT),
  BUFFERED_REPOSITORY_TREE(BufferedRepositoryTree.VARIANT),
  SHUTTLE_TREE(ShuttleTree.VARIANT),
  CACHE_OBLIVIOUS_B_TREE(CacheObliviousBTree.VARIANT),
  PACKED_MEMORY_ARRAY(PackedMemoryArray.VARIANT);

  private final String label;

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts and of lambdas that change nothing
  private final TreeVariant tree;

  Structure(TreeVariant tree) {
    this(tree.name(), tree);
  }

  Structure(String label, TreeVariant tree) {
    this.label = label;
    this.tree = tree;
  }

  /** Returns the COLA of a growth, the rest of it as by default. */
  private static TreeVariant cola(int growth) {
    Cola.Geometry usual = Cola.Geometry.DEFAULT;
    Cola.Geometry geometry = new Cola.Geometry(growth, usual.pointerDensity(), usual.batch());
    TreeVariant variant = Cola.VARIANT;
    return new TreeVariant(
        variant.name(),
        variant.paper(),
        variant.medium(),
        variant.capabilities(),
        options -> Cola.open(options, options.pagesInMemory(8 << 10), geometry),
        (options, store) -> Cola.open(options, store, geometry));
  }

  /** Returns what rows and checks call it. */
  String label() {
    return label;
  }

  /** Returns how it is made and opened. */
  TreeVariant tree() {
    return tree;
  }
}
