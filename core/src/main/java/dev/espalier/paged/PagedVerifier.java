// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.ProgressListener;
import dev.espalier.support.PageVerifier;

/**
 * Checks the invariants I1 to I8 of {@link PagedStructure}, and those of its page format, in one
 * pass from left to right. Built to survive any damage: it goes to no page that is not in use, and
 * to none twice.
 */
final class PagedVerifier extends PageVerifier {
  private final PagedStructure tree;
  private final PageFormat format;

  /** The inner page last visited on each level, 0 for none. */
  private final int[] last;

  private PagedVerifier(PagedStructure tree, ProgressListener listener) {
    super(tree.store, listener, tree.meta[PagedStructure.SIZE]);
    this.tree = tree;
    this.format = tree.format;
    this.last = new int[Math.clamp(tree.meta[PagedStructure.HEIGHT], 1, PagedStructure.MAX_HEIGHT)];
  }

  static void verify(PagedStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new PagedVerifier(tree, listener).run();
  }

  private void run() {
    checkEqual("I3", tree.meta[PagedStructure.HEIGHT], last.length, "the height");
    visit(tree.root(), last.length - 1, Long.MIN_VALUE, Long.MAX_VALUE);
    for (int level = 1; level < last.length; level++) {
      checkChained(last[level], 0, level);
    }
    checkEqual("I5", entries(), tree.meta[PagedStructure.SIZE], "the number of entries");
    checkAllClaimed("I8");
  }

  /** Visits a page whose keys are from {@code low} to {@code high}, both included. */
  private void visit(int page, int level, long low, long high) {
    claim("I7", page, 1);
    long at = store.pin(page);
    long[] keys;
    long[] payloads;
    int count;
    try {
      checkHeader(page, at, level);
      format.verify(pages, at, page);
      count = PageHeader.count(pages, at);
      keys = new long[count];
      payloads = new long[count];
      format.load(pages, at, keys, payloads, 0);
    } finally {
      store.unpin(at, false);
    }
    checkKeys(page, keys, low, high);
    if (level == 0) {
      count(count);
    } else {
      checkEqual("I2", keys[count - 1], high, "the last key, or bound, of page %d", page);
      checkChained(last[level], page, level);
      last[level] = page;
      long childLow = low;
      for (int i = 0; i < count; i++) {
        visit((int) payloads[i], level - 1, childLow, keys[i]);
        childLow = keys[i] + 1;
      }
    }
  }

  private void checkHeader(int page, long at, int level) {
    checkEqual("I3", PageHeader.level(pages, at), level, "the level of page %d", page);
    boolean isRoot = level == last.length - 1;
    int least = 1;
    if (isRoot) {
      least = level == 0 ? 0 : 2;
    }
    int capacity = level == 0 ? format.leafCapacity : format.innerCapacity;
    int count = PageHeader.count(pages, at);
    checkRange("I4", count, least, capacity, "the count of page %d of level %d", page, level);
    if (level == 0) {
      check(
          PageHeader.next(pages, at) == 0 && PageHeader.previous(pages, at) == 0,
          "I6",
          "leaf page %d is chained",
          page);
    }
  }

  private static void checkKeys(int page, long[] keys, long low, long high) {
    for (int i = 0; i < keys.length; i++) {
      check(
          i == 0 || keys[i - 1] < keys[i],
          "I1",
          "in page %d, key %d is not above its predecessor",
          page,
          keys[i]);
      checkRange("I2", keys[i], low, high, "key %d of page %d", i, page);
    }
  }

  /** Checks that two inner pages of a level are beside each other; 0 stands for the end. */
  private void checkChained(int left, int right, int level) {
    int next = left == 0 ? right : header(left, true);
    int previous = right == 0 ? left : header(right, false);
    check(
        next == right && previous == left,
        "I6",
        "the pages %d and %d of level %d are not chained to each other",
        left,
        right,
        level);
  }

  private int header(int page, boolean next) {
    long at = store.pin(page);
    int neighbour = next ? PageHeader.next(pages, at) : PageHeader.previous(pages, at);
    store.unpin(at, false);
    return neighbour;
  }
}
