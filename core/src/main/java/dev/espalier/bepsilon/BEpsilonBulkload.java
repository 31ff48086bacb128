// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static dev.espalier.memory.Words.putLong;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.support.BulkloadInput;

/**
 * Fills an empty tree from sorted entries, bottom up: on every level one page is being gathered in
 * arrays, and written when the next entry no longer belongs to it. Buffers stay empty.
 */
final class BEpsilonBulkload {
  private final BEpsilonStructure tree;
  private final double fillFactor;
  private final Row[] rows = new Row[BEpsilonStructure.MAX_HEIGHT];
  private int height;

  /** The page being gathered on a level: entries, or children with the last key below each. */
  private static final class Row {
    final long[] keys;
    final long[] payloads;
    int count;

    Row(int capacity) {
      keys = new long[capacity];
      payloads = new long[capacity];
    }
  }

  BEpsilonBulkload(BEpsilonStructure tree, double fillFactor, long size) {
    tree.change.begin();
    BulkloadInput.checkStart(fillFactor, size);
    this.tree = tree;
    this.fillFactor = fillFactor;
  }

  /** Loads everything; the tree is empty again if that fails. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    tree.load(entries, total, listener, this::fill);
  }

  private void fill(BulkloadInput input) {
    if (tree.height() > 1) {
      tree.becomeEmpty(); // nothing but messages that delete what is in leaves
    }
    addRow(tree.leaf.capacity);
    while (input.next()) {
      if (input.loaded() == 1) {
        tree.store.free(tree.root()); // the empty leaf: the first page written takes its place
      }
      add(0, input.key(), input.value());
    }
    if (input.loaded() > 0) {
      finish();
    }
    tree.meta[BEpsilonStructure.LEAF_ENTRIES] = input.loaded();
  }

  private void addRow(int capacity) {
    rows[height++] = new Row(Math.max((int) Math.round(capacity * fillFactor), 2));
  }

  /** Adds an entry to the page being gathered on a level; writes that page first if it is full. */
  private void add(int level, long key, long payload) {
    if (level == height) {
      addRow(tree.inner.fanout);
    }
    Row row = rows[level];
    if (row.count == row.keys.length) {
      int page = write(level);
      add(level + 1, row.keys[row.count - 1], page);
      row.count = 0;
    }
    row.keys[row.count] = key;
    row.payloads[row.count] = payload;
    row.count++;
  }

  private int write(int level) {
    int page = tree.allocate();
    long at = tree.store.pin(page);
    try {
      NodePage.initialize(tree.pages, at, level);
      if (level == 0) {
        writeLeaf(at, rows[0]);
      } else {
        writeInner(at, rows[level]);
      }
    } finally {
      tree.store.unpin(at, true);
    }
    return page;
  }

  private void writeLeaf(long at, Row row) {
    for (int i = 0; i < row.count; i++) {
      putLong(tree.pages, at + LeafPage.KEYS_OFFSET + ((long) i << 3), row.keys[i]);
      putLong(tree.pages, at + tree.leaf.valuesOffset + ((long) i << 3), row.payloads[i]);
    }
    NodePage.count(tree.pages, at, row.count);
  }

  private void writeInner(long at, Row row) {
    for (int i = 0; i < row.count; i++) {
      tree.inner.child(tree.pages, at, i, (int) row.payloads[i]);
    }
    for (int i = 0; i < row.count - 1; i++) {
      InnerPage.separator(tree.pages, at, i, row.keys[i]);
    }
    NodePage.count(tree.pages, at, row.count);
  }

  /** Writes the last page of every level; the highest is the root. */
  private void finish() {
    for (int level = 0; ; level++) {
      long key = rows[level].keys[rows[level].count - 1];
      int page = write(level);
      if (level == height - 1) {
        tree.meta[BEpsilonStructure.ROOT] = page;
        tree.meta[BEpsilonStructure.HEIGHT] = height;
        return;
      }
      add(level + 1, key, page);
    }
  }
}
