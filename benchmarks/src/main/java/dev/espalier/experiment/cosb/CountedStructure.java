// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant.Medium;
import dev.espalier.bepsilon.BEpsilonTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.util.List;

/**
 * A structure whose block transfers are counted.
 *
 * @param structure what it is
 * @param formula its bounds
 * @param most what the constants in front of its bounds are to be at most, in blocks of a page
 */
record CountedStructure(Structure structure, TransferBounds.Formula formula, TransferBounds most) {

  /** Of the trees on pages, and of the block that their bounds are evaluated for. */
  static final int PAGE_BYTES = 4 << 10;

  private static final int FANOUT = BEpsilonTree.Geometry.forPages(PAGE_BYTES).fanout();

  /** Returns all that take updates one by one. */
  static List<CountedStructure> all() {
    return List.of(
        counted(Structure.B_PLUS_TREE, TransferBounds::bTree, 1, 1),
        counted(Structure.PB_PLUS_TREE, TransferBounds::bTree, 1, 1.5),
        counted(Structure.B_EPSILON_TREE, TransferBounds.ofFanout(FANOUT), 0.5, 0.7),
        counted(Structure.BUFFERED_REPOSITORY_TREE, TransferBounds::binary, 0.3, 3),
        counted(Structure.COLA_2, TransferBounds::binary, 0.5, 1),
        counted(Structure.COLA_4, TransferBounds.ofFanout(4), 0.5, 1),
        counted(Structure.COLA_8, TransferBounds.ofFanout(8), 0.5, 1),
        counted(Structure.DEAMORTIZED_COLA, TransferBounds::withoutPointers, 0.1, 1.5),
        counted(Structure.SHUTTLE_TREE, TransferBounds::shuttle, 2.5, 1),
        counted(Structure.CACHE_OBLIVIOUS_B_TREE, TransferBounds::cacheObliviousBTree, 1, 1.5),
        counted(Structure.PACKED_MEMORY_ARRAY, TransferBounds::packedMemoryArray, 0.5, 0.5));
  }

  private static CountedStructure counted(
      Structure structure, TransferBounds.Formula formula, double mostSearch, double mostInsert) {
    return new CountedStructure(structure, formula, new TransferBounds(mostSearch, mostInsert));
  }

  /** Returns what it is called in rows and checks. */
  String label() {
    return structure.label();
  }

  /** Makes an empty one, with a geometry that no machine decides on. */
  LongIndex create() {
    IndexOptions options = IndexOptions.DEFAULT;
    if (structure == Structure.PB_PLUS_TREE) {
      return PbPlusTree.create(options, PbPlusTree.Geometry.DEFAULT);
    }
    return structure.tree().medium() == Medium.PAGES
        ? structure
            .tree()
            .open(
                options,
                new MemoryPageStore(PAGE_BYTES, options.memoryLimit(), HugePages.WHEN_GROWN))
        : structure.tree().create(options);
  }
}
