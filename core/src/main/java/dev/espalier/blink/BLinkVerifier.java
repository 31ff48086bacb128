// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.ProgressListener;
import dev.espalier.support.PageVerifier;
import java.util.ArrayList;
import java.util.List;

/** Checks the invariants that {@link BLinkStructure} lists, while nobody else is there. O(n). */
final class BLinkVerifier extends PageVerifier {
  private final BLinkStructure tree;
  private final LinkedPageFormat format;

  /** A child, and the upper bound of its keys. */
  private record Child(int page, long bound) {}

  private BLinkVerifier(BLinkStructure tree, ProgressListener listener) {
    super(tree.store, listener, tree.size());
    this.tree = tree;
    this.format = tree.format;
  }

  static void verify(BLinkStructure tree, ProgressListener listener) {
    new BLinkVerifier(tree, listener).run();
  }

  private void run() {
    int height = tree.height();
    checkRange("I4", height, 1, BLinkStructure.MAX_HEIGHT, "the height");
    claim("I8", tree.root(), 1);
    List<Child> level = List.of(new Child(tree.root(), Long.MAX_VALUE));
    for (int at = height - 1; at >= 0; at--) {
      level = checkLevel(at, level);
    }
    checkEqual("I7", tree.epochs.entries(), entries(), "the size");
    checkEqual("I8", store.pagesInUse(), claimed() + tree.space.outside(), "the pages in use");
  }

  /** Goes through a level from left to right, and returns what its pages lead to. */
  private List<Child> checkLevel(int level, List<Child> expected) {
    List<Child> below = new ArrayList<>();
    int page = expected.getFirst().page;
    int before = 0;
    long low = Long.MIN_VALUE;
    boolean wasMarked = false;
    int next = 0;
    while (page != 0) {
      boolean isExpected = next < expected.size() && expected.get(next).page == page;
      check(
          isExpected != wasMarked,
          "I5",
          "page %d of level %d has %s entry above",
          page,
          level,
          wasMarked ? "an" : "no");
      if (!isExpected) {
        claim("I8", page, 1);
      } else {
        next++;
      }
      long at = store.pin(page);
      try {
        checkHeader(page, at, level, before);
        format.verify(pages, at, page);
        checkKeys(page, at, level, before == 0, low, below);
        long high = LinkedPage.high(pages, at);
        wasMarked = LinkedPage.isSplitIncomplete(pages, at);
        check(
            wasMarked || high == expected.get(next - 1).bound,
            "I5",
            "page %d of level %d has the high key %d, but the upper bound %d above",
            page,
            level,
            high,
            expected.get(next - 1).bound);
        before = page;
        low = high;
        page = LinkedPage.right(pages, at);
      } finally {
        store.unpin(at, false);
      }
    }
    check(!wasMarked, "I6", "the last page of level %d is marked as split", level);
    checkEqual("I5", expected.size(), next, "the number of pages that lead to level %d", level);
    return below;
  }

  private void checkHeader(int page, long at, int level, int before) {
    checkEqual("I4", LinkedPage.level(pages, at), level, "the level of page %d", page);
    check(!LinkedPage.hasLeft(pages, at), "I6", "page %d is marked as gone", page);
    checkEqual("I3", LinkedPage.left(pages, at), before, "the left link of page %d", page);
    boolean isLast = LinkedPage.right(pages, at) == 0;
    check(
        isLast == (LinkedPage.high(pages, at) == Long.MAX_VALUE),
        "I2",
        "page %d has the right neighbour %d and the high key %d",
        page,
        LinkedPage.right(pages, at),
        LinkedPage.high(pages, at));
    checkRange(
        "I6",
        LinkedPage.rawCount(pages, at),
        level == 0 ? 0 : 1,
        format.capacity(level),
        "the count of page %d",
        page);
  }

  private void checkKeys(
      int page, long at, int level, boolean isFirst, long low, List<Child> below) {
    long high = LinkedPage.high(pages, at);
    check(isFirst || low < high, "I2", "page %d has the high key of its left neighbour", page);
    int count = LinkedPage.rawCount(pages, at);
    int separators = level == 0 ? count : count - 1;
    long[] keys = new long[count];
    long[] payloads = new long[count];
    format.load(pages, at, keys, payloads);
    for (int i = 0; i < separators; i++) {
      long key = keys[i];
      check(
          i == 0 || keys[i - 1] < key,
          "I1",
          "key %d of page %d is not above its predecessor",
          key,
          page);
      check(
          (isFirst || key > low) && key <= high && (level == 0 || key < high),
          "I2",
          "key %d of page %d is not above %d and up to %d",
          key,
          page,
          low,
          high);
    }
    if (level == 0) {
      count(count);
      return;
    }
    for (int i = 0; i < count; i++) {
      int child = (int) payloads[i];
      claim("I8", child, 1);
      below.add(new Child(child, i < separators ? keys[i] : high));
    }
  }
}
