// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.memory.PageStore;
import org.jspecify.annotations.Nullable;

/**
 * A part of a leaf, replayed from its units: those of an interval of keys, or the first of that,
 * going back the last. How much that is depends on the leaf's sectors: no more than so many units
 * of any of them, and of those that wait.
 */
final class LeafPart {
  private static final int FIRST_ROOM = 32;

  private final BftlStructure tree;
  private final PageStore store;
  private final NodeTable table;

  /** The part's keys, both included. */
  long low;

  long high;

  /**
   * Its entries. Units of a sector are applied in the order of their keys; so there may be more on
   * the way than fit into a leaf.
   */
  final NodeContent entries = new NodeContent(FIRST_ROOM);

  /** How many units were looked at. */
  int looked;

  private int most;
  private boolean forward;

  /** Whose units are looked at: those that wait, or those of a run in a pinned page. */
  private @Nullable UnitOrder waiting;

  private long page;
  private long run;
  private char[] order = {};
  private int orderFrom;

  LeafPart(BftlStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.table = tree.table;
  }

  /**
   * Reads a part.
   *
   * @param from the first key of the interval
   * @param to its last key
   * @param most units of one sector, but for more of the same key
   */
  void read(int leaf, long from, long to, int most, boolean forward) {
    low = from;
    high = to;
    this.most = most;
    this.forward = forward;
    looked = 0;
    entries.count = 0;
    waiting = null;
    order = table.order(leaf);
    int end = 0;
    for (long each : table.runs(leaf)) {
      run = each;
      orderFrom = UnitRun.isInOrder(each) ? UnitRun.IN_ORDER : end;
      end += UnitRun.isInOrder(each) ? 0 : UnitRun.units(each);
      page = store.pin(UnitRun.sector(each));
      try {
        applyPart(UnitRun.units(each));
      } finally {
        store.unpin(page, false);
      }
    }
    UnitOrder last = table.waiting(leaf);
    if (last != null) {
      waiting = last;
      tree.touchBuffer();
      applyPart(last.count());
    }
  }

  /** Applies what a sector or the buffer has of the part, which is cut if that is too much. */
  private void applyPart(int units) {
    if (forward) {
      applyForward(units);
    } else {
      applyBack();
    }
    entries.keep(low, high);
  }

  private void applyForward(int units) {
    int begin = units == 0 || key(0) >= low ? 0 : upTo(low - 1);
    long last = low;
    int place = begin;
    for (; place < units; place++) {
      long key = key(place);
      if (key > high) {
        break;
      }
      if (place - begin >= most && key != last) {
        high = last;
        break;
      }
      last = key;
      entries.makeRoom(1);
      apply(place);
    }
    looked += place - begin;
  }

  private void applyBack() {
    int end = upTo(high);
    int begin = end;
    while (begin > 0 && key(begin - 1) >= low) {
      if (end - begin >= most && key(begin - 1) != key(begin)) {
        low = key(begin);
        break;
      }
      begin--;
    }
    looked += end - begin;
    entries.makeRoom(end - begin);
    for (int place = begin; place < end; place++) {
      apply(place);
    }
  }

  private void apply(int place) {
    UnitOrder buffer = waiting;
    long unit =
        buffer == null
            ? UnitRun.unit(page, run, order, orderFrom, place)
            : tree.pinWaiting(buffer.slot(place));
    entries.apply(
        SectorPage.operation(tree.pages, unit),
        SectorPage.key(tree.pages, unit),
        SectorPage.value(tree.pages, unit));
    if (buffer != null) {
      store.unpin(unit, false);
    }
  }

  private int upTo(long key) {
    return waiting == null
        ? UnitRun.upTo(tree.pages, page, run, order, orderFrom, key)
        : waiting.upTo(key);
  }

  private long key(int place) {
    return waiting == null
        ? SectorPage.key(tree.pages, UnitRun.unit(page, run, order, orderFrom, place))
        : waiting.key(place);
  }
}
