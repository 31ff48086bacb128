// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import java.lang.foreign.MemorySegment;

/** A cursor over a deamortized COLA: the top and all arrays, each searched from end to end. */
final class DeamortizedCursor extends MergingCursor {
  private final DeamortizedStructure tree;

  DeamortizedCursor(DeamortizedStructure tree) {
    super(tree.modifications, tree.store, tree.layout);
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
