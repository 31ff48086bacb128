// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.Region;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/**
 * The inner nodes: separators and nothing else, level after level, the root first (thesis 3.4,
 * figure 3.3). Digest leaves, if the tree has them, are the level after those.
 *
 * <pre>
 *  levelOffset[0]   levelOffset[1]                     levelOffset[2]
 *  | root           | node 0 | node 1 | ... | node c   | node 0 | ...
 *    node: | separator 0 .. separator fanOut-2 | padding |     keySlots longs, whole lines
 * </pre>
 *
 * Child {@code i} of node {@code j} is node {@code j * fanOut + i} of the next level; below the
 * last level come the leaves, for {@code leafEntries} entries of the array each. Separator {@code
 * i} is the largest key below child {@code i}. A full tree uses all {@code keySlots} separators, so
 * its fan-out is one more; a level tree leaves one slot unused, so its fan-out is a power of two
 * times eight. Nodes at the end of a level have fewer children; unused slots hold {@link
 * Keys#PADDING}.
 */
final class CssDirectory {
  /** More levels than 2^61 keys can have with the smallest fan-out, 8. */
  static final int MAX_LEVELS = 21;

  final int keySlots;
  final int fanOut;
  final int leafEntries;
  private final boolean hasDigests;

  private final MemoryBudget budget;
  private final HugePages hugePages;
  private Region region = Region.small(CacheLine.BYTES);
  private long committed;

  /** The nodes of all levels; another memory after they have grown. */
  MemorySegment nodes = region.segment();

  /** Number of levels above the leaves. */
  int levels;

  /** Where each level begins, and last the digest leaves. */
  final long[] levelOffset = new long[MAX_LEVELS + 1];

  /** Nodes on each level, the root's first; one number more, which is that of the leaves. */
  final long[] levelNodes = new long[MAX_LEVELS + 1];

  /** Creates the directory of an empty array. */
  CssDirectory(MemoryBudget budget, HugePages hugePages, CssShape shape, EntryArray array) {
    this.budget = budget;
    this.hugePages = hugePages;
    this.keySlots = shape.keySlots();
    this.fanOut = shape.fanOut();
    this.leafEntries = shape.leafEntries();
    this.hasDigests = shape.hasDigests();
    account();
    build(array);
  }

  /** Returns the number of leaves that hold {@code entries} keys: at least one. */
  long leaves(long entries) {
    return Math.max((entries + leafEntries - 1) / leafEntries, 1);
  }

  /** Returns the number of levels above the leaves for {@code entries} keys. */
  int levels(long entries) {
    int above = 0;
    for (long count = leaves(entries); count > 1; count = parents(count)) {
      above++;
    }
    return above;
  }

  private long parents(long children) {
    return (children + fanOut - 1) / fanOut;
  }

  long bytes(long entries) {
    long nodeCount = 0;
    for (long count = leaves(entries); count > 1; count = parents(count)) {
      nodeCount += parents(count);
    }
    return nodeCount * keySlots * Long.BYTES + digestBytes(leaves(entries));
  }

  private long digestBytes(long leaves) {
    return hasDigests ? leaves * DigestLeaf.BYTES : 0;
  }

  long usedBytes() {
    return levelOffset[levels] + digestBytes(levelNodes[levels]);
  }

  long levelBytes(int level) {
    return levelNodes[level] * keySlots * Long.BYTES;
  }

  long committedBytes() {
    return committed;
  }

  /**
   * Makes room for the directory of {@code entries} keys.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is none; nothing has changed then
   */
  void ensure(long entries) {
    long needed = bytes(entries);
    if (needed <= nodes.byteSize()) {
      return;
    }
    budget.check(needed - committed);
    long wanted = Math.min(needed + needed / 2, budget.left() + committed);
    Region larger = Region.take(needed, wanted, wanted, hugePages);
    region =
        region.outgrownBy(
            larger, (from, to) -> MemorySegment.copy(from, 0, to, 0, from.byteSize()));
    budget.count(-committed);
    nodes = larger.segment();
    account();
  }

  private void account() {
    committed = nodes.byteSize();
    budget.count(committed);
  }

  /** Builds all levels over the keys of {@code array}; there is room for them. */
  void build(EntryArray array) {
    layOut(array.count);
    long span = 1;
    for (int level = levels - 1; level >= 0; level--) {
      fillLevel(level, span, array);
      span *= fanOut;
    }
    if (hasDigests) {
      for (long leaf = 0; leaf < levelNodes[levels]; leaf++) {
        long first = leaf * leafEntries;
        int count = (int) Math.min(array.count - first, leafEntries);
        DigestLeaf.build(nodes, digestLeaf(leaf), array, first, count);
      }
    }
  }

  /** Returns the offset of digest leaf {@code number}. */
  long digestLeaf(long number) {
    return levelOffset[levels] + number * DigestLeaf.BYTES;
  }

  private void layOut(long entries) {
    levels = levels(entries);
    long count = leaves(entries);
    for (int level = levels; level >= 0; level--) {
      levelNodes[level] = count;
      count = parents(count);
    }
    long offset = 0;
    for (int level = 0; level < levels; level++) {
      levelOffset[level] = offset;
      offset += levelBytes(level);
    }
    levelOffset[levels] = offset;
  }

  /** Fills the nodes of a level whose children each cover {@code span} leaves. */
  private void fillLevel(int level, long span, EntryArray array) {
    long children = levelNodes[level + 1];
    long child = 0;
    for (long node = 0; node < levelNodes[level]; node++) {
      long offset = levelOffset[level] + node * keySlots * Long.BYTES;
      for (int i = 0; i < keySlots; i++) {
        boolean divides = i < fanOut - 1 && child + i + 1 < children;
        long separator = divides ? largestKey(child + i, span, array) : Keys.PADDING;
        putLong(nodes, offset + ((long) i << 3), separator);
      }
      child += fanOut;
    }
  }

  /** Returns the largest key below a node that covers {@code span} leaves and is not the last. */
  long largestKey(long node, long span, EntryArray array) {
    return array.key((node + 1) * span * leafEntries - 1);
  }

  long separator(int level, long node, int slot) {
    return getLong(nodes, levelOffset[level] + ((node * keySlots + slot) << 3));
  }

  /** Returns the number of children of a node. */
  int children(int level, long node) {
    return (int) Math.min(fanOut, levelNodes[level + 1] - node * fanOut);
  }

  /** Lets growth take no memory from readers, from now on. */
  void expectReaders() {
    region.expectReaders();
  }

  /**
   * Gives way to another directory, and returns that.
   *
   * @throws IllegalStateException if this was closed; the other one is then closed, too
   */
  CssDirectory replacedBy(CssDirectory other) {
    region.replacedBy(other.region);
    return other;
  }

  void close() {
    budget.count(-committed);
    committed = 0;
    region.close();
  }
}
