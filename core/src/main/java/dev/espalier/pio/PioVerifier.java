// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.ProgressListener;
import dev.espalier.support.Message;
import dev.espalier.support.PageVerifier;

/**
 * Checks the invariants of {@link PioStructure} in one pass from left to right. Built to survive
 * any damage: it goes to no page that is not in use, and to none twice.
 */
final class PioVerifier extends PageVerifier {
  private final PioStructure tree;
  private final EntryPage layout;
  private final InnerPage inner;
  private final OperationQueue queue;
  private final int height;

  /** The operations in the queue, of each key the newest. */
  private final Operations queued;

  /** The first of them that is in no leaf checked so far. */
  private int nextQueued;

  /** The operations of the leaf that is being checked. */
  private final Operations leaf;

  /** Entries after all operations. */
  private long live;

  private long inLeaves;

  private PioVerifier(PioStructure tree, ProgressListener listener) {
    super(tree.store, listener, tree.sizeEstimate());
    this.tree = tree;
    this.layout = tree.entries;
    this.inner = tree.inner;
    this.queue = tree.queue;
    this.queued = new Operations(layout.capacity);
    this.leaf = new Operations(layout.capacity);
    this.height = Math.clamp(tree.meta[PioStructure.HEIGHT], 2, PioStructure.MAX_HEIGHT);
  }

  static void verify(PioStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new PioVerifier(tree, listener).run();
  }

  private void run() {
    checkEqual("I1", tree.meta[PioStructure.HEIGHT], height, "the height");
    visitQueue();
    visit(tree.root(), height - 1, Long.MIN_VALUE, Long.MAX_VALUE);
    checkAllClaimed("I8");
    checkEqual("I10", inLeaves, tree.meta[PioStructure.IN_LEAVES], "the count of what leaves have");
    long size = tree.meta[PioStructure.SIZE];
    check(size < 0 || size == live, "I11", "the size is %d, but there are %d entries", size, live);
    checkDead("I12", tree.dead.ranges, PioCursor.withoutRanges(tree));
  }

  // ---------------------------------------------------------------- queue

  private void visitQueue() {
    claim("I7", queue.directory.page(), 1);
    for (int i = 0; i < queue.directory.count(); i++) {
      claim("I7", queue.directory.number(i), 1);
    }
    int sortedPages = queue.sortedPages();
    for (int i = 0; i < sortedPages; i++) {
      int left = queue.sorted() - i * layout.capacity;
      visitQueuePage(queue.directory.number(i), Math.min(left, layout.capacity), i > 0);
    }
    for (int i = 0; i < queue.appendedPages(); i++) {
      visitQueuePage(queue.directory.number(sortedPages + i), 0, false);
    }
  }

  /**
   * Visits a page of the queue.
   *
   * @param expected the count it has to have, or 0 for any
   * @param follows whether its keys are above those of the page before
   */
  private void visitQueuePage(int page, int expected, boolean follows) {
    long at = store.pin(page);
    try {
      checkEqual("I9", EntryPage.level(pages, at), EntryPage.QUEUE, "the level of page %d", page);
      int count = EntryPage.count(pages, at);
      checkRange("I9", count, 1, layout.capacity, "the count of page %d", page);
      check(expected == 0 || count == expected, "I9", "the count of page %d is %d", page, count);
      long low = follows ? queued.keys[queued.count - 1] : Long.MIN_VALUE;
      check(
          !follows || EntryPage.key(pages, at, 0) > low,
          "I9",
          "page %d of the queue does not begin above key %d",
          page,
          low);
      visitOperations("I9", page, at, count, Long.MIN_VALUE, Long.MAX_VALUE);
      queued.apply(layout, pages, at, 0, count);
    } finally {
      store.unpin(at, false);
    }
  }

