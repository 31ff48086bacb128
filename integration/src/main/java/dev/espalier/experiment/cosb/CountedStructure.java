// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.bepsilon.BEpsilonTree;
import dev.espalier.bepsilon.BufferedRepositoryTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.cola.Cola;
import dev.espalier.cola.DeamortizedCola;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import dev.espalier.pma.CacheObliviousBTree;
import dev.espalier.pma.PackedMemoryArray;
import dev.espalier.shuttle.ShuttleTree;
import java.util.List;
import java.util.function.Supplier;

/**
 * A structure whose block transfers are counted.
 *
 * @param label what it is called in rows and checks
 * @param maker makes an empty one
 * @param formula its bounds
 * @param most what the constants in front of its bounds are to be at most, in blocks of a page
 */
record CountedStructure(
    String label, Supplier<LongIndex> maker, TransferBounds.Formula formula, TransferBounds most) {
  static final String B_TREE = "DiskOptimizedBPlusTree";
  static final String B_EPSILON = "BEpsilonTree";
  static final String COLA_2 = "2-COLA";
  static final String COLA_4 = "4-COLA";
  static final String COLA_8 = "8-COLA";
  static final String SHUTTLE = "ShuttleTree";
  static final String CACHE_OBLIVIOUS = "CacheObliviousBTree";

  /** Of the trees on pages, and of the block that their bounds are evaluated for. */
  static final int PAGE_BYTES = 4 << 10;

  private static final IndexOptions OPTIONS = IndexOptions.DEFAULT;

  /** Returns all that take updates one by one, with geometries that no machine decides on. */
  static List<CountedStructure> all() {
    BEpsilonTree.Geometry ofPages = BEpsilonTree.Geometry.forPages(PAGE_BYTES);
    return List.of(
        new CountedStructure(
            B_TREE,
            () -> DiskOptimizedBPlusTree.create(OPTIONS, PAGE_BYTES),
            TransferBounds::bTree,
            new TransferBounds(1, 1)),
        new CountedStructure(
            "PbPlusTree",
            () -> PbPlusTree.create(OPTIONS, PbPlusTree.Geometry.DEFAULT),
            TransferBounds::bTree,
            new TransferBounds(1, 1.5)),
        new CountedStructure(
            B_EPSILON,
            () -> BEpsilonTree.create(OPTIONS, PAGE_BYTES, ofPages),
            TransferBounds.ofFanout(ofPages.fanout()),
            new TransferBounds(0.5, 0.7)),
        new CountedStructure(
            "BufferedRepositoryTree",
            () -> BufferedRepositoryTree.create(OPTIONS, PAGE_BYTES),
            TransferBounds::binary,
            new TransferBounds(0.3, 3)),
        cola(COLA_2, 2, TransferBounds::binary),
        cola(COLA_4, 4, TransferBounds.ofFanout(4)),
        cola(COLA_8, 8, TransferBounds.ofFanout(8)),
        new CountedStructure(
            "DeamortizedCola",
            () -> DeamortizedCola.create(OPTIONS, PAGE_BYTES, DeamortizedCola.Geometry.DEFAULT),
            TransferBounds::withoutPointers,
            new TransferBounds(0.1, 1.5)),
        new CountedStructure(
            SHUTTLE,
            () -> ShuttleTree.create(OPTIONS),
            TransferBounds::shuttle,
            new TransferBounds(2.5, 1)),
        new CountedStructure(
            CACHE_OBLIVIOUS,
            () -> CacheObliviousBTree.create(OPTIONS),
            TransferBounds::cacheObliviousBTree,
            new TransferBounds(1, 1.5)),
        new CountedStructure(
            "PackedMemoryArray",
            () -> PackedMemoryArray.create(OPTIONS),
            TransferBounds::packedMemoryArray,
            new TransferBounds(0.5, 0.5)));
  }

  private static CountedStructure cola(String label, int growth, TransferBounds.Formula formula) {
    Cola.Geometry usual = Cola.Geometry.DEFAULT;
    Cola.Geometry geometry = new Cola.Geometry(growth, usual.pointerDensity(), usual.batch());
    return new CountedStructure(
        label,
        () -> Cola.create(OPTIONS, PAGE_BYTES, geometry),
        formula,
        new TransferBounds(0.5, 1));
  }
}
