// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.node.Keys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A cursor over a COLA: its levels, and a copy of level 0 that is in order. */
final class ColaCursor extends MergingCursor {
  private final ColaStructure tree;
  private final TopPage top;
  private final MemorySegment topCopy;
  private Level topLevel = Level.EMPTY;

  /** The index's changes when level 0 was copied, -1 before. */
  private long topCopied = -1;

  ColaCursor(ColaStructure tree) {
    super(tree.modifications, tree.store, tree.layout);
    this.tree = tree;
    this.top = new TopPage(tree.layout, tree.batch);
    this.topCopy = Arena.ofAuto().allocate(tree.layout.bytes, Long.BYTES);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  @Override
  int countLevels() {
    return tree.depth + 1;
  }

  @Override
  void readLevels(Level[] to) {
    if (topCopied != tree.modifications.changes) {
      topLevel = tree.copyTop(top, topCopy, 0);
      topCopied = tree.modifications.changes;
    }
    to[0] = topLevel;
    System.arraycopy(tree.levels, 1, to, 1, tree.depth);
  }

  @Override
  MemorySegment newestCopy() {
    return topCopy;
  }

  /** Level 0 is searched in its copy, level 1 whole, the others in the windows of the pointers. */
  @Override
  void seek(long key, Level[] in, int levelCount, long[] positions) {
    positions[0] =
        Keys.lowerBoundBinary(topCopy, tree.layout.keysOffset, (int) in[0].elements(), key);
    for (int k = 1; k < levelCount; k++) {
      long low = 0;
      long high = in[k].elements();
      if (k > 1) {
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
