// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import java.util.Arrays;

/**
 * The ways to have the lines of a node prefetched, which differ in how many calls of the native
 * library they take. Each has loops of its own: HotSpot keeps one profile per bytecode.
 */
enum PrefetchForm {
  /** Nothing is prefetched. */
  NONE("no prefetch") {
    @Override
    long query(KeyTree tree, long[] probes) {
      long sum = 0;
      for (long probe : probes) {
        long place = 0;
        for (int level = 0; level < tree.levels.length; level++) {
          long node = tree.levels[level] + place * tree.nodeBytes;
          int smaller = Keys.lowerBound(tree.nodes, node, tree.slots, probe);
          place = place * tree.fanOuts[level] + smaller;
        }
        sum += place;
      }
      return sum;
    }

    @Override
    long scan(KeyTree tree, long[] leaves) {
      long sum = 0;
      for (long leaf : leaves) {
        sum += sumOfKeys(tree, leaf);
      }
      return sum;
    }
  },

  /** The loop over a node's lines is in Java, and calls the library for each of them. */
  CALL_PER_LINE("one call per line") {
    @Override
    long query(KeyTree tree, long[] probes) {
      long sum = 0;
      for (long probe : probes) {
        long place = 0;
        for (int level = 0; level < tree.levels.length; level++) {
          long node = tree.levels[level] + place * tree.nodeBytes;
          prefetchLineByLine(tree, node);
          int smaller = Keys.lowerBound(tree.nodes, node, tree.slots, probe);
          place = place * tree.fanOuts[level] + smaller;
        }
        sum += place;
      }
      return sum;
    }

    @Override
    long scan(KeyTree tree, long[] leaves) {
      long sum = 0;
      for (int i = 0; i < leaves.length; i++) {
        if (i + SCAN_DISTANCE < leaves.length) {
          prefetchLineByLine(tree, leaves[i + SCAN_DISTANCE]);
        }
        sum += sumOfKeys(tree, leaves[i]);
      }
      return sum;
    }

    private void prefetchLineByLine(KeyTree tree, long node) {
      long end = tree.base + node + tree.nodeBytes;
      for (long line = tree.base + node; line < end; line += CacheLine.BYTES) {
        Words.prefetch(line, 1, Locality.T0);
      }
    }
  },

  /** The loop over a node's lines is in the library, which is called once for each node. */
  CALL_PER_NODE("one call per node") {
    @Override
    long query(KeyTree tree, long[] probes) {
      long sum = 0;
      for (long probe : probes) {
        long place = 0;
        for (int level = 0; level < tree.levels.length; level++) {
          long node = tree.levels[level] + place * tree.nodeBytes;
          Words.prefetch(tree.base + node, tree.width, Locality.T0);
          int smaller = Keys.lowerBound(tree.nodes, node, tree.slots, probe);
          place = place * tree.fanOuts[level] + smaller;
        }
        sum += place;
      }
      return sum;
    }

    @Override
    long scan(KeyTree tree, long[] leaves) {
      long sum = 0;
      for (int i = 0; i < leaves.length; i++) {
        if (i + SCAN_DISTANCE < leaves.length) {
          Words.prefetch(tree.base + leaves[i + SCAN_DISTANCE], tree.width, Locality.T0);
        }
        sum += sumOfKeys(tree, leaves[i]);
      }
      return sum;
    }
  },

  /**
   * The library is called once for a group: the nodes that as many probes come to on a level, or as
   * many leaves ahead of a scan. Misses of different probes then overlap, too.
   */
  CALL_PER_GROUP("one call per group") {
    @Override
    long query(KeyTree tree, long[] probes) {
      long[] places = new long[QUERY_GROUP];
      long[] group = new long[QUERY_GROUP];
      long sum = 0;
      for (int from = 0; from < probes.length; from += QUERY_GROUP) {
        int count = Math.min(QUERY_GROUP, probes.length - from);
        Arrays.fill(places, 0);
        for (int level = 0; level < tree.levels.length; level++) {
          for (int i = 0; i < count; i++) {
            group[i] = tree.levels[level] + places[i] * tree.nodeBytes;
          }
          Words.prefetchGroup(tree.base, group, 0, count, tree.width);
          for (int i = 0; i < count; i++) {
            int smaller = Keys.lowerBound(tree.nodes, group[i], tree.slots, probes[from + i]);
            places[i] = places[i] * tree.fanOuts[level] + smaller;
          }
        }
        for (int i = 0; i < count; i++) {
          sum += places[i];
        }
      }
      return sum;
    }

    @Override
    long scan(KeyTree tree, long[] leaves) {
      long sum = 0;
      for (int i = 0; i < leaves.length; i++) {
        int ahead = i + SCAN_DISTANCE;
        if (i % SCAN_DISTANCE == 0 && ahead < leaves.length) {
          int count = Math.min(SCAN_DISTANCE, leaves.length - ahead);
          Words.prefetchGroup(tree.base, leaves, ahead, count, tree.width);
        }
        sum += sumOfKeys(tree, leaves[i]);
      }
      return sum;
    }
  };

  /** Probes that go down together; their nodes on one level fit into the cache. */
  static final int QUERY_GROUP = 32;

  /** How many leaves a scan prefetches ahead; also the leaves of a group. */
  static final int SCAN_DISTANCE = 8;

  private final String label;

  PrefetchForm(String label) {
    this.label = label;
  }

  /** Returns the form in words. */
  String label() {
    return label;
  }

  /** Looks up all keys and returns the sum of their ranks. */
  abstract long query(KeyTree tree, long[] probes);

  /** Reads all leaves, in the order of their offsets given, and returns the sum of their keys. */
  abstract long scan(KeyTree tree, long[] leaves);

  private static long sumOfKeys(KeyTree tree, long leaf) {
    long sum = 0;
    for (int slot = 0; slot < tree.slots; slot++) {
      sum += getLong(tree.nodes, leaf + ((long) slot << 3));
    }
    return sum;
  }
}
