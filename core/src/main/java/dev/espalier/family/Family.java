// SPDX-License-Identifier: Apache-2.0
package dev.espalier.family;

import dev.espalier.TreeVariant;
import dev.espalier.bepsilon.BEpsilonTree;
import dev.espalier.bepsilon.BufferedRepositoryTree;
import dev.espalier.bftl.BftlTree;
import dev.espalier.blink.BLinkTree;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.bplus.BPlusTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.cachefirst.CacheFirstFpbPlusTree;
import dev.espalier.cola.Cola;
import dev.espalier.cola.DeamortizedCola;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.csbplus.CsbPlusTree;
import dev.espalier.css.CssTree;
import dev.espalier.css.DigestCssTree;
import dev.espalier.fdtree.FdTree;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import dev.espalier.paged.MicroIndexBPlusTree;
import dev.espalier.pio.PioBTree;
import dev.espalier.pma.CacheObliviousBTree;
import dev.espalier.pma.PackedMemoryArray;
import dev.espalier.shuttle.ShuttleTree;
import dev.espalier.ttree.TTree;
import java.util.List;

/**
 * The list of all trees, which tests, benchmarks, the command line and the documentation iterate
 * over.
 */
public final class Family {
  private static final List<TreeVariant> ALL =
      List.of(
          BPlusTree.VARIANT,
          PbPlusTree.VARIANT,
          ConcurrentPbPlusTree.VARIANT,
          TTree.VARIANT,
          CssTree.VARIANT,
          DigestCssTree.VARIANT,
          CsbPlusTree.VARIANT,
          DiskOptimizedBPlusTree.VARIANT,
          MicroIndexBPlusTree.VARIANT,
          DiskFirstFpbPlusTree.VARIANT,
          CacheFirstFpbPlusTree.VARIANT,
          Cola.VARIANT,
          PackedMemoryArray.VARIANT,
          CacheObliviousBTree.VARIANT,
          BEpsilonTree.VARIANT,
          BufferedRepositoryTree.VARIANT,
          ShuttleTree.VARIANT,
          DeamortizedCola.VARIANT,
          PioBTree.VARIANT,
          FdTree.VARIANT,
          BLinkTree.VARIANT,
          FpbLinkTree.VARIANT,
          BftlTree.VARIANT);

  private Family() {}

  /** Returns all trees, each after the one it builds on. */
  public static List<TreeVariant> all() {
    return ALL;
  }

  /**
   * Returns the tree with the given name, ignoring case.
   *
   * @throws IllegalArgumentException if there is none; the message lists all names
   */
  public static TreeVariant named(String name) {
    for (TreeVariant variant : ALL) {
      if (variant.name().equalsIgnoreCase(name)) {
        return variant;
      }
    }
    throw new IllegalArgumentException(
        "no tree is named '"
            + name
            + "'; there are "
            + ALL.stream().map(TreeVariant::name).toList());
  }
}
