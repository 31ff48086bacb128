// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.ProgressListener;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.PageVerifier;

/**
 * Checks the invariants I1 to I12 of {@link DeamortizedStructure}. Built to survive any damage: it
 * goes to no page that is not in use, and counts no page twice.
 */
final class DeamortizedVerifier extends PageVerifier {
  private final DeamortizedStructure tree;
  private final ElementPage layout;

  private DeamortizedVerifier(DeamortizedStructure tree, ProgressListener listener) {
    super(tree.store, listener, elements(tree));
    this.tree = tree;
    this.layout = tree.layout;
  }

  private static long elements(DeamortizedStructure tree) {
    long elements = 0;
    for (int i = 0; i < 2 * tree.depth; i++) {
      elements += tree.arrays[i].elements();
    }
    return elements;
  }

  static void verify(DeamortizedStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new DeamortizedVerifier(tree, listener).run();
  }

  private void run() {
    checkShape();
    checkPages();
    checkTop();
    for (int k = 0; k < tree.depth; k++) {
      for (int i = 2 * k; i <= 2 * k + 1; i++) {
        if (tree.arrays[i].pages() > 0) {
          checkArray(tree.arrays[i], tree.arrays[i].firstFence(), "array " + i);
        }
      }
      HalfMerge half = tree.merges[k];
      if (half.isBegun()) {
        checkArray(half.written(layout.capacity), half.firstFence, "the target of level " + k);
        checkMoved(k);
      }
    }
    checkEntries();
  }

  // ---------------------------------------------------------------- counts

  private void checkShape() {
    int depth = tree.depth;
    check(
        depth >= 0
            && depth < DeamortizedStructure.MOST_LEVELS
            && tree.meta[MessageLevels.HEIGHT] == depth + 1L,
        "I2",
        "there are %d levels, but the height is %d",
        depth,
        tree.meta[MessageLevels.HEIGHT]);
    for (int k = 0; k < depth; k++) {
      Level newer = tree.arrays[2 * k];
      Level older = tree.arrays[2 * k + 1];
      checkSize(k, newer);
      checkSize(k, older);
      checkFences(k, newer.firstFence(), newer.pages());
      checkFences(k, older.firstFence(), older.pages());
      check(
          older.pages() > 0 || newer.pages() == 0,
          "I2",
          "level %d has a newer array, but no older one",
          k);
      check(
          k == 0 || !tree.isUnsafe(k - 1) || !tree.isUnsafe(k),
          "I3",
          "levels %d and %d both have two arrays",
          k - 1,
          k);
      checkMerge(k, newer, older);
    }
    check(
        depth == 0 || tree.arrays[2 * depth - 1].pages() > 0,
        "I2",
        "the deepest level, %d, has no array",
        depth - 1);
    if (depth > 0) {
      check(
          tree.arrays[2 * depth - 1].tombstones() == 0
              && (!tree.merges[depth - 1].isBegun() || tree.merges[depth - 1].tombstones == 0),
          "I8",
          "the deepest level has tombstones that hide nothing");
    }
  }

  private void checkSize(int k, Level array) {
    checkRange("I2", array.elements(), 0, tree.capacity(k), "the size of an array of level %d", k);
    long needed = Math.ceilDiv(array.elements(), (long) layout.capacity);
    check(
        array.pages() == needed || (array.pages() == 1 && needed == 0),
        "I7",
        "an array of level %d has %d elements in %d pages",
        k,
        array.elements(),
        array.pages());
  }

  private void checkFences(int k, int first, int count) {
    check(
        first == 0 || count >= Fences.LEAST_PAGES,
        "I11",
        "an array of level %d has fences for %d pages",
        k,
        count);
  }

  private void checkMerge(int k, Level newer, Level older) {
    HalfMerge half = tree.merges[k];
    if (!half.isBegun()) {
      return;
    }
    check(tree.isUnsafe(k), "I5", "level %d has a target, but not two arrays", k);
    check(
        half.movedNewer >= 0
            && half.movedNewer <= newer.elements()
            && half.movedOlder >= 0
            && half.movedOlder <= older.elements(),
        "I5",
        "level %d has moved %d and %d elements, of %d and %d",
        k,
        half.movedNewer,
        half.movedOlder,
        newer.elements(),
        older.elements());
    long moved = half.movedNewer + half.movedOlder;
    long room = (long) half.pages * layout.capacity;
    checkRange("I4", half.elements, 0, Math.min(moved, room), "what level %d has written", k);
  }

