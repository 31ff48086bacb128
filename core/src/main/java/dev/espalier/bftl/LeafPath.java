// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.support.Torn;
import org.jspecify.annotations.Nullable;

/**
 * The way to a leaf, and the keys that belong there. It goes down as {@link BftlStructure#findPath}
 * does, but looks at the separators behind the key, too.
 */
final class LeafPath {
  private final BftlStructure tree;
  private final NodeTable table;

  /** A node from which the nearest child has gone; null until there was one. */
  private @Nullable NodeContent replayed;

  /** The nodes of the path by their levels, the leaf first. */
  final int[] way = new int[BftlStructure.MAX_HEIGHT];

  /**
   * The first and the last key that the leaf may have. A leaf that is the first child of its parent
   * may have keys below {@code low}, too; they are found by their own path.
   */
  long low = 1;

  long high;

  /** Of the units for keys up to the one sought the last, and of those behind it the first. */
  private long floorKey;

  private int floorOperation;
  private long floorChild;
  private long aboveKey;
  private int aboveOperation;

  LeafPath(BftlStructure tree) {
    this.tree = tree;
    this.table = tree.table;
  }

  /** Tells whether a key is or belongs in the leaf that was found last. */
  boolean leadsTo(long key) {
    return key >= low && key <= high;
  }

  /** Leads nowhere from now on, as after a change of the tree. */
  void forget() {
    low = 1;
    high = 0;
  }

  /** Goes down to the leaf where a key is or belongs, and returns it. */
  int find(long key) {
    low = Long.MIN_VALUE;
    high = Long.MAX_VALUE;
    int node = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      way[level] = node;
      node = child(node, key);
    }
    way[0] = node;
    if (key < low || key > high) { // Scans end because each leaf's keys are behind the last one's.
      throw Torn.torn("separators are out of order at key " + key);
    }
    return node;
  }

  private int child(int node, long key) {
    floorOperation = 0;
    aboveOperation = 0;
    UnitOrder waiting = table.waiting(node);
    if (waiting != null) {
      look(waiting, key);
    }
    long[] runs = table.runs(node);
    char[] order = table.order(node);
    int end = order.length;
    for (int i = runs.length - 1; i >= 0; i--) {
      int from = UnitRun.IN_ORDER;
      if (!UnitRun.isInOrder(runs[i])) {
        end -= UnitRun.units(runs[i]);
        from = end;
      }
      look(runs[i], order, from, key);
    }
    boolean isFound = floorOperation == SectorPage.PUT && tree.isNode(floorChild);
    if (!isFound || aboveOperation == SectorPage.DELETE) {
      return childByReplay(node, key);
    }
    low = Math.max(low, floorKey);
    high = aboveOperation == 0 ? high : Math.min(high, aboveKey - 1);
    return (int) floorChild;
  }

  private void look(UnitOrder waiting, long key) {
    tree.touchBuffer();
    int place = waiting.upTo(key);
    if (place > 0) {
      long unit = tree.pinWaiting(waiting.slot(place - 1));
      noteFloor(unit);
      tree.store.unpin(unit, false);
    }
    if (place < waiting.count()) {
      int newest = waiting.upTo(waiting.key(place)) - 1;
      long unit = tree.pinWaiting(waiting.slot(newest));
      noteAbove(unit);
      tree.store.unpin(unit, false);
    }
  }

  private void look(long run, char[] order, int from, long key) {
    long page = tree.store.pin(UnitRun.sector(run));
    int place = UnitRun.upTo(tree.pages, page, run, order, from, key);
    if (place > 0) {
      noteFloor(UnitRun.unit(page, run, order, from, place - 1));
    }
    if (place < UnitRun.units(run)) {
      long above = SectorPage.key(tree.pages, UnitRun.unit(page, run, order, from, place));
      int last = place;
      while (last + 1 < UnitRun.units(run)
          && SectorPage.key(tree.pages, UnitRun.unit(page, run, order, from, last + 1)) == above) {
        last++;
      }
      noteAbove(UnitRun.unit(page, run, order, from, last));
    }
    tree.store.unpin(page, false);
  }

  /** Notes a unit unless a newer one is as near. */
  private void noteFloor(long unit) {
    long key = SectorPage.key(tree.pages, unit);
    if (floorOperation == 0 || key > floorKey) {
      floorKey = key;
      floorOperation = SectorPage.operation(tree.pages, unit);
      floorChild = SectorPage.value(tree.pages, unit);
    }
  }

  private void noteAbove(long unit) {
    long key = SectorPage.key(tree.pages, unit);
    if (aboveOperation == 0 || key < aboveKey) {
      aboveKey = key;
      aboveOperation = SectorPage.operation(tree.pages, unit);
    }
  }

  private int childByReplay(int node, long key) {
    NodeContent content = replayed == null ? new NodeContent(tree.capacity) : replayed;
    replayed = content;
    tree.read(node, content);
    int slot = Math.max(0, content.upTo(key) - 1);
    if (slot > 0) {
      low = Math.max(low, content.keys[slot]);
    }
    if (slot + 1 < content.count) {
      high = Math.min(high, content.keys[slot + 1] - 1);
    }
    return tree.checkedChild(node, content, slot);
  }
}
