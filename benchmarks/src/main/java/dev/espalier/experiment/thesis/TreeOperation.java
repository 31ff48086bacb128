// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Sums;

/** What is measured on a tree (thesis 4.2.2). */
enum TreeOperation {
  /** Lookups of shuffled keys that are there. */
  QUERY("query", "query") {
    @Override
    long run(LongIndex tree, long[] probes) {
      long sum = 0;
      for (long probe : probes) {
        sum += tree.get(probe);
      }
      return sum;
    }

    @Override
    long operations(int entries, long[] probes) {
      return probes.length;
    }

    @Override
    long answer(int entries, long[] probes) {
      return Entries.sumOfRanks(probes);
    }
  },

  /** A visit of all entries, in order of keys. */
  SCAN("scan", "entry") {
    @Override
    long run(LongIndex tree, long[] probes) {
      return Sums.ofEntries(tree);
    }

    @Override
    long operations(int entries, long[] probes) {
      return entries;
    }

    @Override
    long answer(int entries, long[] probes) {
      return Entries.sumOfKeys(entries) + Entries.sumOfValues(entries);
    }
  };

  private final String label;
  private final String unit;

  TreeOperation(String label, String unit) {
    this.label = label;
    this.unit = unit;
  }

  /** Returns the operation in words. */
  String label() {
    return label;
  }

  /** Returns what times are given for: one of these. */
  String unit() {
    return unit;
  }

  /** Does the work and returns the sum of all that was read. */
  abstract long run(LongIndex tree, long[] probes);

  /** Returns how many units one run is. */
  abstract long operations(int entries, long[] probes);

  /** Returns what a run is to answer. */
  abstract long answer(int entries, long[] probes);
}
