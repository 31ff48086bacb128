// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.LongIndex;

/** How an empty index comes by its entries. */
enum Filling {
  /** Blind writes in random order. */
  SET("set, random", KeyOrder.RANDOM) {
    @Override
    void fill(NumberedEntries entries, LongIndex index) {
      entries.set(index);
    }
  },

  /** Writes that look for what was there, in random order. */
  PUT("put, random", KeyOrder.RANDOM) {
    @Override
    void fill(NumberedEntries entries, LongIndex index) {
      entries.put(index);
    }
  },

  /** All at once, in ascending order. */
  BULKLOAD("bulkload", KeyOrder.ASCENDING) {
    @Override
    void fill(NumberedEntries entries, LongIndex index) {
      entries.bulkload(index);
    }
  };

  private final String label;
  private final KeyOrder order;

  Filling(String label, KeyOrder order) {
    this.label = label;
    this.order = order;
  }

  String label() {
    return label;
  }

  /** Returns so many entries to fill an index with. */
  NumberedEntries entries(int count) {
    return new NumberedEntries(order, count);
  }

  /** Fills an empty index with {@link #entries}. */
  abstract void fill(NumberedEntries entries, LongIndex index);
}
