// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Entries;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.NodeMemory;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A search tree of nothing but keys, to measure what is done inside nodes and nothing else: nodes
 * of whole cache lines full of keys, each level in one piece, so that a child's place is computed
 * (a full CSS-tree, thesis 3.4). Made once, of evenly spaced keys.
 *
 * <p>A search begins at place 0, and from {@code place} on a level, goes to place {@code place *
 * fanOut + smaller} on the next, where {@code smaller} is the number of keys in the node that are
 * smaller than the one sought. Behind the leaves the place is the rank of the key.
 */
final class KeyTree implements AutoCloseable {
  private static final int NODE_SHUFFLE_SEED = 5;

  /** Width of a node in cache lines. */
  final int width;

  /** Keys in a node. */
  final int slots;

  /** Size of a node in bytes. */
  final long nodeBytes;

  /** Memory of all nodes. */
  final MemorySegment nodes;

  /** The address of offset 0. */
  final long base;

  /** The offset of each level's first node; the root's level first, the leaves' last. */
  final long[] levels;

  /** How many children a node of each level has; in the leaves, how many keys. */
  final int[] fanOuts;

  private final NodeMemory memory;
  private final int entries;
  private final int leafCount;

  /**
   * Makes a tree.
   *
   * @param width of all nodes, in cache lines
   * @param entries how many keys
   */
  KeyTree(int width, int entries) {
    this.width = width;
    this.entries = entries;
    slots = width * CacheLine.LONGS;
    nodeBytes = (long) width * CacheLine.BYTES;
    leafCount = nodesFor(entries, slots);
    memory = new NodeMemory(Long.MAX_VALUE, HugePages.WHEN_GROWN);

    // From the leaves up; the keys of a level are the greatest keys under its children.
    List<Long> offsets = new ArrayList<>();
    long keysPerChild = 1;
    int children = entries;
    int childrenPerNode = slots;
    while (true) {
      int count = nodesFor(children, childrenPerNode);
      offsets.addFirst(writeLevel(count, childrenPerNode, keysPerChild));
      if (count == 1) {
        break;
      }
      keysPerChild *= childrenPerNode;
      children = count;
      childrenPerNode = slots + 1;
    }
    levels = offsets.stream().mapToLong(Long::longValue).toArray();
    fanOuts = new int[levels.length];
    Arrays.fill(fanOuts, slots + 1);
    fanOuts[levels.length - 1] = slots;
    nodes = memory.segment();
    base = nodes.address();
  }

  private static int nodesFor(int children, int childrenPerNode) {
    return Math.ceilDiv(children, childrenPerNode);
  }

  /** Writes the nodes of a level and returns the first one's offset. */
  private long writeLevel(int count, int childrenPerNode, long keysPerChild) {
    long first = 0;
    for (int node = 0; node < count; node++) {
      // Nothing is freed, so nodes follow one another.
      long offset = memory.allocate(width);
      first = node == 0 ? offset : first;
      for (int slot = 0; slot < slots; slot++) {
        long child = (long) node * childrenPerNode + slot;
        long lastRank = (child + 1) * keysPerChild - 1;
        long key = lastRank < entries ? Entries.key(lastRank) : Keys.PADDING;
        Words.putLong(memory.segment(), offset + ((long) slot << 3), key);
      }
    }
    return first;
  }

  /**
   * Returns the offsets of as many leaves as there are, in any order, as leaves lie that were made
   * by splits.
   *
   * @param distinct how many different leaves, or fewer if the tree has fewer; they are repeated
   */
  long[] leaves(int distinct) {
    int[] order = Entries.shuffled(leafCount, NODE_SHUFFLE_SEED);
    long[] leaves = new long[leafCount];
    for (int i = 0; i < leafCount; i++) {
      leaves[i] = levels[levels.length - 1] + order[i % Math.min(distinct, leafCount)] * nodeBytes;
    }
    return leaves;
  }

  /** Returns what the keys of all leaves add up to, padding included. */
  long sumOfLeaves() {
    long padding = (long) leafCount * slots - entries;
    return Entries.sumOfKeys(entries) + padding * Keys.PADDING;
  }

  @Override
  public void close() {
    memory.close();
  }
}
