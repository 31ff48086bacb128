// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Entries;
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
 * so that every comparison goes to the end.
 *
 * <pre>
 *  0       8                   8 + 8 words capacity
 *  | count | keys, words each  | values, or children; a child has the keys from its own on |
 * </pre>
 */
final class LongKeyTree implements AutoCloseable {
  /** The first words of every key. */
  static final long SHARED = 0x6573_7061_6C69_6572L;

  /** How two keys are compared. */
  enum Comparison {
    /** Word by word. */
    BY_WORDS {
      @Override
      boolean isAbove(MemorySegment nodes, long at, long[] key) {
        for (int word = 0; word < key.length; word++) {
          long ours = Words.getLong(nodes, at + ((long) word << 3));
          if (ours != key[word]) {
            return ours > key[word];
          }
        }
        return false;
      }
    },

    /** Byte by byte, from the most significant on, as memcmp. */
    BY_BYTES {
      @Override
      boolean isAbove(MemorySegment nodes, long at, long[] key) {
        for (int i = 0; i < key.length * Long.BYTES; i++) {
          int shift = Long.SIZE - Byte.SIZE * (1 + i % Long.BYTES);
          long word = Words.getLong(nodes, at + (i & -Long.BYTES));
          int ours = (int) ((word ^ Long.MIN_VALUE) >>> shift) & 0xff;
          int theirs = (int) ((key[i / Long.BYTES] ^ Long.MIN_VALUE) >>> shift) & 0xff;
          if (ours != theirs) {
            return ours > theirs;
          }
        }
        return false;
      }
    };

    /** Tells whether the key at an offset is greater than another. */
    abstract boolean isAbove(MemorySegment nodes, long at, long[] key);
  }

  /** Most keys of a node. */
  final int capacity;

  private final int words;
  private final int width;
  private final NodeMemory memory = new NodeMemory(Long.MAX_VALUE, HugePages.WHEN_GROWN);
  private final MemorySegment nodes;
  private final long root;
  private int height = 1;

  /**
   * Makes a tree of all {@link Entries}.
   *
   * @param words of a key
   * @param width of all nodes, in cache lines
   * @param fill how full the nodes are, from 0 to 1
   */
  LongKeyTree(int words, int width, double fill, int entries) {
    this.words = words;
    this.width = width;
    capacity = (width * CacheLine.LONGS - 1) / (words + 1);
    if (capacity < 2) {
      throw new IllegalArgumentException(
          width + " lines have no room for two keys of " + words + " words");
    }
    int perNode = Math.max(2, (int) (fill * capacity));
    long[] lasts = new long[entries];
    long[] below = new long[entries];
    Arrays.setAll(lasts, Entries::key);
    Arrays.setAll(below, rank -> rank);
    for (long[][] level = level(lasts, below, perNode);
        ;
        level = level(level[0], level[1], perNode)) {
      if (level[0].length == 1) {
        root = level[1][0];
        break;
      }
      height++;
    }
    nodes = memory.segment();
  }

  /** Writes a level; returns the last word of the first key of each of its nodes, and the nodes. */
  private long[][] level(long[] lasts, long[] below, int perNode) {
    int count = Math.ceilDiv(lasts.length, perNode);
    long[] firsts = new long[count];
    long[] made = new long[count];
    for (int i = 0; i < count; i++) {
      int from = i * perNode;
      int keys = Math.min(perNode, lasts.length - from);
      long node = memory.allocate(width);
      MemorySegment segment = memory.segment();
      Words.putLong(segment, node, keys);
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

  private long keyAt(long node, int slot) {
    return node + Long.BYTES + (long) slot * words * Long.BYTES;
  }

  private long belowAt(long node, int slot) {
    return keyAt(node, capacity) + (long) slot * Long.BYTES;
  }

  /** Looks up keys by their last words; returns the sum of their values. */
  long query(long[] probes, Comparison comparison, boolean prefetches) {
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
        int slot = Math.max(0, notAbove(node, key, comparison) - 1);
        node = Words.getLong(nodes, belowAt(node, slot));
      }
      sum += node; // which is the value
    }
    return sum;
  }

  /** Returns how many keys of a node are not above one, by binary search. */
  private int notAbove(long node, long[] key, Comparison comparison) {
    int low = 0;
    int high = (int) Words.getLong(nodes, node);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (comparison.isAbove(nodes, keyAt(node, middle), key)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  int height() {
    return height;
  }

  @Override
  public void close() {
    memory.close();
  }
}
