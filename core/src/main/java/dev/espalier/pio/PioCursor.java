// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.PageStore;
import dev.espalier.memory.Region;
import dev.espalier.memory.Words;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.DeadKeeper;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.DeadWalk;
import dev.espalier.support.LeafCursor;
import dev.espalier.support.Torn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over leaves together with the operations in the queue: it stands on a copy of a part of
 * a leaf after all of them, a small one after a seek. On its way, it asks for the leaves ahead in
 * waves (prange in the paper): for up to PioMax pages at once if {@link #scanTo} has said how far
 * it goes, and else for twice as many each time.
 */
final class PioCursor extends LeafCursor {
  private static final int FIRST_WAVE = 4;

  /** Operations of one page in a part after a seek, and how many times as many the next has. */
  private static final int FIRST_PART = 16;

  private static final int PART_GROWTH = 8;

  /** The largest part, unless a page has more. */
  private static final int MOST_PART = 1024;

  private final PioStructure tree;
  private final PageStore store;
  private final InnerPage inner;
  private final LeafPath path;
  private final LeafPart part;
  private MemorySegment copy = MemorySegment.NULL;

  /** Most operations of one page in the next part. */
  private int partSize = FIRST_PART;

  /** What was removed before the next entry. */
  private final DeadWalk walk;

  /**
   * The interval of which the copy has all entries, both ends included. A seek begins it at its
   * key, of which it may have known that nothing is there.
   */
  private long low;

  private long high;

  /** The key from which on the part was read, for the walk. */
  private long readFrom;

  private boolean hasEnd;
  private long endKey;

  /** The node whose children were asked for ahead, 0 for none, and the child after the last. */
  private int askedParent;

  private int askedTo;

  /** How many pages the next wave has. */
  private int nextWave;

  private final int[] asked;

  /** Makes a cursor that skips these ranges, and has what it finds kept. */
  PioCursor(PioStructure tree, ChangeCount ownChanges, DeadRanges dead, DeadKeeper keeper) {
    super(ownChanges);
    this.tree = tree;
    this.store = tree.store;
    this.inner = tree.inner;
    this.path = new LeafPath(tree);
    this.part = new LeafPart(tree);
    this.walk = new DeadWalk(dead, keeper);
    this.asked = new int[tree.geometry.pioMax() + inner.leafSegments + 1];
  }

  /** Makes a cursor that goes through everything. */
  static PioCursor withoutRanges(PioStructure tree) {
    DeadRanges none = new DeadRanges();
    ChangeCount count = new ChangeCount();
    return new PioCursor(tree, count, none, DeadKeeper.NONE);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- leaves

  @Override
  protected void descend(long key) {
    startAsking();
    partSize = FIRST_PART;
    // The part may be empty. To go on to another here would take time, and whoever seeks the entry
    // before the key needs none behind it.
    enterPart(walk.begin(key, true), true, true);
    low = key; // Nothing is there up to where the part begins.
    slot = 0;
    if (entries > 0) {
      walk.meet(leafKey(0));
    }
  }

  @Override
  protected void descendToLast() {
    startAsking();
    partSize = FIRST_PART;
    enterPart(walk.begin(Long.MAX_VALUE, false), false, true);
    passBack();
  }

  /**
   * Copies the entries of a leaf from a key on, going back up to it, or the next part of them: as
   * long as the epoch lasts, no operation leaves the queue.
   */
  private void enterPart(long key, boolean forward, boolean isSeek) {
    checkOpen();
    int operation = tree.epochs.enter();
    try {
      path.find(key);
      if (forward) {
        if (key == path.low && !isSeek) {
          readAhead();
        }
        part.read(path, key, path.high, partSize, true);
      } else {
        part.read(path, path.low, key, partSize, false);
      }
    } finally {
      tree.epochs.exit(operation);
    }
    partSize = Math.min(partSize * PART_GROWTH, Math.max(MOST_PART, tree.entries.capacity));
    readFrom = key;
    low = part.low;
    high = part.high;
    Operations found = part.entries;
    int count = found.count;
    long bytes = (long) count << 3;
    if (2 * bytes > copy.byteSize()) {
      copy = Region.scratch(Arena.ofAuto(), Math.max(2 * bytes, 16L * tree.entries.capacity));
    }
    long values = copy.byteSize() / 2;
    Words.putLongs(copy, 0, found.keys, 0, count);
    Words.putLongs(copy, values, found.values, 0, count);
    enter(copy, 0, values, count);
  }

  @Override
  protected boolean enterNextLeaf() {
    if (entries > 0) {
      if (high == Long.MAX_VALUE) {
        return false;
      }
      enterPart(walk.begin(high + 1, true), true, false);
    }
    return passForward();
  }

  /** Goes on behind parts of which deletions have left nothing. */
  private boolean passForward() {
    while (entries == 0) {
      long next = walk.pass(readFrom, high, Math.max(part.looked, 1));
      if (high == Long.MAX_VALUE) {
        walk.end();
        return false;
      }
      enterPart(next == high ? high + 1 : next, true, false);
    }
    walk.meet(leafKey(0));
    return true;
  }

  @Override
  protected boolean enterPreviousLeaf() {
    if (low == Long.MIN_VALUE) {
      return false;
    }
    enterPart(walk.begin(low - 1, false), false, false);
    return passBack();
  }

  private boolean passBack() {
    while (entries == 0) {
      long next = walk.pass(readFrom, low, Math.max(part.looked, 1));
      if (low == Long.MIN_VALUE) {
        walk.end();
        return false;
      }
      enterPart(next == low ? low - 1 : next, false, false);
    }
    walk.meet(leafKey(entries - 1));
    return true;
  }

  // ---------------------------------------------------------------- change

  @Override
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    if (tree.writer.replace(key, value)) {
      return;
    }
    PioCursor scan = withoutRanges(tree);
    scan.descend(key);
    if (scan.entries == 0 || scan.leafKey(0) != key) {
      checkNested(scan.path);
      throw new IllegalStateException("the cursor is on no entry");
    }
    if (!tree.writer.replace(key, value)) { // Nobody has put it back meanwhile.
      throw Torn.torn("key " + key + " is found by a scan, but not by a search");
    }
  }

  /**
   * Checks the interval of another leaf that has, or had, a key of this one: leaves that are split
   * or merged have intervals within those of before, or around them.
   */
  private void checkNested(LeafPath other) {
    if ((path.low < other.low && path.high < other.high)
        || (path.low > other.low && path.high > other.high)) {
      throw Torn.torn("separators are out of order");
    }
  }

  @Override
  protected void removeFromTree(long key) {
    tree.writer.remove(key, 0);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public void scanTo(long key) {
    super.scanTo(key);
    hasEnd = true;
    endKey = key;
    startAsking();
  }

  private void startAsking() {
    askedParent = 0;
    int most = tree.geometry.pioMax();
    nextWave = hasEnd ? most : Math.min(FIRST_WAVE, most);
  }

  /**
   * Asks for leaves from the path's on when the scan has come to the last that was asked for, and
   * for the next parent with the last leaves of this one; within an epoch.
   */
  private void readAhead() {
    int parent = path.pages[1];
    int from = path.slots[1];
    if (askedParent == parent && from < askedTo) {
      return;
    }
    int count = 0;
    long at = store.pin(parent);
    try {
      int children = inner.checkedChildren(tree.pages, at);
      int child = from;
      while (child < children && count < nextWave && !isBeyondEnd(at, child)) {
        int segments = inner.segments(tree.pages, at, child);
        for (int i = 0; i < segments; i++) {
          asked[count++] = inner.segment(tree.pages, at, child, i);
        }
        child++;
      }
      askedParent = parent;
      askedTo = child;
      if (child == children && tree.height() > 2) {
        count = addNextParent(count);
      }
    } finally {
      store.unpin(at, false);
    }
    nextWave = Math.min(2 * nextWave, tree.geometry.pioMax());
    if (count > 0) {
      store.readAhead(asked, 0, count);
    }
  }

  private int addNextParent(int count) {
    long at = store.pin(path.pages[2]);
    try {
      int next = path.slots[2] + 1;
      if (next < inner.checkedChildren(tree.pages, at) && !isBeyondEnd(at, next)) {
        asked[count] = inner.child(tree.pages, at, next);
        return count + 1;
      }
      return count;
    } finally {
      store.unpin(at, false);
    }
  }

  private boolean isBeyondEnd(long at, int child) {
    return hasEnd && child > 0 && InnerPage.separator(tree.pages, at, child - 1) >= endKey;
  }
}
