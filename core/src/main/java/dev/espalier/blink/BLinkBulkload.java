// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.memory.PageStore;
import dev.espalier.support.BulkloadInput;
import dev.espalier.tree.StoreTree;

/**
 * Fills an empty tree from sorted entries, bottom up: each level has one page that is being filled,
 * which is added to the level above once the next one is begun. Nobody else is in the tree.
 */
final class BLinkBulkload {
  private final BLinkStructure tree;
  private final PageStore store;
  private final LinkedPageFormat format;
  private final double fillFactor;

  /** For each level, the page that is being filled, and how many entries or children it has. */
  private final int[] open = new int[StoreTree.MAX_HEIGHT];

  private final int[] counts = new int[StoreTree.MAX_HEIGHT];

  /** What these pages get when they are full. */
  private final long[][] keys = new long[StoreTree.MAX_HEIGHT][];

  private final long[][] payloads = new long[StoreTree.MAX_HEIGHT][];

  BLinkBulkload(BLinkStructure tree, double fillFactor) {
    tree.checkOpen();
    tree.store.beforeChange();
    BulkloadInput.checkStart(fillFactor, tree.size());
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
    this.fillFactor = fillFactor;
  }

  /** Loads everything; the tree is empty again if that fails. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    tree.load(entries, total, listener, this::fill);
  }

  private void fill(BulkloadInput input) {
    if (store.pagesInUse() > 1) {
      tree.clear(); // Empty pages may be left, which a single empty leaf replaces.
    }
    open[0] = tree.root();
    makeRoom(0);
    while (input.next()) {
      add(0, input.key(), input.value());
    }
    finish();
  }

  private int most(int level) {
    return Math.max((int) Math.round(format.capacity(level) * fillFactor), 2);
  }

  /** Adds an entry, or a child with the upper bound of its keys, to the open page of a level. */
  private void add(int level, long key, long payload) {
    if (counts[level] == most(level)) {
      closePage(level);
    }
    int rank = counts[level]++;
    keys[level][rank] = key;
    payloads[level][rank] = payload;
  }

  private void makeRoom(int level) {
    keys[level] = new long[most(level)];
    payloads[level] = new long[most(level)];
  }

  /** Stores what was added to the open page of a level. */
  private void store(int level, long at) {
    format.store(tree.pages, at, open[level], keys[level], payloads[level], counts[level]);
  }

  /** Begins the next page of a level, and adds the one that is full to the level above. */
  private void closePage(int level) {
    int full = open[level];
    int next = newPage(level);
    long high = keys[level][counts[level] - 1];
    long at = store.pin(full);
    store(level, at);
    LinkedPage.high(tree.pages, at, high);
    LinkedPage.right(tree.pages, at, next);
    store.unpin(at, true);
    at = store.pin(next);
    LinkedPage.left(tree.pages, at, full);
    store.unpin(at, true);
    open[level] = next;
    counts[level] = 0;
    addAbove(level, high, full);
  }

  private void addAbove(int level, long high, int page) {
    if (open[level + 1] == 0) {
      open[level + 1] = newPage(level + 1);
      makeRoom(level + 1);
    }
    add(level + 1, high, page);
  }

  private int newPage(int level) {
    int page = tree.space.take().page();
    tree.space.used();
    long at = store.pin(page);
    format.initialize(tree.pages, at, page, level);
    store.unpin(at, true);
    return page;
  }

  private void storeLast(int level) {
    long at = store.pin(open[level]);
    store(level, at);
    store.unpin(at, true);
  }

  /** Adds the last page of each level to the one above; that of the highest is the root. */
  private void finish() {
    int level = 0;
    storeLast(level);
    for (; open[level + 1] != 0; level++) {
      addAbove(level, Long.MAX_VALUE, open[level]);
      storeLast(level + 1);
    }
    tree.rootPage(open[level], level + 1);
  }
}
