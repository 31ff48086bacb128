// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.tree.StoreTree;
import java.util.Arrays;
import java.util.BitSet;

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
    table.extend(tree.root());
    for (long[] sector : sectorsInOrder()) {
      addSector((int) sector[1]);
    }
    for (int i = 0; i < tree.bufferPages; i++) {
      addPending(tree.buffer(i));
    }
    reach(tree.root(), tree.height() - 1);
    for (int node = 1; node <= table.top(); node++) {
      if (reached.get(node)) {
        for (int sector : table.sectors(node)) {
          table.refer(sector, 1);
        }
      } else {
        table.sectors(node, new int[0]);
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
    int node = SectorPage.node(tree.pages, page, slot);
    if (node < 1 || node > mostNodes) {
      throw new InvariantViolationException("I3", "a unit is of node " + node);
    }
    table.extend(node);
    return node;
  }

  private void addSector(int sector) {
    long page = tree.store.pin(sector);
    try {
      int last = 0;
      for (int slot = 0; slot < tree.layout.count(tree.pages, page); slot++) {
        int node = node(page, slot);
        if (node != last) {
          if (SectorPage.operation(tree.pages, page, slot) == SectorPage.RESET) {
            table.sectors(node, new int[] {sector});
          } else {
            table.append(node, sector);
          }
        }
        last = node;
      }
    } finally {
      tree.store.unpin(page, false);
    }
  }

  private void addPending(int number) {
    long page = tree.store.pin(number);
    try {
      for (int slot = 0; slot < tree.layout.count(tree.pages, page); slot++) {
        int node = node(page, slot);
        table.pending(node, table.pending(node) + 1);
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
