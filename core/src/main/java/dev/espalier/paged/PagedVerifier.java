// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.concurrent.CancellationException;

/**
 * Checks the invariants I1 to I8 of {@link PagedStructure}, and those of its page format, in one
 * pass from left to right. Built to survive any damage: it goes to no page that is not in use, and
 * to none twice.
 */
final class PagedVerifier {
  private final PagedStructure tree;
  private final MemorySegment pages;
  private final PageFormat format;
  private final ProgressListener listener;
  private final BitSet visited = new BitSet();

  /** The inner page last visited on each level, 0 for none. */
  private final int[] last;

  private long entries;

  private PagedVerifier(PagedStructure tree, ProgressListener listener) {
    this.tree = tree;
    this.pages = tree.pages;
    this.format = tree.format;
    this.listener = listener;
    this.last = new int[Math.clamp(tree.meta[PagedStructure.HEIGHT], 1, PagedStructure.MAX_HEIGHT)];
  }

  static void verify(PagedStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new PagedVerifier(tree, listener).run();
  }

  private void run() {
    long height = tree.meta[PagedStructure.HEIGHT];
    check(height == last.length, "I3", "the height is %d", height);
    visit(tree.root(), last.length - 1, Long.MIN_VALUE, Long.MAX_VALUE);
    for (int level = 1; level < last.length; level++) {
      checkChained(last[level], 0, level);
    }
    long size = tree.meta[PagedStructure.SIZE];
    check(entries == size, "I5", "the size is %d, but there are %d entries", size, entries);
    check(
        visited.cardinality() == tree.store.pagesInUse(),
        "I8",
        "the tree has %d pages, but %d are in use",
        visited.cardinality(),
        tree.store.pagesInUse());
  }

  /** Visits a page whose keys are from {@code low} to {@code high}, both included. */
  private void visit(int page, int level, long low, long high) {
    check(tree.store.isInUse(page), "I7", "page %d is not in use", page);
    check(!visited.get(page), "I7", "page %d is reached twice", page);
    visited.set(page);
    long at = tree.store.pin(page);
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
      tree.store.unpin(at, false);
    }
    checkKeys(page, keys, low, high);
    if (level == 0) {
      count(count);
    } else {
      checkBound(page, keys[count - 1], high);
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
    int itsLevel = PageHeader.level(pages, at);
    check(itsLevel == level, "I3", "page %d of level %d says %d", page, level, itsLevel);
    boolean isRoot = level == last.length - 1;
    int least = 1;
    if (isRoot) {
      least = level == 0 ? 0 : 2;
    }
    int capacity = level == 0 ? format.leafCapacity : format.innerCapacity;
    int count = PageHeader.count(pages, at);
    check(
        count >= least && count <= capacity,
        "I4",
        "page %d of level %d has count %d, not from %d to %d",
        page,
        level,
        count,
        least,
        capacity);
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
      check(
          keys[i] >= low && keys[i] <= high,
          "I2",
          "in page %d, key %d is not from %d to %d",
          page,
          keys[i],
          low,
          high);
    }
  }

  private static void checkBound(int page, long key, long bound) {
    check(key == bound, "I2", "the last key of page %d is %d, not its bound %d", page, key, bound);
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
    long at = tree.store.pin(page);
    int neighbour = next ? PageHeader.next(pages, at) : PageHeader.previous(pages, at);
    tree.store.unpin(at, false);
    return neighbour;
  }

  private void count(int more) {
    long before = entries;
    entries += more;
    if (before >>> 16 != entries >>> 16
        && !listener.onProgress(entries, tree.meta[PagedStructure.SIZE])) {
      throw new CancellationException("verify cancelled after " + entries + " entries");
    }
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of users
  private static void check(boolean holds, String invariant, String format, Object... arguments) {
    if (!holds) {
      throw new InvariantViolationException(invariant, String.format(format, arguments));
    }
  }
}
