// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.ProgressListener;
import dev.espalier.support.PageVerifier;
import java.util.BitSet;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.TreeMap;

/** Checks the invariants that {@link BftlStructure} lists. O(n). */
final class BftlVerifier extends PageVerifier {
  private final BftlStructure tree;
  private final NodeTable table;
  private final BitSet nodes = new BitSet();
  private final BitSet sectors = new BitSet();
  private final Map<Integer, Integer> lists = new TreeMap<>();
  private long size;

  private BftlVerifier(BftlStructure tree, ProgressListener listener) {
    super(tree.store, listener, tree.sizeEstimate());
    this.tree = tree;
    this.table = tree.table;
  }

  static void verify(BftlStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new BftlVerifier(tree, listener).run();
  }

  private void run() {
    claim("I1", tree.buffer(0), tree.bufferPages);
    int[] pending = new int[table.top() + 1];
    for (int i = 0; i < tree.bufferPages; i++) {
      countPending(tree.buffer(i), pending);
    }
    checkRange("I7", tree.height(), 1, BftlStructure.MAX_HEIGHT, "the height");
    checkNode(tree.root(), tree.height() - 1, Long.MIN_VALUE, Long.MAX_VALUE, true);
    checkAllClaimed("I1");
    lists.forEach(
        (sector, count) -> {
          checkEqual("I5", table.references(sector), count, "the references of sector %d", sector);
          checkSector(sector);
        });
    for (int node = 1; node <= table.top(); node++) {
      checkEqual("I5", table.pending(node), pending[node], "the units of node %d that wait", node);
    }
    checkEqual("I8", tree.meta[BftlStructure.SIZE], size, "the number of entries");
  }

  private void checkNode(int node, int level, long low, long high, boolean isLast) {
    checkRange("I7", node, 1, table.top(), "a node");
    check(!nodes.get(node), "I7", "node %d is in two places", node);
    nodes.set(node);
    int[] list = table.sectors(node);
    checkRange("I2", list.length, 0, tree.listBound, "the number of sectors of node %d", node);
    long before = 0;
    for (int sector : list) {
      if (!sectors.get(Math.max(sector, 0))) {
        claim("I1", sector, 1);
        sectors.set(sector);
      }
      lists.merge(sector, 1, Integer::sum);
      long page = store.pin(sector);
      long sequence = SectorPage.sequence(pages, page);
      int units = 0;
      for (int slot = 0; slot < tree.layout.count(pages, page); slot++) {
        units += SectorPage.node(pages, page, slot) == node ? 1 : 0;
      }
      store.unpin(page, false);
      check(sequence > before, "I2", "the sectors of node %d are not in order", node);
      check(units > 0, "I4", "sector %d has no unit of node %d, whose list has it", sector, node);
      before = sequence;
    }
    NodeContent content = new NodeContent(tree.capacity);
    try {
      tree.read(node, content);
    } catch (ConcurrentModificationException overfull) {
      check(false, "I6", "node %d has more entries than fit", node);
    }
    checkEqual("I6", table.count(node), content.count, "the count of node %d", node);
    boolean mayBeEmpty = level == 0 && node == tree.root();
    check(content.count > 0 || mayBeEmpty, "I7", "node %d is empty", node);
    checkKeys(node, content, low, high, isLast);
    if (level == 0) {
      size += content.count;
      count(content.count);
      return;
    }
    for (int i = 0; i < content.count; i++) {
      boolean last = i + 1 == content.count;
      long child = content.values[i];
      check(child > 0 && child <= table.top(), "I6", "node %d has a child %d", node, child);
      checkNode(
          (int) content.values[i],
          level - 1,
          i == 0 ? low : content.keys[i],
          last ? high : content.keys[i + 1],
          last && isLast);
    }
  }

  private static void checkKeys(
      int node, NodeContent content, long low, long high, boolean isLast) {
    int count = content.count;
    check(
        count == 0 || (content.keys[0] >= low && (isLast || content.keys[count - 1] < high)),
        "I6",
        "node %d has keys beyond its bounds",
        node);
  }

  private void checkSector(int sector) {
    long page = store.pin(sector);
    try {
      int count = SectorPage.rawCount(pages, page);
      checkRange("I3", count, 1, tree.layout.capacity, "the count of sector %d", sector);
      BitSet seen = new BitSet();
      int last = 0;
      for (int slot = 0; slot < count; slot++) {
        int node = SectorPage.node(pages, page, slot);
        checkUnit(sector, page, slot);
        check(node == last || !seen.get(node), "I3", "node %d is in pieces", node);
        seen.set(node);
        last = node;
      }
    } finally {
      store.unpin(page, false);
    }
  }

  private void checkUnit(int number, long page, int slot) {
    int operation = SectorPage.operation(pages, page, slot);
    checkRange("I3", operation, 1, 3, "operation %d of page %d", slot, number);
    int node = SectorPage.node(pages, page, slot);
    checkRange("I3", node, 1, table.top(), "the node of unit %d of page %d", slot, number);
  }

  private void countPending(int number, int[] pending) {
    long page = store.pin(number);
    try {
      int count = SectorPage.rawCount(pages, page);
      checkRange("I3", count, 0, tree.layout.capacity, "the count of page %d", number);
      for (int slot = 0; slot < count; slot++) {
        checkUnit(number, page, slot);
        pending[SectorPage.node(pages, page, slot)]++;
      }
    } finally {
      store.unpin(page, false);
    }
  }
}
