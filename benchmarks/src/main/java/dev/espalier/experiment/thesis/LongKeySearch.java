// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

/** How the keys of a node of a {@link LongKeyTree} are searched. */
enum LongKeySearch {
  /** Key by key, up to the first that is above. */
  LINEAR("linear") {
    @Override
    int notAbove(LongKeyTree tree, long node, long[] key, KeyComparison comparison) {
      int count = tree.count(node);
      int slot = 0;
      while (slot < count && !comparison.isAbove(tree.nodes, tree.keyAt(node, slot), key)) {
        slot++;
      }
      return slot;
    }
  },

  /** Halves the keys. */
  BINARY("binary") {
    @Override
    int notAbove(LongKeyTree tree, long node, long[] key, KeyComparison comparison) {
      int low = 0;
      int high = tree.count(node);
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (comparison.isAbove(tree.nodes, tree.keyAt(node, middle), key)) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }
  };

  private final String label;

  LongKeySearch(String label) {
    this.label = label;
  }

  /** Returns the search in words. */
  String label() {
    return label;
  }

  /** Returns how many keys of a node are not above one. */
  abstract int notAbove(LongKeyTree tree, long node, long[] key, KeyComparison comparison);
}
