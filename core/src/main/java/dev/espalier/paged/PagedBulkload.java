// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.support.BulkloadInput;

/**
 * Fills an empty tree of pages from sorted entries, bottom up (fpB+ 3.1.2): on every level one page
 * is being gathered in arrays, and written when the next entry no longer belongs to it.
 */
final class PagedBulkload {
  private final PagedStructure tree;
  private final PageFormat format;
  private final double fillFactor;

  /** For each level, the entries of the page being gathered, and the page written before it. */
  private final Row[] rows = new Row[PagedStructure.MAX_HEIGHT];

  private int height;

  private static final class Row {
    final long[] keys;
    final long[] payloads;
    int count;
    int previousPage;

    Row(int capacity) {
      keys = new long[capacity];
      payloads = new long[capacity];
    }
  }

  PagedBulkload(PagedStructure tree, double fillFactor) {
    tree.checkOpen();
    tree.change.begin();
    BulkloadInput.checkStart(fillFactor, tree.meta[PagedStructure.SIZE]);
    this.tree = tree;
    this.format = tree.format;
    this.fillFactor = fillFactor;
  }

  /** Loads everything; the tree is empty again if that fails. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    tree.load(entries, total, listener, this::fill);
  }

  private void fill(BulkloadInput input) {
    addRow(format.leafCapacity);
    while (input.next()) {
      if (input.loaded() == 1) {
        tree.store.free(tree.root()); // the empty leaf: the first page written takes its place
      }
      add(0, input.key(), input.value());
    }
    if (input.loaded() > 0) {
      finish();
    }
  }

  private void addRow(int capacity) {
    rows[height++] = new Row(Math.max((int) Math.round(capacity * fillFactor), 2));
  }

  /** Adds an entry to the page being gathered on a level; writes that page first if it is full. */
  private void add(int level, long key, long payload) {
    if (level == height) {
      addRow(format.innerCapacity);
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

  /** Writes the page being gathered, and chains it to the one before. */
  private int write(int level) {
    Row row = rows[level];
    int page = tree.allocate();
    long at = tree.store.pin(page);
    try {
      format.initialize(tree.change.scratch, tree.pages, at, page, level);
      format.store(tree.change.scratch, tree.pages, at, row.keys, row.payloads, 0, row.count);
      if (level > 0) {
        PageHeader.previous(tree.pages, at, row.previousPage);
      }
    } finally {
      tree.store.unpin(at, true);
    }
    if (level > 0 && row.previousPage != 0) {
      long before = tree.store.pin(row.previousPage);
      PageHeader.next(tree.pages, before, page);
      tree.store.unpin(before, true);
    }
    row.previousPage = page;
    return page;
  }

  /** Writes the last page of every level; the highest is the root. */
  private void finish() {
    for (int level = 0; ; level++) {
      if (level > 0) {
        rows[level].keys[rows[level].count - 1] = Long.MAX_VALUE;
      }
      int page = write(level);
      if (level == height - 1) {
        tree.meta[PagedStructure.ROOT] = page;
        tree.meta[PagedStructure.HEIGHT] = height;
        return;
      }
      add(level + 1, Long.MAX_VALUE, page);
    }
  }
}
