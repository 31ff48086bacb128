// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.support.DeadRanges;
import java.lang.foreign.MemorySegment;

/** A cursor over a deamortized COLA: the top and all arrays, each searched from end to end. */
final class DeamortizedCursor extends MergingCursor {
  private final DeamortizedStructure tree;

  /** Makes a cursor that skips these ranges, and adds to them. */
  DeamortizedCursor(DeamortizedStructure tree, DeadRanges dead) {
    super(tree, dead);
    this.tree = tree;
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  @Override
  int countLevels() {
    return tree.sources();
  }

  @Override
  void readLevels(Level[] to) {
    tree.sources(to);
  }

  @Override
  boolean mayHavePointers(int level) {
    return false;
  }

  @Override
  void seek(long key, Level[] in, int levelCount, long[] positions) {
    for (int k = 0; k < levelCount; k++) {
      positions[k] = tree.lowerBound(in[k], key);
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
