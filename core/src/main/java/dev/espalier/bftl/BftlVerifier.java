// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.ProgressListener;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.PageVerifier;
import java.util.BitSet;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
    for (int node = 1; node <= table.top(); node++) {
      checkEqual("I5", table.pending(node), pending[node], "the units of node %d that wait", node);
      checkWaiting(node, table.waiting(node));
    }
    checkRange("I7", tree.height(), 1, BftlStructure.MAX_HEIGHT, "the height");
    checkNode(tree.root(), tree.height() - 1, Long.MIN_VALUE, Long.MAX_VALUE, true);
    checkAllClaimed("I1");
    lists.forEach(
        (sector, count) ->
            checkEqual(
                "I5", table.references(sector), count, "the references of sector %d", sector));
    checkEqual("I8", tree.meta[BftlStructure.SIZE], size, "the number of entries");
    checkDead("I9", tree.dead, new BftlCursor(tree, new DeadRanges()));
  }

  private void checkNode(int node, int level, long low, long high, boolean isLast) {
    checkRange("I7", node, 1, table.top(), "a node");
    check(!nodes.get(node), "I7", "node %d is in two places", node);
    nodes.set(node);
    long[] list = table.runs(node);
    checkRange("I2", list.length, 0, tree.listBound, "the number of sectors of node %d", node);
    long before = 0;
    int from = 0;
    for (long run : list) {
      int sector = UnitRun.sector(run);
      if (!sectors.get(Math.max(sector, 0))) {
        claim("I1", sector, 1);
        sectors.set(sector);
        checkSector(sector);
      }
      lists.merge(sector, 1, Integer::sum);
      long page = store.pin(sector);
      try {
        long sequence = SectorPage.sequence(pages, page);
        check(sequence > before, "I2", "the sectors of node %d are not in order", node);
        checkRun(node, run, from, page);
        before = sequence;
      } finally {
        store.unpin(page, false);
      }
      from += UnitRun.isInOrder(run) ? 0 : UnitRun.units(run);
    }
    checkEqual("I4", table.order(node).length, from, "the units of node %d by their keys", node);
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

  /** Checks that a run has all units of a node that its sector has, in the order of their keys. */
  private void checkRun(int node, long run, int orderFrom, long page) {
    int sector = UnitRun.sector(run);
    int first = UnitRun.first(run);
    int end = first + UnitRun.units(run);
    int ofNode = 0;
    for (int slot = 0; slot < tree.layout.count(pages, page); slot++) {
      long unit = SectorPage.unit(page, slot);
      if (SectorPage.node(pages, unit) == node) {
        boolean begins = slot == first - 1 && SectorPage.operation(pages, unit) == SectorPage.RESET;
        boolean isWithin = slot >= first && slot < end;
        check(begins || isWithin, "I4", "unit %d of sector %d is in no run", slot, sector);
        ofNode++;
      }
    }
    check(ofNode > 0, "I4", "sector %d has no unit of node %d, whose list has it", sector, node);
    char[] order = table.order(node);
    int places = UnitRun.isInOrder(run) ? 0 : orderFrom + UnitRun.units(run);
    check(places <= order.length, "I4", "units of node %d have no place by their keys", node);
    int from = UnitRun.isInOrder(run) ? UnitRun.IN_ORDER : orderFrom;
    for (int place = 0; place < UnitRun.units(run); place++) {
      long unit = UnitRun.unit(page, run, order, from, place);
      boolean isOfNode = unit < SectorPage.unit(page, end) && SectorPage.node(pages, unit) == node;
      check(isOfNode, "I4", "a run in sector %d is not all of node %d", sector, node);
      boolean isNext =
          place == 0 || isBefore(UnitRun.unit(page, run, order, from, place - 1), unit);
      check(isNext, "I4", "units of node %d in sector %d are not in order", node, sector);
    }
  }

  /** Compares keys, and if they are equal, which applies first. */
  private boolean isBefore(long unit, long next) {
    long key = SectorPage.key(pages, unit);
    long nextKey = SectorPage.key(pages, next);
    return key < nextKey || (key == nextKey && unit < next);
  }

  private void checkWaiting(int node, @Nullable UnitOrder waiting) {
    int slots = tree.bufferPages * tree.layout.capacity;
    for (int place = 0; waiting != null && place < waiting.count(); place++) {
      int slot = waiting.slot(place);
      checkRange("I5", slot, 0, slots - 1L, "the slot of a unit of node %d that waits", node);
      long unit = tree.pinWaiting(slot);
      boolean isThere =
          SectorPage.node(pages, unit) == node && SectorPage.key(pages, unit) == waiting.key(place);
      store.unpin(unit, false);
      check(isThere, "I5", "slot %d of the buffer has no such unit of node %d", slot, node);
      if (place > 0) {
        long key = waiting.key(place - 1);
        boolean isNext =
            key < waiting.key(place)
                || (key == waiting.key(place) && waiting.slot(place - 1) < slot);
        check(isNext, "I5", "units of node %d that wait are not in order", node);
      }
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
        int node = SectorPage.node(pages, SectorPage.unit(page, slot));
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
    long unit = SectorPage.unit(page, slot);
    int operation = SectorPage.operation(pages, unit);
    checkRange("I3", operation, 1, 3, "operation %d of page %d", slot, number);
    int node = SectorPage.node(pages, unit);
    checkRange("I3", node, 1, table.top(), "the node of unit %d of page %d", slot, number);
  }

  private void countPending(int number, int[] pending) {
    long page = store.pin(number);
    try {
      int count = SectorPage.rawCount(pages, page);
      checkRange("I3", count, 0, tree.layout.capacity, "the count of page %d", number);
      for (int slot = 0; slot < count; slot++) {
        checkUnit(number, page, slot);
        pending[SectorPage.node(pages, SectorPage.unit(page, slot))]++;
      }
    } finally {
      store.unpin(page, false);
    }
  }
}
