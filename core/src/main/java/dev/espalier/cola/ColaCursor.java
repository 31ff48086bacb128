// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.node.Keys;
import dev.espalier.support.CursorMemory;
import dev.espalier.support.DeadRanges;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over a COLA: its levels, of which level 0 is two, the part that is in order and a copy
 * of its tail, in order as well.
 */
final class ColaCursor extends MergingCursor {
  private final ColaStructure tree;
  private final TopPage top;
  private final MemorySegment tailCopy;
  private Level tail = Level.EMPTY;
  private Level sorted = Level.EMPTY;

  /** The index's changes when the tail was copied, -1 before. */
  private long tailCopied = -1;

  /** Makes a cursor that skips these ranges, and adds to them. */
  ColaCursor(ColaStructure tree, DeadRanges dead) {
    super(tree, dead);
    this.tree = tree;
    this.top = new TopPage(tree.layout, tree.batch);
    this.tailCopy = CursorMemory.allocate(tree.layout.bytes);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  @Override
  int countLevels() {
    return tree.depth + 2;
  }

  @Override
  void readLevels(Level[] to) {
    if (tailCopied != tree.modifications.changes) {
      copyTail();
      tailCopied = tree.modifications.changes;
    }
    to[0] = tail;
    to[1] = sorted;
    System.arraycopy(tree.levels, 1, to, 2, tree.depth);
  }

  private void copyTail() {
    int number = (int) tree.meta[MessageLevels.TOP];
    long page = tree.store.pin(number);
    try {
      int before = TopPage.sortedCount(top.checkedNumber(tree.pages, page));
      int count = top.copyTail(tree.pages, page, tailCopy, 0);
      int tombstones = tree.layout.noPuts(tree.pages, page);
      tail = new Level(number, 1, count, count, tombstones, 0);
      sorted = new Level(number, 1, before, before, tombstones, 0);
    } finally {
      tree.store.unpin(page, false);
    }
  }

  /** Neither the parts of level 0 have any, nor the deepest level. */
  @Override
  boolean mayHavePointers(int level) {
    return level > 1 && level <= tree.depth;
  }

  @Override
  MemorySegment newestCopy() {
    return tailCopy;
  }

  /** Both parts of level 0 and level 1 are searched whole, the others in the pointers' windows. */
  @Override
  void seek(long key, Level[] in, int levelCount, long[] positions) {
    positions[0] =
        Keys.lowerBoundBinary(tailCopy, tree.layout.keysOffset, (int) in[0].elements(), key);
    for (int k = 1; k < levelCount; k++) {
      long low = 0;
      long high = in[k].elements();
      if (k > 2) {
        long pointers = tree.pointersBefore(in[k - 1], positions[k - 1]);
        low = tree.windowStart(pointers);
        high = tree.windowEnd(in[k], pointers);
      }
      positions[k] = tree.lowerBound(in[k], low, high, key);
    }
  }

  @Override
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    tree.put(key, value, false);
  }

  @Override
  protected void removeFromTree(long key) {
    tree.remove(key);
  }
}
