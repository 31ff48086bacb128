// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import java.util.Arrays;
import java.util.List;

/**
 * The ways to search the keys of a node. Each has a loop of its own: HotSpot keeps one profile per
 * bytecode.
 */
enum SearchForm {
  /** Compares every key. */
  LINEAR("linear") {
    @Override
    long query(KeyTree tree, long[] probes) {
      long sum = 0;
      for (long probe : probes) {
        long place = 0;
        for (int level = 0; level < tree.levels.length; level++) {
          long node = fetched(tree, tree.levels[level] + place * tree.nodeBytes);
          int smaller = Keys.lowerBoundLinear(tree.nodes, node, tree.slots, probe);
          place = place * tree.fanOuts[level] + smaller;
        }
        sum += place;
      }
      return sum;
    }
  },

  /** Halves the keys. */
  BINARY("binary") {
    @Override
    long query(KeyTree tree, long[] probes) {
      long sum = 0;
      for (long probe : probes) {
        long place = 0;
        for (int level = 0; level < tree.levels.length; level++) {
          long node = fetched(tree, tree.levels[level] + place * tree.nodeBytes);
          int smaller = Keys.lowerBoundBinary(tree.nodes, node, tree.slots, probe);
          place = place * tree.fanOuts[level] + smaller;
        }
        sum += place;
      }
      return sum;
    }
  },

  /** Compares one key of each line, then the keys of one line. */
  BY_LINE("line, then key") {
    @Override
    long query(KeyTree tree, long[] probes) {
      long sum = 0;
      for (long probe : probes) {
        long place = 0;
        for (int level = 0; level < tree.levels.length; level++) {
          long node = fetched(tree, tree.levels[level] + place * tree.nodeBytes);
          int smaller = Keys.lowerBoundByLine(tree.nodes, node, tree.slots, probe);
          place = place * tree.fanOuts[level] + smaller;
        }
        sum += place;
      }
      return sum;
    }
  },

  /** Compares every key, a vector at a time. */
  SIMD("SIMD") {
    @Override
    long query(KeyTree tree, long[] probes) {
      long sum = 0;
      for (long probe : probes) {
        long place = 0;
        for (int level = 0; level < tree.levels.length; level++) {
          long node = fetched(tree, tree.levels[level] + place * tree.nodeBytes);
          int smaller = Keys.lowerBound(tree.nodes, node, tree.slots, probe);
          place = place * tree.fanOuts[level] + smaller;
        }
        sum += place;
      }
      return sum;
    }
  };

  private final String label;

  SearchForm(String label) {
    this.label = label;
  }

  /** Returns the forms there are here: SIMD only where {@link Keys} uses it. */
  static List<SearchForm> available() {
    return Arrays.stream(values()).filter(form -> form != SIMD || Keys.SIMD).toList();
  }

  /** Returns the form in words. */
  String label() {
    return label;
  }

  /** Looks up all keys and returns the sum of their ranks. */
  abstract long query(KeyTree tree, long[] probes);

  /** Prefetches all lines of a node, as the thesis does before each search; returns the node. */
  private static long fetched(KeyTree tree, long node) {
    Words.prefetch(tree.base + node, tree.width, Locality.T0);
    return node;
  }
}
