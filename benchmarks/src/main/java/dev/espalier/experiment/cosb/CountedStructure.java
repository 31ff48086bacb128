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
 */
record CountedStructure(Structure structure, TransferBounds.Formula formula) {

  /**
   * What the constants in front of all bounds are to be at most. A search: 2, as nodes may be half
   * empty. An insert: 3, as a block comes in and goes out, and one that is about to be overwritten
   * is read before as well.
   */
  static final TransferBounds MOST = new TransferBounds(2, 3);

  /** Of the trees on pages, and of the block that their bounds are evaluated for. */
  static final int PAGE_BYTES = 4 << 10;

  private static final int FANOUT = BEpsilonTree.Geometry.forPages(PAGE_BYTES).fanout();

  /** Returns all that take updates one by one. */
  static List<CountedStructure> all() {
    return List.of(
        new CountedStructure(Structure.B_PLUS_TREE, TransferBounds::bTree),
        new CountedStructure(Structure.PB_PLUS_TREE, TransferBounds::bTree),
        new CountedStructure(Structure.B_EPSILON_TREE, TransferBounds.ofFanout(FANOUT)),
        new CountedStructure(Structure.BUFFERED_REPOSITORY_TREE, TransferBounds::binary),
        new CountedStructure(Structure.COLA_2, TransferBounds::binary),
        new CountedStructure(Structure.COLA_4, TransferBounds.ofFanout(4)),
        new CountedStructure(Structure.COLA_8, TransferBounds.ofFanout(8)),
        new CountedStructure(Structure.DEAMORTIZED_COLA, TransferBounds::withoutPointers),
        new CountedStructure(Structure.SHUTTLE_TREE, TransferBounds::shuttle),
        new CountedStructure(Structure.CACHE_OBLIVIOUS_B_TREE, TransferBounds::cacheObliviousBTree),
        new CountedStructure(Structure.PACKED_MEMORY_ARRAY, TransferBounds::packedMemoryArray));
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
