// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.PageStore;
import dev.espalier.memory.Region;
import dev.espalier.memory.Words;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.CursorMemory;
import dev.espalier.support.LeafCursor;
import dev.espalier.support.Torn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over leaves together with the operations in the queue: it stands on a copy of a leaf's
 * entries after all of them. On its way, it asks for the leaves ahead in waves (prange in the
 * paper): for up to PioMax pages at once if {@link #scanTo} has said how far it goes, and else for
 * twice as many each time.
 */
final class PioCursor extends LeafCursor {
  private static final int FIRST_WAVE = 4;

  /**
   * What is copied of a leaf. A scan that comes from a neighbour takes what it has not seen: the
   * leaf may have got entries of the neighbour meanwhile.
   */
  private enum Part {
    ALL,
    FROM_KEY,
    UP_TO_KEY
  }

  private final PioStructure tree;
  private final PageStore store;
  private final EntryPage layout;
  private final InnerPage inner;
  private final LeafPath path;
  private final Operations merged;
  private MemorySegment copy = MemorySegment.NULL;
  private final long[] pinned;

  /** A copy of a page that may be changed meanwhile. */
  private final MemorySegment scratch;

  private boolean hasEnd;
  private long endKey;

  /** The node whose children were asked for ahead, 0 for none, and the child after the last. */
  private int askedParent;

  private int askedTo;

  /** How many pages the next wave has. */
  private int nextWave;

  private final int[] asked;

  PioCursor(PioStructure tree, ChangeCount ownChanges) {
    super(ownChanges);
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.entries;
    this.inner = tree.inner;
    this.path = new LeafPath(tree);
    this.merged = new Operations(layout.capacity);
    this.pinned = new long[Math.min(inner.leafSegments, store.mostPins())];
    this.scratch = CursorMemory.allocate(store.pageBytes());
    this.asked = new int[tree.geometry.pioMax() + inner.leafSegments + 1];
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- leaves

  @Override
  protected void descend(long key) {
    startAsking();
    // The leaf may be empty. To go on to another here would lose the place: what others write into
    // this one meanwhile may be on the wrong side of the key.
    enterLeafOf(key, Part.ALL);
    slot = lowerBound(key);
  }

  @Override
  protected void descendToLast() {
    startAsking();
    enterLeafOf(Long.MAX_VALUE, Part.ALL);
    if (entries == 0) {
      enterPreviousLeaf();
    }
  }

  /** Copies the entries of a leaf: as long as the epoch lasts, no operation leaves the queue. */
  private void enterLeafOf(long key, Part part) {
    checkOpen();
    int operation = tree.epochs.enter();
    try {
      path.find(key);
      if (part == Part.FROM_KEY) {
        path.low = key;
        readAhead();
      }
      path.high = part == Part.UP_TO_KEY ? key : path.high;
      merged.clear();
      for (int done = 0; done < path.segmentCount; done += pinned.length) {
        apply(done, Math.min(pinned.length, path.segmentCount - done));
      }
      tree.queue.applyTo(merged, path.low, path.high, scratch);
    } finally {
      tree.epochs.exit(operation);
    }
    merged.dropDeletes();
    merged.keep(path.low, path.high);
    int count = merged.count;
    long bytes = (long) count << 3;
    if (2 * bytes > copy.byteSize()) {
      copy = Region.scratch(Arena.ofAuto(), Math.max(2 * bytes, 16L * layout.capacity));
    }
    long values = copy.byteSize() / 2;
    Words.putLongs(copy, 0, merged.keys, 0, count);
    Words.putLongs(copy, values, merged.values, 0, count);
    enter(copy, 0, values, count);
  }

  /** Applies some of the leaf's segments, which are read together. */
  private void apply(int from, int count) {
    for (int i = 0; i < count; i++) {
      pinned[i] = path.segments[from + i];
    }
    store.pinAll(pinned, 0, count);
    int applied = 0;
    try {
      for (; applied < count; applied++) {
        long at = pinned[applied];
        if (from + applied < path.segmentCount - 1) {
          merged.apply(layout, tree.pages, at, 0, layout.checkedCount(tree.pages, at));
        } else {
          int last = path.segments[from + applied];
          layout.copyPage(tree.pages, at, scratch, tree.versions, last);
          merged.apply(layout, scratch, 0, 0, layout.checkedCount(scratch, 0));
        }
        store.unpin(at, false);
      }
    } finally {
      for (; applied < count; applied++) {
        store.unpin(pinned[applied], false);
      }
    }
  }

  /** Passes by leaves that are empty, or of which deletions in the queue leave nothing. */
  @Override
  protected boolean enterNextLeaf() {
    while (!path.isLast()) {
      enterLeafOf(path.high + 1, Part.FROM_KEY);
      if (entries > 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  protected boolean enterPreviousLeaf() {
    while (!path.isFirst()) {
      enterLeafOf(path.low - 1, Part.UP_TO_KEY);
      if (entries > 0) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- change

  @Override
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    if (tree.writer.replace(key, value)) {
      return;
    }
    PioCursor scan = new PioCursor(tree, new ChangeCount());
    scan.descend(key);
    if (scan.slot == scan.entries || scan.leafKey(scan.slot) != key) {
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
