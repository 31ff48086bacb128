// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.KeyOrder;
import dev.espalier.memory.PageStore;
import dev.espalier.support.AskedAhead;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One removal of a range of keys by whole leaves. Of the leaves below one parent that are within
 * the range as a whole, the first becomes an empty leaf between the fences of all of them, which
 * then merges with a neighbour; the others go. After each parent the tree is one, so a removal that
 * fails has removed a part of the range. All that may be read of what goes is read before anything
 * is changed.
 *
 * <p>Of a tree for many threads, it is used by the one who has the tree alone; between two parents,
 * others may read and write.
 */
final class PrefixCut {
  /** Leaves that are asked for at once, as many as a scan asks for ahead. */
  private static final int AHEAD = AskedAhead.DISTANCE;

  /** Pages with pieces of values that are changed without asking the store for room. */
  private static final int FEW_SHARED_PAGES = 2048;

  private final PrefixStructure tree;
  private final PageStore store;
  private final PrefixChange change;
  private final BytesCursor cursor;
  private final MemorySegment to;
  private final boolean toInclusive;

  /** What is left of the range begins here. */
  private MemorySegment low;

  private boolean lowInclusive;
  private boolean hasBegun;

  /** Whether all of the range has gone. */
  private boolean isDone;

  /** The pages that are to be freed: leaves, and the chains of long keys and values. */
  private PageList dead;

  /** The pieces of pages that values share, which are to be freed. */
  private PageList deadPieces;

  private long found;

  /** Begins with all of the range left, which is not empty. */
  PrefixCut(
      PrefixStructure tree,
      PrefixChange change,
      BytesCursor cursor,
      MemorySegment from,
      boolean fromInclusive,
      MemorySegment to,
      boolean toInclusive) {
    this.low = from;
    this.lowInclusive = fromInclusive;
    this.to = to;
    this.toInclusive = toInclusive;
    this.tree = tree;
    this.store = tree.store;
    this.change = change;
    this.cursor = cursor;
    this.dead = new PageList(0);
    this.deadPieces = new PageList(0);
  }

  /** Removes the entries of the range; returns how many there were. O(log n) for each parent. */
  long remove() {
    long removed = 0;
    while (!isDone) {
      removed += removeNext();
    }
    return removed;
  }

  /** Tells whether all of the range has gone. */
  boolean isDone() {
    return isDone;
  }

  /** Removes those below the first parent that is left; returns how many there were. */
  long removeNext() {
    store.beforeChange();
    if (!hasBegun && holdsAll()) {
      long size = tree.size.get();
      tree.clear();
      isDone = true;
      return size;
    }
    hasBegun = true;
    change.findPath(low);
    MemorySegment bound = bound();
    if (bound != null && KeyOrder.compare(bound, low) <= 0) {
      throw Torn.torn("page " + change.path[1] + " leads nowhere");
    }
    int order = bound == null ? 1 : KeyOrder.compare(bound, to);
    long removed = removeBelow(low, lowInclusive, to, toInclusive, order <= 0);
    if (bound == null || order > 0 || (order == 0 && !toInclusive) || tree.size.get() == 0) {
      isDone = true;
    } else {
      low = bound;
      lowInclusive = true;
    }
    return removed;
  }

  /** Tells whether there are entries, and all their keys are within the range. */
  private boolean holdsAll() {
    cursor.expectValues(BytesCursor.Expected.NONE);
    return cursor.first()
        && compareKey(low) >= (lowInclusive ? 0 : 1)
        && cursor.last()
        && compareKey(to) <= (toInclusive ? 0 : -1);
  }

  private int compareKey(MemorySegment end) {
    return KeyOrder.compare(MemorySegment.ofArray(cursor.keyArray()), end);
  }

