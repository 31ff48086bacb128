// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.memory.Words;
import dev.espalier.support.CursorMemory;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.DeadWalk;
import dev.espalier.support.LeafCursor;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over a BFTL. It stands on copies of parts of leaves, replayed from their units: small
 * ones after a seek, then ever larger ones. A part that has no entry is passed by.
 */
final class BftlCursor extends LeafCursor {
  /**
   * Units of each sector that a part has after a seek. After one that had so many there are twice
   * as many; so what was removed is in parts of its own, but for a share of it.
   */
  private static final int FIRST_PART = 16;

  private final BftlStructure tree;
  private final LeafPath path;
  private final LeafPart part;
  private final MemorySegment copy;
  private final long values;

  /** Most units of the next part. */
  private int most = FIRST_PART;

  /** What was removed before the next entry. */
  private final DeadWalk walk;

  /** Makes a cursor that skips these ranges, and adds to them. */
  BftlCursor(BftlStructure tree, DeadRanges dead) {
    super(tree.modifications);
    this.tree = tree;
    this.path = new LeafPath(tree);
    this.part = new LeafPart(tree);
    this.values = (long) tree.capacity << 3;
    this.copy = CursorMemory.allocate(2 * values);
    this.walk = new DeadWalk(dead, tree.modifications);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected void descend(long key) {
    most = FIRST_PART;
    path.forget();
    goForward(walk.begin(key, true));
  }

  @Override
  protected void descendToLast() {
    most = FIRST_PART;
    path.forget();
    goBack(walk.begin(Long.MAX_VALUE, false));
  }

  // ---------------------------------------------------------------- range scan

  @Override
  protected boolean enterNextLeaf() {
    if (part.high == Long.MAX_VALUE) {
      return false;
    }
    long next = walk.begin(entries > 0 ? leafKey(entries - 1) + 1 : part.high + 1, true);
    return goForward(Math.max(next, part.high + 1));
  }

  @Override
  protected boolean enterPreviousLeaf() {
    if (part.low == Long.MIN_VALUE) {
      return false;
    }
    long next = walk.begin(entries > 0 ? leafKey(0) - 1 : part.low - 1, false);
    return goBack(Math.min(next, part.low - 1));
  }

  /** Enters the first part from a key on that has an entry, if there is one. */
  private boolean goForward(long from) {
    slot = 0;
    long key = from;
    enterPart(key, true);
    while (entries == 0) {
      long next = walk.pass(key, part.high, looked());
      if (part.high == Long.MAX_VALUE) {
        walk.end();
        return false;
      }
      key = next == part.high ? part.high + 1 : next;
      enterPart(key, true);
    }
    walk.meet(leafKey(0));
    return true;
  }

  /** Enters the last part up to a key that has an entry, if there is one. */
  private boolean goBack(long from) {
    long key = from;
    enterPart(key, false);
    while (entries == 0) {
      long next = walk.pass(key, part.low, looked());
      if (part.low == Long.MIN_VALUE) {
        walk.end();
        return false;
      }
      key = next == part.low ? part.low - 1 : next;
      enterPart(key, false);
    }
    walk.meet(leafKey(entries - 1));
    return true;
  }

  /** Returns how many units were looked at for the part, 1 at least. */
  private int looked() {
    return Math.max(1, part.looked);
  }

  /** Enters what the leaf of a key has from it on, or up to it going back, or a part of that. */
  private void enterPart(long key, boolean forward) {
    checkOpen();
    int leaf = path.leadsTo(key) ? path.way[0] : path.find(key);
    part.read(leaf, forward ? key : path.low, forward ? path.high : key, most, forward);
    most += part.looked < most ? 0 : Math.min(most, tree.capacity);
    NodeContent found = part.entries;
    if (part.low > part.high || found.count > tree.capacity) {
      throw Torn.torn("leaf " + leaf + " is out of order at key " + key);
    }
    for (int i = 0; i < found.count; i++) {
      Words.putLong(copy, (long) i << 3, found.keys[i]);
    }
    for (int i = 0; i < found.count; i++) {
      Words.putLong(copy, values + ((long) i << 3), found.values[i]);
    }
    enter(copy, 0, values, found.count);
  }

  // ---------------------------------------------------------------- change

  @Override
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    tree.replace(tree.leafOf(key), key, value);
  }

  @Override
  protected void removeFromTree(long key) {
    int[] way = new int[BftlStructure.MAX_HEIGHT];
    tree.findPath(key, way);
    tree.remove(way, key);
  }
}
