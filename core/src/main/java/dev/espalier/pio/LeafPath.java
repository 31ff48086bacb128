// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Torn;

/** The way from the root to a leaf: the nodes on it, the leaf's segments, and its interval. */
final class LeafPath {
  private final PioStructure tree;
  private final PageStore store;
  private final InnerPage inner;

  /** By level, from 1 on: the page of the node, and the number of the child to which it leads. */
  final int[] pages = new int[PioStructure.MAX_HEIGHT];

  final int[] slots = new int[PioStructure.MAX_HEIGHT];

  /** The leaf's segments, the oldest first. */
  final int[] segments;

  int segmentCount;

  /** The leaf's keys are from {@code low} to {@code high}, both included. */
  long low;

  long high;

  /** The greatest key that belongs to the leaf's parent. */
  long parentHigh;

  LeafPath(PioStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.inner = tree.inner;
    this.segments = new int[inner.leafSegments];
  }

  /** Goes down to the leaf of a key. */
  void find(long key) {
    low = Long.MIN_VALUE;
    high = Long.MAX_VALUE;
    int page = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      pages[level] = page;
      long at = store.pin(page);
      try {
        int last = inner.checkedChildren(tree.pages, at) - 1;
        int slot = inner.childSlot(tree.pages, at, key);
        slots[level] = slot;
        parentHigh = high;
        if (slot > 0) {
          low = InnerPage.separator(tree.pages, at, slot - 1) + 1;
        }
        if (slot < last) {
          high = InnerPage.separator(tree.pages, at, slot);
        }
        page = inner.child(tree.pages, at, slot);
        if (level == 1) {
          readSegments(at, slot);
        }
      } finally {
        store.unpin(at, false);
      }
    }
    if (key < low || key > high) { // Scans and flushes end because each leaf is behind the last.
      throw Torn.torn("separators are out of order");
    }
  }

  private void readSegments(long at, int slot) {
    segmentCount = inner.segments(tree.pages, at, slot);
    for (int i = 0; i < segmentCount; i++) {
      segments[i] = inner.segment(tree.pages, at, slot, i);
    }
  }

  /** Gives the leaf a segment in place of another, or of none, or none. */
  void changeSegment(int segment, int number) {
    long at = store.pin(pages[1]);
    try {
      inner.segment(tree.pages, at, slots[1], segment, number);
    } finally {
      store.unpin(at, true);
    }
  }
}
