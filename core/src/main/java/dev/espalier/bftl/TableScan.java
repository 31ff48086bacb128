// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.tree.StoreTree;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes the node table anew from all sectors, in the order in which they were written, and the
 * nodes that the root leads to. O(n).
 */
final class TableScan {
  private final BftlStructure tree;
  private final NodeTable table;
  private final BitSet reached = new BitSet();

  /**
   * No node has a greater number: each number given out had a unit in a sector or the buffer, at
   * some time, except for those of one split that was refused. A tree that shrank has few pages,
   * but nodes of any of these numbers.
   */
  private final long mostNodes;

  TableScan(BftlStructure tree) {
    this.tree = tree;
    this.table = tree.table;
    long pagesEver = tree.meta[BftlStructure.SEQUENCE] + tree.bufferPages;
    this.mostNodes = pagesEver * tree.layout.capacity + StoreTree.MAX_HEIGHT;
  }

  void run() {
    table.clear();
    int root = tree.root();
    if (root < 1 || root > mostNodes) {
      throw new InvariantViolationException("I7", "the root is node " + root);
    }
    table.extend(root);
    for (long[] sector : sectorsInOrder()) {
      addSector((int) sector[1]);
    }
    for (int i = 0; i < tree.bufferPages; i++) {
      addPending(i);
    }
    reach(tree.root(), tree.height() - 1);
    for (int node = 1; node <= table.top(); node++) {
      if (reached.get(node)) {
        for (long run : table.runs(node)) {
          table.refer(UnitRun.sector(run), 1);
        }
      } else {
        table.forgetRuns(node);
        table.giveBack(node);
      }
    }
  }

  private long[][] sectorsInOrder() {
    int inUse = tree.store.pagesInUse();
    long[][] sectors = new long[Math.max(0, inUse - tree.bufferPages)][];
    int found = 0;
    int first = tree.buffer(0);
    for (int page = 1; found < sectors.length; page++) {
      if (tree.store.isInUse(page) && (page < first || page >= first + tree.bufferPages)) {
        long at = tree.store.pin(page);
        sectors[found++] = new long[] {SectorPage.sequence(tree.pages, at), page};
        tree.store.unpin(at, false);
      }
    }
    Arrays.sort(sectors, (a, b) -> Long.compare(a[0], b[0]));
    return sectors;
  }

  private int node(long page, int slot) {
    int node = SectorPage.node(tree.pages, SectorPage.unit(page, slot));
    if (node < 1 || node > mostNodes) {
      throw new InvariantViolationException("I3", "a unit is of node " + node);
    }
    table.extend(node);
    return node;
  }

  private void addSector(int sector) {
    long page = tree.store.pin(sector);
    try {
      int count = tree.layout.count(tree.pages, page);
      int end = 0;
      while (end < count) {
        int first = end;
        int node = node(page, first);
        end++;
        while (end < count && SectorPage.node(tree.pages, SectorPage.unit(page, end)) == node) {
          end++;
        }
        long unit = SectorPage.unit(page, first);
        if (SectorPage.operation(tree.pages, unit) == SectorPage.RESET) {
          table.forgetRuns(node);
          first++;
        }
        table.append(node, sector, first, end - first, order(page, first, end));
      }
    } finally {
      tree.store.unpin(page, false);
    }
  }

  /** Returns the order of units by their keys, or null if they are in that order. */
  private char @Nullable [] order(long page, int first, int end) {
    int ascending = first + 1;
    while (ascending < end && key(page, ascending - 1) <= key(page, ascending)) {
      ascending++;
    }
    if (ascending >= end) {
      return null;
    }
    UnitOrder order = new UnitOrder();
    for (int slot = first; slot < end; slot++) {
      order.add(key(page, slot), slot - first);
    }
    return order.toArray();
  }

  private long key(long page, int slot) {
    return SectorPage.key(tree.pages, SectorPage.unit(page, slot));
  }

  private void addPending(int place) {
    long page = tree.store.pin(tree.buffer(place));
    try {
      int first = place * tree.layout.capacity;
      for (int slot = 0; slot < tree.layout.count(tree.pages, page); slot++) {
        table.addWaiting(node(page, slot), key(page, slot), first + slot);
      }
    } finally {
      tree.store.unpin(page, false);
    }
  }

  private void reach(int node, int level) {
    if (node < 1 || node > table.top() || reached.get(node)) {
      throw new InvariantViolationException("I7", "node " + node + " is not in one place");
    }
    reached.set(node);
    NodeContent content = new NodeContent(tree.capacity);
    tree.read(node, content);
    table.count(node, content.count);
    for (int i = 0; level > 0 && i < content.count; i++) {
      reach((int) content.values[i], level - 1);
    }
  }
}
