// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inspect;

import dev.espalier.memory.MemoryUse;

/**
 * The shape and size of a tree at one moment.
 *
 * @param entries number of entries
 * @param height number of levels, including the leaves
 * @param innerNodes number of nodes above the leaves
 * @param leafNodes number of leaves
 * @param innerFill how full the inner nodes are: separators divided by slots, from 0 to 1
 * @param leafFill how full the nodes that hold entries are: entries divided by slots, from 0 to 1
 * @param usedBytes size of all nodes, in bytes
 * @param committedBytes memory in use or kept for reuse, in bytes; counts against the memory limit
 * @param hugePages whether the system granted huge pages for it
 * @param choice which proportions the tree was given for its work, and why; empty for a tree with
 *     the usual ones
 */
public record IndexStatistics(
    long entries,
    int height,
    long innerNodes,
    long leafNodes,
    double innerFill,
    double leafFill,
    long usedBytes,
    long committedBytes,
    boolean hugePages,
    String choice) {

  /** Creates the statistics of a tree with the usual proportions. */
  public IndexStatistics(
      long entries,
      int height,
      long innerNodes,
      long leafNodes,
      double innerFill,
      double leafFill,
      long usedBytes,
      long committedBytes,
      boolean hugePages) {
    this(
        entries,
        height,
        innerNodes,
        leafNodes,
        innerFill,
        leafFill,
        usedBytes,
        committedBytes,
        hugePages,
        "");
  }

  /** Returns the size of all nodes per entry, in bytes, or 0 for an empty tree. */
  public double bytesPerEntry() {
    return entries == 0 ? 0 : (double) usedBytes / entries;
  }

  /**
   * Returns the statistics of a tree, by a pass over all its nodes.
   *
   * @param root the root of the tree
   * @param entries number of entries
   * @param memory the memory of the tree
   */
  public static IndexStatistics of(NodeView root, long entries, MemoryUse memory) {
    Counter counter = new Counter();
    counter.visit(root);
    return new IndexStatistics(
        entries,
        root.level() + 1,
        counter.innerNodes,
        counter.leafNodes,
        counter.innerSlots == 0 ? 0 : (double) counter.innerKeys / counter.innerSlots,
        counter.entrySlots == 0 ? 0 : (double) counter.entryKeys / counter.entrySlots,
        memory.usedBytes(),
        memory.committedBytes(),
        memory.hugePagesGranted());
  }

  /** Returns these statistics, with a description of what was chosen for the tree. */
  public IndexStatistics withChoice(String chosen) {
    return new IndexStatistics(
        entries,
        height,
        innerNodes,
        leafNodes,
        innerFill,
        leafFill,
        usedBytes,
        committedBytes,
        hugePages,
        chosen);
  }

  private static final class Counter {
    private long innerNodes;
    private long innerKeys;
    private long innerSlots;
    private long leafNodes;
    private long entryKeys;
    private long entrySlots;

    private void visit(NodeView node) {
      if (node.level() == 0) {
        leafNodes++;
      } else {
        innerNodes++;
      }
      if (node.holdsEntries()) {
        entryKeys += node.count();
        entrySlots += node.capacity();
      } else {
        innerKeys += node.count();
        innerSlots += node.capacity();
      }
      for (int i = 0; i < node.children(); i++) {
        visit(node.child(i));
      }
    }
  }
}