  /**
   * Returns the separator behind the leaves below the parent on the path, null if there is none.
   */
  private @Nullable MemorySegment bound() {
    for (int level = 2; level < tree.height(); level++) {
      long page = store.pin(change.path[level]);
      try {
        int next = change.pathEntry[level] + 1;
        if (next < PageLayout.count(tree.pages, page)) {
          int length = tree.keyLength(page, next);
          if (length < 0 || length > BytesIndex.MAX_KEY) {
            throw Torn.torn("a separator has " + length + " bytes");
          }
          byte[] key = new byte[length];
          tree.copyKey(page, next, key);
          return MemorySegment.ofArray(key);
        }
      } finally {
        store.unpin(page, false);
      }
    }
    return null;
  }

  // ---------------------------------------------------------------- below one parent

  /**
   * Removes the part of a range that is below the parent on the path to its begin.
   *
   * @param goesOn whether the range goes on behind the last leaf there
   */
  private long removeBelow(
      MemorySegment from,
      boolean fromInclusive,
      MemorySegment to,
      boolean toInclusive,
      boolean goesOn) {
    int[] leaves = leaves(to, goesOn);
    int last = leaves.length - 1;
    int start = slot(leaves[0], from, !fromInclusive);
    int end = goesOn ? Integer.MAX_VALUE : slot(leaves[last], to, toInclusive);
    int wholeFrom = start == 0 && (last > 0 || goesOn) ? 0 : 1;
    int wholeTo = goesOn ? last + 1 : last;
    int startEnd = last == 0 ? end : Integer.MAX_VALUE; // of the first leaf

    found = 0;
    dead = new PageList(store.pagesInUse());
    deadPieces = new PageList(PiecePage.most(store.pagesInUse()));
    if (wholeFrom > 0) {
      read(leaves[0], start, startEnd);
    }
    for (int i = wholeFrom; i < wholeTo; i++) {
      if (i % AHEAD == 0) {
        store.readAhead(leaves, i, Math.min(AHEAD, wholeTo - i));
      }
      read(leaves[i], 0, Integer.MAX_VALUE);
    }
    if (wholeTo == last && last > 0) {
      read(leaves[last], 0, end);
    }
    if (found == 0) {
      return 0;
    }
    for (int i = wholeFrom + 1; i < wholeTo; i++) {
      note(leaves[i], i);
    }
    if (found > tree.size.get()) {
      throw Torn.torn("leaves have more entries than the tree");
    }
    deadPieces.sort(); // Those of one page come together.
    int shared = pagesOfPieces();
    if (shared > FEW_SHARED_PAGES) {
      store.ensureRoomToChange(shared);
    }
    try {
      tree.modifications.changes++;
      if (wholeFrom > 0) {
        cut(leaves[0], start, startEnd);
      }
      if (wholeTo == last && last > 0) {
        cut(leaves[last], 0, end);
      }
      if (wholeFrom < wholeTo) {
        empty(leaves[wholeFrom], leaves[wholeTo - 1]);
      }
      if (wholeFrom + 1 < wholeTo) {
        unlink(wholeFrom + 1, wholeTo);
      }
      for (int i = 0; i < dead.count(); i++) {
        tree.touched(dead.get(i));
        store.free(dead.get(i));
      }
      for (int i = 0; i < deadPieces.count(); i++) {
        tree.pieces.free(deadPieces.get(i));
      }
      tree.size.add(-found);
      if (tree.size.get() == 0) {
        tree.clear();
      } else {
        settle(from);
        settle(to);
      }
    } catch (RuntimeException | Error failed) {
      store.leftHalfway(failed);
      throw failed;
    }
    return found;
  }

  /** Returns the leaves from that on the path to the last one below its parent of the range. */
  private int[] leaves(MemorySegment to, boolean goesOn) {
    if (tree.height() == 1) {
      return new int[] {change.path[0]};
    }
    long parent = store.pin(change.path[1]);
    try {
      int first = change.pathEntry[1];
      int last = goesOn ? PageLayout.count(tree.pages, parent) - 1 : tree.childEntry(parent, to);
      int[] leaves = new int[Math.max(0, last - first) + 1];
      for (int i = 0; i < leaves.length; i++) {
        leaves[i] = PageLayout.child(tree.pages, parent, first + i);
      }
      return leaves;
    } finally {
      store.unpin(parent, false);
    }
  }