  // ---------------------------------------------------------------- pages

  private void checkPages() {
    claim("I9", (int) tree.meta[MessageLevels.TOP], 1);
    long manifest = tree.meta[MessageLevels.MANIFEST];
    checkEqual("I9", manifest, tree.manifest[0], "the page of the manifest");
    for (int i = 0; i < tree.manifestPages; i++) {
      claim("I9", tree.manifest[i], 1);
    }
    for (int k = 0; k < tree.depth; k++) {
      claim(tree.arrays[2 * k]);
      claim(tree.arrays[2 * k + 1]);
      HalfMerge half = tree.merges[k];
      if (half.isBegun()) {
        claim("I9", half.firstPage, half.pages);
        claimFences(half.target());
      }
      for (int i = 0; i < HalfMerge.WASTE; i++) {
        if (half.wastePages[i] != 0) {
          claim("I9", half.wasteFirst[i], half.wastePages[i]);
        }
      }
    }
    checkAllClaimed("I9");
  }

  private void claim(Level array) {
    if (array.pages() != 0) {
      claim("I9", array.firstPage(), array.pages());
      claimFences(array);
    }
  }

  private void claimFences(Level array) {
    if (array.firstFence() != 0) {
      int count = tree.fences.pagesOf(array);
      claim("I9", array.firstFence() - count + 1, count);
    }
  }

  // ---------------------------------------------------------------- elements

  private void checkTop() {
    long page = store.pin((int) tree.meta[MessageLevels.TOP]);
    try {
      long count = ElementPage.number(pages, page);
      check(
          count >= 0 && count <= tree.batch,
          "I2",
          "the top has %d messages of %d",
          count,
          tree.batch);
      for (int slot = 0; slot < count; slot++) {
        checkElement(page, slot, "the top");
        boolean isPut = ElementPage.isPut(pages, page, slot);
        check(
            isPut || layout.value(pages, page, slot) == ElementPage.TOMBSTONE,
            "I7",
            "element %d of the top is neither put nor tombstone",
            slot);
        check(isPut || tree.depth > 0, "I8", "a tombstone in the top has nothing below it");
      }
    } finally {
      store.unpin(page, false);
    }
  }

  private void checkElement(long page, int slot, String where) {
    check(
        slot == 0 || layout.key(pages, page, slot - 1) < layout.key(pages, page, slot),
        "I1",
        "key %d in %s is not above its predecessor",
        layout.key(pages, page, slot),
        where);
    check(!layout.isPointer(pages, page, slot), "I6", "there is a pointer in %s", where);
  }

  private void checkArray(Level array, int firstFence, String where) {
    long messages = 0;
    long tombstones = 0;
    long before = Long.MIN_VALUE;
    for (int i = 0; i < array.pages(); i++) {
      int count = (int) Math.min(array.elements() - (long) i * layout.capacity, layout.capacity);
      if (count == 0) {
        break;
      }
      long page = store.pin(array.firstPage() + i);
      try {
        check(
            i == 0 || layout.key(pages, page, 0) > before,
            "I1",
            "page %d of %s does not begin above the one before",
            i,
            where);
        long pointers = ElementPage.number(pages, page);
        checkEqual("I6", pointers, 0, "the pointers before page %d of %s", i, where);
        for (int slot = 0; slot < count; slot++) {
          checkElement(page, slot, where);
          boolean isPut = ElementPage.isPut(pages, page, slot);
          boolean isTombstone = !isPut && layout.value(pages, page, slot) == ElementPage.TOMBSTONE;
          messages += isPut || isTombstone ? 1 : 0;
          tombstones += isTombstone ? 1 : 0;
        }
        before = layout.key(pages, page, count - 1);
        checkFence(firstFence, i, layout.key(pages, page, 0), where);
      } finally {
        store.unpin(page, false);
      }
      count(count);
    }
    check(
        messages == array.messages() && tombstones == array.tombstones(),
        "I7",
        "%s has %d messages and %d tombstones, but counts %d and %d",
        where,
        messages,
        tombstones,
        array.messages(),
        array.tombstones());
  }

