// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.NodeParts;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Sums;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.NodeMemory;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A pB+-tree whose keys have several words, bulkloaded and then only read: what of one the
 * experiments with longer keys need. All keys begin with the same words and differ in their last,
 * so that every comparison goes to the end. Leaves lie one after the other, so that a scan computes
 * where they are ({@link LongKeyScan}).
 *
 * <pre>
 *  0       8                   8 + 8 words capacity
 *  | count | keys, words each  | values, or children; a child has the keys from its own on |
 * </pre>
 */
final class LongKeyTree implements AutoCloseable {
  /** The first words of every key. */
  static final long SHARED = 0x6573_7061_6C69_6572L;

  /** As few keys as a node has room for. */
  private static final int LEAST_CAPACITY = 2;

  /** Most keys of a node. */
  final int capacity;

  /** How many leaves there are. */
  final int leafCount;

  /** Memory of all nodes. */
  final MemorySegment nodes;

  private final int words;
  private final int width;
  private final NodeMemory memory = new NodeMemory(Long.MAX_VALUE, HugePages.WHEN_GROWN);
  private final long firstLeaf;
  private final long root;
  private int height = 1;

  /**
   * Makes a tree of all {@link Entries}.
   *
   * @param words of a key
   * @param width of all nodes, in cache lines
   * @param fill how full the nodes are, from 0 to 1; but an inner node has two children at least,
   *     and a leaf one entry
   */
  LongKeyTree(int words, int width, double fill, int entries) {
    this.words = words;
    this.width = width;
    capacity = (width * CacheLine.LONGS - 1) / (words + 1);
    if (width < leastWidth(words)) {
      throw new IllegalArgumentException(
          width + " lines have no room for two keys of " + words + " words");
    }
    int perNode = (int) (fill * capacity);
    long[] lasts = new long[entries];
    long[] below = new long[entries];
    Arrays.setAll(lasts, Entries::key);
    Arrays.setAll(below, rank -> rank);
    long[][] level = level(lasts, below, Math.max(1, perNode));
    leafCount = level[1].length;
    firstLeaf = level[1][0];
    while (level[1].length > 1) {
      level = level(level[0], level[1], Math.max(2, perNode));
      height++;
    }
    root = level[1][0];
    nodes = memory.segment();
  }

  /** Returns how wide nodes with keys of so many words are at least, in cache lines. */
  static int leastWidth(int words) {
    return Math.ceilDiv(1 + LEAST_CAPACITY * (words + 1), CacheLine.LONGS);
  }

  /**
   * Writes a level, whose nodes follow one another; returns the last word of the first key of each
   * of them, and the nodes.
   */
  private long[][] level(long[] lasts, long[] below, int perNode) {
    int count = Math.ceilDiv(lasts.length, perNode);
    long[] firsts = new long[count];
    long[] made = new long[count];
    for (int i = 0; i < count; i++) {
      int from = i * perNode;
      int keys = Math.min(perNode, lasts.length - from);
      long node = memory.allocate(width);
      MemorySegment segment = memory.segment();
      Words.putInt(segment, node, keys);
      for (int slot = 0; slot < keys; slot++) {
        for (int word = 0; word < words; word++) {
          long value = word < words - 1 ? SHARED : lasts[from + slot];
          Words.putLong(segment, keyAt(node, slot) + ((long) word << 3), value);
        }
        Words.putLong(segment, belowAt(node, slot), below[from + slot]);
      }
      firsts[i] = lasts[from];
      made[i] = node;
    }
    return new long[][] {firsts, made};
  }

  /** Returns where the parts of a node are. */
  NodeParts parts() {
    int keyBytes = words * Long.BYTES;
    int keysEnd = (int) keyAt(0, capacity);
    return new NodeParts(
        0,
        capacity,
        capacity / 2,
        (int) keyAt(0, 0),
        Math.ceilDiv(keysEnd, CacheLine.BYTES),
        keyBytes,
        keysEnd,
        Long.BYTES,
        0);
  }

  /** Returns the width of all nodes, in cache lines. */
  int width() {
    return width;
  }

  int height() {
    return height;
  }

  /** Returns a leaf. */
  long leaf(int number) {
    return firstLeaf + (long) number * width * CacheLine.BYTES;
  }

  /** Returns how many keys a node has. */
  int count(long node) {
    return Words.getInt(nodes, node);
  }

  /** Returns where a key of a node is. */
  long keyAt(long node, int slot) {
    return node + Long.BYTES + (long) slot * words * Long.BYTES;
  }

  private long belowAt(long node, int slot) {
    return keyAt(node, capacity) + (long) slot * Long.BYTES;
  }

  /** Returns the sum of all words of a leaf's keys and values. */
  long sumOf(long leaf) {
    int count = count(leaf);
    return Sums.of(nodes, keyAt(leaf, 0), (long) count * words)
        + Sums.of(nodes, belowAt(leaf, 0), count);
  }

  /** Returns what {@link #sumOf} of all leaves of a tree adds up to. */
  static long sumOfEntries(int words, int entries) {
    return (words - 1L) * entries * SHARED
        + Entries.sumOfKeys(entries)
        + Entries.sumOfValues(entries);
  }

  /**
   * Looks up keys by their last words; returns the sum of their values. What is not there is
   * answered by the value of the next smaller key, or of the first.
   */
  long query(long[] probes, LongKeySearch search, KeyComparison comparison, boolean prefetches) {
    long[] key = new long[words];
    Arrays.fill(key, SHARED);
    long sum = 0;
    for (long probe : probes) {
      key[words - 1] = probe;
      long node = root;
      for (int level = height; level > 0; level--) {
        if (prefetches) {
          Words.prefetch(nodes.address() + node, width, Locality.T0);
        }
        int slot = Math.max(0, search.notAbove(this, node, key, comparison) - 1);
        node = Words.getLong(nodes, belowAt(node, slot));
      }
      sum += node; // which is the value
    }
    return sum;
  }

  @Override
  public void close() {
    memory.close();
  }
}