  /** Returns the slot of a key in a leaf, or where it belongs. */
  private int slot(int leaf, MemorySegment key, boolean isBehind) {
    int slot = tree.searchAndUnpin(store.pin(leaf), key);
    return slot < 0 ? ~slot : isBehind ? slot + 1 : slot;
  }

  // ---------------------------------------------------------------- what goes

  /** Counts some entries of a leaf, and notes the chains of their keys and values. */
  private void read(int leaf, int from, int to) {
    long page = store.pin(leaf);
    try {
      MemorySegment pages = tree.pages;
      long header = PageLayout.header(pages, page);
      int count = PageLayout.countOf(header);
      if (PageLayout.isInnerOf(header)
          || PageLayout.fixedBytes(count, false) > tree.layout.pageBytes) {
        throw Torn.torn("page " + leaf + " is no leaf");
      }
      int end = Math.min(to, count);
      long slots = PageLayout.slots(header, page);
      for (int i = from; i < end; i++) {
        long slot = slots + (long) PageLayout.SLOT_BYTES * i;
        if (PageLayout.isAnyInChain(pages, slot)) {
          noteChains(page, slot);
        }
      }
      found += Math.max(0, end - from);
    } finally {
      store.unpin(page, false);
    }
  }

  /** Notes a leaf that is to be freed, and the chain of the separator before it. */
  private void note(int leaf, int place) {
    dead.add(leaf);
    long parent = store.pin(change.path[1]);
    try {
      noteChains(parent, PageLayout.slot(tree.pages, parent, change.pathEntry[1] + place));
    } finally {
      store.unpin(parent, false);
    }
  }

  private void noteChains(long page, long slot) {
    MemorySegment pages = tree.pages;
    if (PageLayout.isKeyInChain(pages, slot)) {
      noteChain(PageLayout.keyReference(pages, page, slot), tree.layout.keyBytes);
    }
    if (PageLayout.isValueInChain(pages, slot)) {
      noteChain(PageLayout.valueAt(pages, page, slot), 0);
    }
  }

  private void noteChain(long reference, int inPage) {
    int bytes = PageLayout.referredLength(tree.pages, reference) - inPage;
    tree.chain.addTo(dead, deadPieces, PageLayout.referredPage(tree.pages, reference), bytes);
  }

  /** Returns how many pages have pieces that are to be freed. */
  private int pagesOfPieces() {
    int pages = 0;
    int last = 0;
    for (int i = 0; i < deadPieces.count(); i++) {
      int page = PiecePage.pageOf(deadPieces.get(i));
      pages += page != last ? 1 : 0;
      last = page;
    }
    return pages;
  }

  private void cut(int leaf, int from, int to) {
    long page = store.pin(leaf);
    int end = Math.min(to, PageLayout.count(tree.pages, page));
    try {
      if (from < end) {
        tree.touched(leaf);
        tree.build.remove(tree.pages, page, from, end);
      }
    } finally {
      store.unpin(page, from < end);
    }
  }

  /** Makes a leaf an empty one that reaches to the upper fence of another. */
  private void empty(int leaf, int last) {
    long page = store.pin(last);
    Fence upper;
    try {
      upper = tree.build.upper(tree.pages, page);
    } finally {
      store.unpin(page, false);
    }
    page = store.pin(leaf);
    try {
      tree.touched(leaf);
      Fence lower = tree.build.lower(tree.pages, page);
      tree.build.build(tree.pages, page, new EntryList(), 0, 0, 0, lower, upper);
    } finally {
      store.unpin(page, true);
    }
  }

  /** Takes some of the leaves out of their parent. */
  private void unlink(int from, int to) {
    int first = change.pathEntry[1];
    long parent = store.pin(change.path[1]);
    try {
      tree.touched(change.path[1]);
      tree.build.remove(tree.pages, parent, first + from, first + to);
    } finally {
      store.unpin(parent, true);
    }
  }

  // ---------------------------------------------------------------- what stays

  /** Merges what has become small on the way to a key. */
  private void settle(MemorySegment key) {
    do {
      change.findPath(key);
    } while (change.mergeLowest());
  }
}