  private void checkFence(int firstFence, int i, long firstKey, String where) {
    if (firstFence == 0) {
      return;
    }
    long page = store.pin(firstFence - tree.fences.pageOf(i));
    long fence = getLong(pages, page + tree.fences.offset(i));
    store.unpin(page, false);
    checkEqual("I11", fence, firstKey, "the fence of page %d of %s", i, where);
  }

  // ---------------------------------------------------------------- targets

  /** Merges what was moved once more, and compares. */
  private void checkMoved(int k) {
    HalfMerge half = tree.merges[k];
    boolean deepest = k == tree.depth - 1;
    // The newer array is read on to its end: what is next there hides its key in the older one.
    Messages newer = new Messages(tree.arrays[2 * k], tree.arrays[2 * k].elements());
    Messages older = new Messages(tree.arrays[2 * k + 1], half.movedOlder);
    Messages target = new Messages(half.written(layout.capacity), half.elements);
    while (newer.isIn(half.movedNewer) || older.isIn(half.movedOlder)) {
      while (older.isThere && newer.isThere && older.key == newer.key) {
        older.next();
      }
      if (!newer.isIn(half.movedNewer) && !older.isThere) {
        break;
      }
      boolean fromNewer = newer.isIn(half.movedNewer) && (!older.isThere || newer.key < older.key);
      Messages source = fromNewer ? newer : older;
      if (source.isPut || !deepest) {
        check(
            target.isThere
                && target.key == source.key
                && target.value == source.value
                && target.isPut == source.isPut,
            "I4",
            "the target of level %d does not have key %d as it was moved",
            k,
            source.key);
        target.next();
      }
      source.next();
    }
    check(!target.isThere, "I4", "the target of level %d has more than was moved to it", k);
    long room = (long) half.pages * layout.capacity - half.elements;
    long left =
        left(tree.arrays[2 * k], half.movedNewer) + left(tree.arrays[2 * k + 1], half.movedOlder);
    check(left <= room, "I4", "the target of level %d has room for %d of %d", k, room, left);
  }

  /** Counts the messages of an array from a position on. */
  private long left(Level array, long position) {
    long count = 0;
    Messages messages = new Messages(array, array.elements());
    messages.seek(position);
    while (messages.isThere) {
      count++;
      messages.next();
    }
    return count;
  }

  /** The messages of an array one after the other, up to some position. */
  private final class Messages {
    private final Level array;
    private final long end;
    private long position = -1;
    boolean isThere;
    long key;
    long value;
    boolean isPut;

    Messages(Level array, long end) {
      this.array = array;
      this.end = end;
      next();
    }

    /** Goes to the first message from a position on. */
    void seek(long from) {
      position = from - 1;
      next();
    }

    void next() {
      do {
        position++;
        isThere = position < end;
      } while (isThere && !read());
    }

    /** Tells whether there is a message before a position. */
    boolean isIn(long before) {
      return isThere && position < before;
    }

    /** Returns false if there is no message. */
    private boolean read() {
      long page = store.pin(array.firstPage() + (int) (position / layout.capacity));
      int slot = (int) (position % layout.capacity);
      key = layout.key(pages, page, slot);
      value = layout.value(pages, page, slot);
      isPut = ElementPage.isPut(pages, page, slot);
      boolean isMessage = layout.isMessage(pages, page, slot);
      store.unpin(page, false);
      return isMessage;
    }
  }

  // ---------------------------------------------------------------- entries

  private void checkEntries() {
    checkDead("I12", tree.dead, tree.cursor(new DeadRanges()));
    long size = tree.meta[MessageLevels.SIZE];
    if (size == MessageLevels.UNKNOWN) {
      return;
    }
    checkEqual("I10", tree.countEntries(), size, "the number of entries");
  }
}