  private void visitOperations(
      String invariant, int page, long at, int count, long low, long high) {
    for (int i = 0; i < count; i++) {
      long key = EntryPage.key(pages, at, i);
      check(
          key >= low && key <= high && (i == 0 || key > EntryPage.key(pages, at, i - 1)),
          invariant,
          "key %d of page %d is %d, out of order or not from %d to %d",
          i,
          page,
          key,
          low,
          high);
      int kind = layout.kind(pages, at, i);
      check(
          kind == Message.PUT || (kind == Message.DELETE && layout.value(pages, at, i) == 0),
          "I6",
          "operation %d of page %d is of kind %d with value %d",
          i,
          page,
          kind,
          layout.value(pages, at, i));
    }
  }

  // ---------------------------------------------------------------- nodes

  /** Visits a node whose keys are from {@code low} to {@code high}, both included. */
  private void visit(int page, int level, long low, long high) {
    claim("I7", page, 1);
    long[] separators;
    int[][] children;
    long at = store.pin(page);
    try {
      checkEqual("I1", EntryPage.level(pages, at), level, "the level of page %d", page);
      int count = EntryPage.count(pages, at);
      int least = level == height - 1 && level > 1 ? 2 : 1;
      checkRange("I2", count, least, inner.capacity, "the number of children of page %d", page);
      children = new int[count][];
      separators = new long[count - 1];
      for (int i = 0; i < count; i++) {
        children[i] = new int[level == 1 ? inner.segments(pages, at, i) : 1];
        for (int j = 0; j < children[i].length; j++) {
          children[i][j] = inner.segment(pages, at, i, j);
        }
        if (i < separators.length) {
          separators[i] = InnerPage.separator(pages, at, i);
        }
      }
    } finally {
      store.unpin(at, false);
    }
    checkSeparators(page, separators, low, high);
    long from = low;
    for (int i = 0; i < children.length; i++) {
      long to = i < separators.length ? separators[i] : high;
      if (level == 1) {
        visitLeaf(children[i], from, to);
      } else {
        visit(children[i][0], level - 1, from, to);
      }
      from = to + 1;
    }
  }

  private static void checkSeparators(int page, long[] separators, long low, long high) {
    for (int i = 0; i < separators.length; i++) {
      long separator = separators[i];
      check(
          separator >= low && separator < high && (i == 0 || separator > separators[i - 1]),
          "I3",
          "separator %d of page %d is %d, out of order or not from %d to below %d",
          i,
          page,
          separator,
          low,
          high);
    }
  }

  private void visitLeaf(int[] segments, long low, long high) {
    leaf.clear();
    for (int i = 0; i < segments.length; i++) {
      int page = segments[i];
      claim("I7", page, 1);
      long at = store.pin(page);
      try {
        checkEqual("I1", EntryPage.level(pages, at), EntryPage.LEAF, "the level of page %d", page);
        int count = EntryPage.count(pages, at);
        int least = i < segments.length - 1 ? 1 : 0;
        checkRange("I5", count, least, layout.capacity, "the count of page %d", page);
        visitOperations("I4", page, at, count, low, high);
        for (int slot = 0; slot < count; slot++) {
          inLeaves += PioStructure.weight(layout.kind(pages, at, slot));
        }
        leaf.apply(layout, pages, at, 0, count);
      } finally {
        store.unpin(at, false);
      }
    }
    countEntries(high);
  }

  /** Counts the entries of the leaf up to a key after the operations that are in the queue. */
  private void countEntries(long high) {
    int next = 0;
    long before = live;
    for (; nextQueued < queued.count && queued.keys[nextQueued] <= high; nextQueued++) {
      for (; next < leaf.count && leaf.keys[next] < queued.keys[nextQueued]; next++) {
        live += leaf.kinds[next] == Message.PUT ? 1 : 0;
      }
      next += next < leaf.count && leaf.keys[next] == queued.keys[nextQueued] ? 1 : 0;
      live += queued.kinds[nextQueued] == Message.PUT ? 1 : 0;
    }
    for (; next < leaf.count; next++) {
      live += leaf.kinds[next] == Message.PUT ? 1 : 0;
    }
    count(live - before);
  }
}
