// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.Message;
import java.util.Arrays;

/** Fills an empty tree from sorted entries, bottom up; the queue stays empty. */
final class PioBulkload {
  private final PioStructure tree;
  private final double fillFactor;

  /** The leaf that is being gathered. */
  private final Operations leaf;

  private final int leafEntries;

  /** By level, from 1 on: the node that is being gathered. */
  private final Row[] rows = new Row[PioStructure.MAX_HEIGHT];

  private int height = 1;

  /** Children, with the last key below each, and all their segments one after the other. */
  private static final class Row {
    final long[] keys;
    final int[] segments;
    int count;

    Row(int children, int columns) {
      keys = new long[children];
      segments = new int[children * columns];
    }
  }

  PioBulkload(PioStructure tree, double fillFactor, long size) {
    tree.change.begin();
    BulkloadInput.checkStart(fillFactor, size);
    this.tree = tree;
    this.fillFactor = fillFactor;
    this.leafEntries = filled(tree.inner.leafSegments * tree.entries.capacity);
    this.leaf = new Operations(leafEntries);
  }

  private int filled(int capacity) {
    return Math.max((int) Math.round(capacity * fillFactor), 2);
  }

  /** Loads everything; the tree is empty again if that fails. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    tree.load(entries, total, listener, this::fill);
  }

  private void fill(BulkloadInput input) {
    tree.becomeEmpty(); // There may be deletions, and what they delete.
    while (input.next()) {
      if (input.loaded() == 1) {
        freeEmptyTree(); // The first pages written take its place.
      }
      if (leaf.count == leafEntries) {
        writeLeaf();
      }
      leaf.add(input.key(), input.value(), Message.PUT);
    }
    if (input.loaded() > 0) {
      finish();
    }
    tree.meta[PioStructure.IN_LEAVES] = input.loaded();
  }

  private void freeEmptyTree() {
    LeafPath path = new LeafPath(tree);
    path.find(0);
    tree.store.free(path.segments[0]);
    tree.store.free(path.pages[1]);
  }

  private void writeLeaf() {
    int[] segments = new int[tree.inner.leafSegments];
    int capacity = tree.entries.capacity;
    for (int i = 0; i * capacity < leaf.count; i++) {
      segments[i] = tree.allocate();
      long at = tree.store.pin(segments[i]);
      try {
        EntryPage.initialize(tree.pages, at, EntryPage.LEAF);
        int some = Math.min(leaf.count - i * capacity, capacity);
        leaf.store(tree.entries, tree.pages, at, i * capacity, some);
      } finally {
        tree.store.unpin(at, true);
      }
    }
    long last = leaf.keys[leaf.count - 1];
    leaf.clear();
    add(1, last, segments);
  }

  /** Adds a child to the node being gathered on a level; writes that first if it is full. */
  private void add(int level, long lastKey, int[] segments) {
    int columns = tree.inner.leafSegments;
    if (level == height) {
      rows[height++] = new Row(filled(tree.inner.capacity), columns);
    }
    Row row = rows[level];
    if (row.count == row.keys.length) {
      write(level);
    }
    row.keys[row.count] = lastKey;
    System.arraycopy(segments, 0, row.segments, row.count * columns, columns);
    row.count++;
  }

  private int writeNode(int level) {
    Row row = rows[level];
    int columns = tree.inner.leafSegments;
    int page = tree.allocate();
    long at = tree.store.pin(page);
    try {
      tree.inner.initialize(tree.pages, at, level);
      EntryPage.count(tree.pages, at, row.count);
      for (int child = 0; child < row.count; child++) {
        for (int i = 0; i < columns; i++) {
          tree.inner.segment(tree.pages, at, child, i, row.segments[child * columns + i]);
        }
        if (child < row.count - 1) {
          InnerPage.separator(tree.pages, at, child, row.keys[child]);
        }
      }
    } finally {
      tree.store.unpin(at, true);
    }
    return page;
  }

  /** Writes the node being gathered on a level, and adds it to the level above. */
  private void write(int level) {
    Row row = rows[level];
    long lastKey = row.keys[row.count - 1];
    int[] segments = new int[tree.inner.leafSegments];
    segments[0] = writeNode(level);
    row.count = 0;
    Arrays.fill(row.segments, 0);
    add(level + 1, lastKey, segments);
  }

  /** Writes the last leaf, and the last node of every level; the highest is the root. */
  private void finish() {
    writeLeaf();
    int level = 1;
    while (level < height - 1) {
      write(level++);
    }
    int root = writeNode(level);
    tree.meta[PioStructure.ROOT] = root;
    tree.meta[PioStructure.HEIGHT] = level + 1L;
  }
}
