// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bplus.BPlusTree;
import dev.espalier.csbplus.CsbPlusTree;
import dev.espalier.experiment.Entries;

/** The indexes of the paper's table 2. */
enum PaperIndex {
  /** Nodes of 4 KB. */
  B_PLUS_TREE("BPlusTree"),

  /**
   * Nodes of 128 bytes: those of table 2, and by their 5 entries in a leaf and 11 keys in an inner
   * node also those of the paper's 64 bytes, whose keys are half as wide (6.2).
   */
  CSB_PLUS_TREE("CsbPlusTree"),

  /** Nodes of 4 KB, a fifth as many rectangles as there are keys in the other trees. */
  R_TREE("RTree");

  /** All trees are bulkloaded so. */
  static final double FILL_FACTOR = 0.75;

  /** 4 KB. */
  static final int WIDE_LINES = 64;

  private static final int NARROW_LINES = 2;

  private final String label;

  PaperIndex(String label) {
    this.label = label;
  }

  /**
   * Builds it.
   *
   * @param keys entries of the trees of keys
   * @param probes of these trees
   * @param placement chooses virtual nodes where a setting leaves them open
   */
  BuiltIndex build(int keys, ProbeKeys probes, Placement placement) {
    return this == R_TREE
        ? BuiltRTree.of(keys)
        : new BuiltTree(bulkloaded(keys), probes, keys, placement);
  }

  /** Returns a tree of keys, bulkloaded. */
  LongIndex bulkloaded(int keys) {
    LongIndex index = empty();
    try {
      index.bulkload(Entries.ascending(keys), FILL_FACTOR, keys, ProgressListener.NONE);
    } catch (RuntimeException | Error failed) {
      index.close();
      throw failed;
    }
    return index;
  }

  private LongIndex empty() {
    return switch (this) {
      case B_PLUS_TREE -> BPlusTree.create(IndexOptions.DEFAULT, WIDE_LINES);
      case CSB_PLUS_TREE ->
          CsbPlusTree.create(
              IndexOptions.DEFAULT, new CsbPlusTree.Geometry(NARROW_LINES, NARROW_LINES, 1, 0));
      case R_TREE -> throw new IllegalStateException("an R-tree has no keys");
    };
  }

  @Override
  public String toString() {
    return label;
  }
}
