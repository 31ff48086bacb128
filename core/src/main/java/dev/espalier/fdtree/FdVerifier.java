// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.ProgressListener;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.PageVerifier;

/** Checks the invariants that {@link FdStructure} lists. O(n). */
final class FdVerifier extends PageVerifier {
  private final FdStructure tree;
  private final RunPage layout;

  /** What a source has had so far. */
  private long elements;

  private long messages;
  private long tombstones;
  private long fences;
  private long holes;
  private long lastKey;
  private boolean lastWasFence;

  private FdVerifier(FdStructure tree, ProgressListener listener) {
    super(tree.store, listener, tree.sizeEstimate());
    this.tree = tree;
    this.layout = tree.layout;
  }

  static void verify(FdStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new FdVerifier(tree, listener).run();
  }

  private void run() {
    checkEqual("I2", tree.meta[FdStructure.HEIGHT], tree.depth + 1L, "the height");
    claim("I6", tree.root(), 1);
    long root = store.pin(tree.root());
    int count = RootPage.rawCount(pages, root);
    store.unpin(root, false);
    checkRange("I7", count, 1, tree.rootLayout.capacity, "the number of leaves");
    int[] leaves = tree.head.leaves();
    for (int leaf : leaves) {
      claim("I6", leaf, 1);
    }
    for (int k = 1; k <= tree.depth; k++) {
      claim("I6", tree.runs[k].firstPage(), tree.runs[k].pages());
    }
    checkAllClaimed("I6");
    checkHead(leaves);
    for (int k = 1; k <= tree.depth; k++) {
      checkRun(k);
    }
    checkDead("I10", tree.dead, new FdCursor(tree, new DeadRanges()));
    if (tree.meta[FdStructure.SIZE] != FdStructure.UNKNOWN) {
      checkEqual("I9", tree.countEntries(), tree.meta[FdStructure.SIZE], "the number of entries");
    }
  }

  private void begin() {
    elements = 0;
    messages = 0;
    tombstones = 0;
    fences = 0;
    holes = 0;
  }

  private void checkHead(int[] leaves) {
    begin();
    for (int i = 0; i < leaves.length; i++) {
      long root = store.pin(tree.root());
      long low = i == 0 ? Long.MIN_VALUE : RootPage.key(pages, root, i);
      boolean isLast = i + 1 == leaves.length;
      long high = isLast ? Long.MAX_VALUE : RootPage.key(pages, root, i + 1);
      store.unpin(root, false);
      check(
          isLast || low < high,
          "I7",
          "separator %d of the head tree is not above the one before",
          i);
      checkPage(0, leaves[i], i);
      long page = store.pin(leaves[i]);
      int count = layout.count(pages, page);
      try {
        check(
            count == 0
                || (RunPage.key(pages, page, 0) >= low
                    && (isLast || RunPage.key(pages, page, count - 1) <= high)),
            "I7",
            "leaf %d of the head tree has keys beyond its separators",
            i);
      } finally {
        store.unpin(page, false);
      }
    }
    checkEqual("I2", messages, tree.meta[FdStructure.HEAD], "the number of messages in the head");
    checkSource(0);
  }

  private void checkRun(int number) {
    begin();
    Run run = tree.runs[number];
    check(
        run.elements() > 0 && Math.ceilDiv(run.elements(), (long) layout.capacity) == run.pages(),
        "I2",
        "run %d has %d elements in %d pages",
        number,
        run.elements(),
        run.pages());
    for (int i = 0; i < run.pages(); i++) {
      checkPage(number, run.firstPage() + i, i);
      check(
          i + 1 == run.pages() || elements == (i + 1L) * layout.capacity,
          "I2",
          "page %d of run %d is not full",
          i,
          number);
    }
    checkEqual("I2", elements, run.elements(), "the number of elements in run %d", number);
    checkEqual("I2", messages, run.messages(), "the number of messages in run %d", number);
    checkEqual("I2", tombstones, run.tombstones(), "the number of tombstones in run %d", number);
    check(messages <= tree.capacity(number), "I8", "run %d has %d messages", number, messages);
    checkSource(number);
  }

  private void checkSource(int number) {
    long expected = number < tree.depth ? tree.runs[number + 1].pages() : 0;
    checkEqual("I3", fences, expected, "the number of fences in run %d", number);
    if (number == tree.depth) {
      checkEqual("I5", tombstones, 0, "the number of tombstones in the deepest run");
    } else {
      checkEqual("I5", holes, 0, "the number of removed elements in run %d", number);
    }
  }

  private void checkPage(int source, int number, int ordinal) {
    long page = store.pin(number);
    try {
      int count = RunPage.rawCount(pages, page);
      checkRange("I2", count, source == 0 ? 0 : 1, layout.capacity, "the count of page %d", number);
      long before = Math.max(0, fences - 1);
      checkEqual("I4", RunPage.before(pages, page), before, "the fence before page %d", ordinal);
      for (int slot = 0; slot < count; slot++) {
        checkElement(source, page, slot);
      }
      count(count);
    } finally {
      store.unpin(page, false);
    }
  }

  private void checkElement(int source, long page, int slot) {
    long key = RunPage.key(pages, page, slot);
    int type = layout.type(pages, page, slot);
    boolean isFence = type == RunPage.FENCE;
    check(
        elements == 0 || lastKey < key || (lastKey == key && lastWasFence && !isFence),
        "I1",
        "key %d of run %d is not above its predecessor %d",
        key,
        source,
        lastKey);
    checkRange("I2", type, RunPage.NOTHING, RunPage.FENCE, "the type of key %d", key);
    if (isFence) {
      checkFence(source, key, layout.value(pages, page, slot));
      fences++;
    } else {
      messages += RunPage.isMessage(type) ? 1 : 0;
      tombstones += type == RunPage.TOMBSTONE ? 1 : 0;
      holes += type == RunPage.NOTHING ? 1 : 0;
    }
    elements++;
    lastKey = key;
    lastWasFence = isFence;
  }

  private void checkFence(int source, long key, long target) {
    checkEqual("I3", target, fences, "the target of fence %d of run %d", fences, source);
    check(
        source < tree.depth && target < tree.runs[source + 1].pages(),
        "I3",
        "fence %d of run %d leads to no page",
        target,
        source);
    long page = store.pin(tree.runs[source + 1].firstPage() + (int) target);
    long first = RunPage.key(pages, page, 0);
    store.unpin(page, false);
    checkEqual("I3", key, first, "the key of fence %d of run %d", target, source);
  }
}
