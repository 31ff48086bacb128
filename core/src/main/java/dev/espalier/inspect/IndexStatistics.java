// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inspect;

import dev.espalier.memory.MemoryUse;

/**
 * What a tree looks like at one moment.
 *
 * @param entries number of entries
 * @param height number of levels, leaves included
 * @param innerNodes number of nodes above the leaves
 * @param leafNodes number of leaves
 * @param innerFill separators per slot of the inner nodes, from 0 to 1
 * @param leafFill entries per slot of the nodes that hold entries, from 0 to 1
 * @param usedBytes bytes of all nodes
 * @param committedBytes bytes taken from the system
 * @param hugePages whether the system granted huge pages for them
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
    boolean hugePages) {

  /** Returns the bytes of nodes per entry, or 0 for an empty tree. */
  public double bytesPerEntry() {
    return entries == 0 ? 0 : (double) usedBytes / entries;
  }

  /** Counts the nodes below {@code root}, in one pass. */
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
