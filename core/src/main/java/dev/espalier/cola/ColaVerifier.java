// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.ProgressListener;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.PageVerifier;

/**
 * Checks the invariants I1 to I11 of {@link ColaStructure}, level by level. Built to survive any
 * damage: it goes to no page that is not in use, and to none twice.
 */
final class ColaVerifier extends PageVerifier {
  private final ColaStructure tree;
  private final ElementPage layout;

  private ColaVerifier(ColaStructure tree, ProgressListener listener) {
    super(tree.store, listener, elements(tree));
    this.tree = tree;
    this.layout = tree.layout;
  }

  private static long elements(ColaStructure tree) {
    long elements = 0;
    for (int k = 1; k <= tree.depth; k++) {
      elements += tree.levels[k].elements();
    }
    return elements;
  }

  static void verify(ColaStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new ColaVerifier(tree, listener).run();
  }

  private void run() {
    int depth = tree.depth;
    check(
        depth >= 0 && depth <= tree.mostLevels && tree.meta[ColaStructure.HEIGHT] == depth + 1L,
        "I8",
        "there are %d levels, but the height is %d",
        depth,
        tree.meta[ColaStructure.HEIGHT]);
    claim("I9", (int) tree.meta[ColaStructure.MANIFEST], 1);
    claim("I9", (int) tree.meta[ColaStructure.TOP], 1);
    for (int k = 1; k <= depth; k++) {
      claim("I9", tree.levels[k].firstPage(), tree.levels[k].pages());
    }
    checkAllClaimed("I9");
    checkSizes();
    checkTop();
    for (int k = 1; k <= depth; k++) {
      checkLevel(k);
    }
    checkEntries();
  }

  // ---------------------------------------------------------------- counts

  private void checkSizes() {
    long merges = 0;
    for (int k = 1; k <= tree.depth; k++) {
      Level level = tree.levels[k];
      check(
          level.elements() >= 0
              && Math.ceilDiv(level.elements(), (long) layout.capacity) == level.pages(),
          "I7",
          "level %d has %d elements in %d pages",
          k,
          level.elements(),
          level.pages());
      check(
          level.runs() >= 0
              && level.runs() < tree.geometry.growth()
              && level.messages() <= level.runs() * tree.run(k),
          "I2",
          "level %d has %d messages after %d runs of at most %d",
          k,
          level.messages(),
          level.runs(),
          tree.run(k));
      merges += level.runs() * (tree.run(k) / tree.batch);
    }
    checkEqual("I3", tree.meta[ColaStructure.MERGES], merges, "the number of merges");
    if (tree.depth > 0) {
      long tombstones = tree.levels[tree.depth].tombstones();
      checkEqual("I8", tombstones, 0, "the number of tombstones in the deepest level");
    }
  }

  // ---------------------------------------------------------------- elements

  private void checkTop() {
    long page = store.pin((int) tree.meta[ColaStructure.TOP]);
    try {
      long number = ElementPage.number(pages, page);
      int sorted = TopPage.sortedCount(number);
      int tail = TopPage.tailCount(number);
      check(
          sorted >= 0 && tail >= 0 && tail < TopPage.TAIL && sorted + tail <= tree.batch,
          "I2",
          "level 0 has %d and %d messages of %d",
          sorted,
          tail,
          tree.batch);
      for (int slot = 0; slot < sorted + tail; slot++) {
        if (slot < sorted) {
          checkOrder(page, slot, 0, slot);
        }
        check(!layout.isPointer(pages, page, slot), "I5", "there is a pointer in level 0");
        boolean isPut = ElementPage.isPut(pages, page, slot);
        check(
            isPut || layout.value(pages, page, slot) == ElementPage.TOMBSTONE,
            "I7",
            "element %d of level 0 is neither put nor tombstone",
            slot);
        check(isPut || tree.depth > 0, "I8", "a tombstone in level 0 has nothing below it");
      }
    } finally {
      store.unpin(page, false);
    }
  }

  private void checkOrder(long page, int slot, int level, long position) {
    if (slot > 0) {
      check(
          layout.key(pages, page, slot - 1) < layout.key(pages, page, slot),
          "I1",
          "key %d at position %d of level %d is not above its predecessor",
          layout.key(pages, page, slot),
          position,
          level);
    }
  }

  private void checkLevel(int number) {
    Level level = tree.levels[number];
    long messages = 0;
    long tombstones = 0;
    long pointers = 0;
    long holes = 0;
    long last = Long.MIN_VALUE;
    for (int i = 0; i < level.pages(); i++) {
      long start = (long) i * layout.capacity;
      int count = (int) Math.min(level.elements() - start, layout.capacity);
      long page = store.pin(level.firstPage() + i);
      try {
        check(
            i == 0 || layout.key(pages, page, 0) > last,
            "I1",
            "page %d of level %d does not begin above the one before",
            i,
            number);
        long before = ElementPage.number(pages, page);
        checkEqual("I6", before, pointers, "the pointers before page %d of level %d", i, number);
        for (int slot = 0; slot < count; slot++) {
          checkOrder(page, slot, number, start + slot);
          boolean isPut = ElementPage.isPut(pages, page, slot);
          boolean isTombstone = !isPut && layout.value(pages, page, slot) == ElementPage.TOMBSTONE;
          messages += isPut || isTombstone ? 1 : 0;
          tombstones += isTombstone ? 1 : 0;
          if (layout.isPointer(pages, page, slot)) {
            checkPointer(number, pointers, layout.key(pages, page, slot));
            pointers++;
          } else if (!isPut && !isTombstone) {
            holes++;
          }
        }
        last = layout.key(pages, page, count - 1);
      } finally {
        store.unpin(page, false);
      }
      count(count);
    }
    checkCounts(number, messages, tombstones, pointers);
    check(number == tree.depth || holes == 0, "I8", "level %d has %d holes", number, holes);
  }

  private void checkCounts(int number, long messages, long tombstones, long pointers) {
    Level level = tree.levels[number];
    check(
        messages == level.messages() && tombstones == level.tombstones(),
        "I7",
        "level %d has %d messages and %d tombstones, but counts %d and %d",
        number,
        messages,
        tombstones,
        level.messages(),
        level.tombstones());
    long expected =
        number == tree.depth
            ? 0
            : Math.ceilDiv(tree.levels[number + 1].elements(), (long) tree.stride);
    checkEqual("I5", pointers, expected, "the number of pointers in level %d", number);
  }

  /** The page of a level is pinned meanwhile. */
  private void checkPointer(int number, long ordinal, long key) {
    Level next = tree.levels[number + 1];
    long position = ordinal * tree.stride;
    check(
        number < tree.depth && position < next.elements(),
        "I5",
        "pointer %d of level %d leads behind the end of the next level",
        ordinal,
        number);
    long page = store.pin(next.firstPage() + (int) (position / layout.capacity));
    long target = layout.key(pages, page, (int) (position % layout.capacity));
    store.unpin(page, false);
    checkEqual("I4", key, target, "the key of pointer %d of level %d", ordinal, number);
  }

  private void checkEntries() {
    checkDead("I11", tree.dead, tree.cursor(new DeadRanges()));
    long size = tree.meta[ColaStructure.SIZE];
    if (size == ColaStructure.UNKNOWN) {
      return;
    }
    checkEqual("I10", tree.countEntries(), size, "the number of entries");
  }
}
