// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.memory.Words;
import dev.espalier.support.CursorMemory;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;

/** A cursor over a BFTL, whose leaves are copies, replayed from their units. */
final class BftlCursor extends LeafCursor {
  private final BftlStructure tree;
  private final NodeContent content;
  private final MemorySegment copy;
  private final long values;

  /** The leaf has all entries from {@code low} on, and below {@code high} unless it is the last. */
  private long low;

  private long high;
  private boolean isLast;

  BftlCursor(BftlStructure tree) {
    super(tree.modifications);
    this.tree = tree;
    this.content = new NodeContent(tree.capacity);
    this.values = (long) tree.capacity << 3;
    this.copy = CursorMemory.allocate(2 * values);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  @Override
  protected void descend(long key) {
    checkOpen();
    low = Long.MIN_VALUE;
    high = Long.MAX_VALUE;
    isLast = true;
    int node = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      tree.read(node, content);
      int slot = content.lowerBound(key);
      slot -= slot == content.count || content.keys[slot] != key ? 1 : 0;
      slot = Math.max(slot, 0);
      low = slot > 0 ? content.keys[slot] : low;
      if (slot + 1 < content.count) {
        high = content.keys[slot + 1];
        isLast = false;
      }
      node = (int) content.values[slot];
    }
    tree.read(node, content);
    for (int i = 0; i < content.count; i++) {
      Words.putLong(copy, (long) i << 3, content.keys[i]);
      Words.putLong(copy, values + ((long) i << 3), content.values[i]);
    }
    enter(copy, 0, values, content.count);
    slot = lowerBound(key);
  }

  @Override
  protected void descendToLast() {
    descend(Long.MAX_VALUE);
  }

  @Override
  protected boolean enterNextLeaf() {
    if (isLast) {
      return false;
    }
    descend(high);
    return entries > 0;
  }

  @Override
  protected boolean enterPreviousLeaf() {
    if (low == Long.MIN_VALUE) {
      return false;
    }
    descend(low - 1);
    return entries > 0;
  }

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
