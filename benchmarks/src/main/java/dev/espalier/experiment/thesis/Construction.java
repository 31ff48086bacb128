// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.experiment.Entries;

/** How a tree comes to its entries (thesis 4.2.1). */
enum Construction {
  /** By puts in random order. */
  INSERTED("insert") {
    @Override
    void fill(LongIndex tree, int entries) {
      for (int rank : Entries.shuffled(entries, INSERT_SHUFFLE_SEED)) {
        tree.put(Entries.key(rank), rank);
      }
    }
  },

  /** Bulkloaded, with full nodes. */
  FULL("100%") {
    @Override
    void fill(LongIndex tree, int entries) {
      bulkload(tree, entries, 1);
    }
  },

  /** Bulkloaded, with nodes two thirds full. */
  TWO_THIRDS("67%") {
    @Override
    void fill(LongIndex tree, int entries) {
      bulkload(tree, entries, 0.67);
    }
  },

  /** Bulkloaded, with half-full nodes. */
  HALF("50%") {
    @Override
    void fill(LongIndex tree, int entries) {
      bulkload(tree, entries, 0.5);
    }
  };

  private static final int INSERT_SHUFFLE_SEED = 11;

  private final String label;

  Construction(String label) {
    this.label = label;
  }

  /** Returns the construction in words. */
  String label() {
    return label;
  }

  /** Gives an empty tree {@code entries} entries. */
  abstract void fill(LongIndex tree, int entries);

  private static void bulkload(LongIndex tree, int entries, double fillFactor) {
    tree.bulkload(Entries.ascending(entries), fillFactor, entries, ProgressListener.NONE);
  }
}
