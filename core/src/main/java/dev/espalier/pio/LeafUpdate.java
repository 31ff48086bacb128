// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Message;
import dev.espalier.tree.StoreChange;

/** Applies operations to a leaf, which may shrink, split, or merge (Algorithm 3 in the paper). */
final class LeafUpdate {
  /* Overview
   *
   * Operations enter the last segment; when it is full, a new one. When there are L, the leaf shrinks:
   * of each key the newest operation is left, and no deletion. A leaf that is then above three
   * quarters of its room splits into two halves; one that is below a quarter merges with a sibling
   * if three quarters hold both, or takes entries from it. So thousands of operations for one leaf
   * split it as often as needed.
   *
   * Entering is done beside searches, which look at the segment's version. For all else the thread
   * has the tree alone: from the first leaf of a wave that needs it to the last.
   *
   * Where a split finds no memory, the leaf is left shrunk, and takes what there is room for. Then
   * the other leaves below its parent shrink, where that frees pages.
   */

  private static final int NO_ROOM = 0;
  private static final int UNCHANGED = 1;
  private static final int CHANGED = 2;

  final LeafPath path;
  private final PioStructure tree;
  private final PageStore store;
  private final EntryPage layout;
  private final InnerPage inner;
  private final StoreChange change;
  final Fences fences;
  private final long[] meta;

  /** Room for operations in a leaf. */
  private final int room;

  /** How often leaves have changed beside the one that was to be. */
  long rearranged;

  /** The parent whose leaves have all shrunk for want of memory, or -1. */
  private int shrunkParent = -1;

  /** The operation to be applied next. */
  private int next;

  /** How much the operations gathered last count in {@link PioStructure#IN_LEAVES}. */
  private int weight;

  private final Operations own;
  private final Operations siblings;

  /** Pages that a leaf had before it is written anew. */
  private final int[] had;

  private int hadCount;

  LeafUpdate(PioStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.entries;
    this.inner = tree.inner;
    this.change = tree.change;
    this.meta = tree.meta;
    this.path = new LeafPath(tree);
    this.fences = new Fences(tree, path);
    this.room = inner.leafSegments * layout.capacity;
    this.own = new Operations(layout.capacity);
    this.siblings = new Operations(layout.capacity);
    this.had = new int[2 * inner.leafSegments];
  }

  // ---------------------------------------------------------------- apply

  /** Begins with operations that are in the order of keys. */
  void begin() {
    shrunkParent = -1;
  }

  /**
   * Applies operations to the leaves of their keys.
   *
   * @param to the operation after the last
   * @return the operation after the last that was applied: less than {@code to} if there is no
   *     memory for the others
   */
  int apply(Operations operations, int from, int to) {
    next = from;
    boolean hasRoom = true;
    while (hasRoom && next < to) {
      path.find(operations.keys[next]);
      int end = next + 1;
      while (end < to && operations.keys[end] <= path.high) {
        end++;
      }
      try {
        hasRoom = applyToLeaf(operations, end);
      } catch (RuntimeException | Error failed) {
        change.abandon(failed);
        throw failed;
      }
    }
    return next;
  }

  /**
   * Applies operations to the path's leaf, from {@link #next} up to the end, or until the path is
   * void. Returns false if there is no memory for the next one.
   */
  private boolean applyToLeaf(Operations operations, int end) {
    while (true) {
      boolean isUnderfull = enterAll(operations, end);
      if (next == end && !isUnderfull) {
        // The next wave of leaves takes its room, and not that of the parents, which are needed
        // longer; and all that has changed in a wave is written together.
        store.wontNeed(path.segments[path.segmentCount - 1]);
        return true;
      }
      tree.beginAlone(); // What follows changes nodes, and may free pages.
      if (next == end) {
        return shrink();
      }
      if (!addSegment()) {
        return shrink() || shrinkSiblings();
      }
    }
  }

  /**
   * Enters operations into the leaf's last segment while there is room. Returns whether that has
   * left the leaf below a quarter of its room.
   */
  private boolean enterAll(Operations operations, int end) {
    boolean isOnly = path.segmentCount == 1;
    int segment = path.segments[path.segmentCount - 1];
    long at = store.pin(segment);
    boolean changed = false;
    boolean isRemoving = false;
    tree.versions.beginChange(segment);
    try {
      for (; next < end; next++) {
        int kind = operations.kinds[next];
        int outcome = enter(at, isOnly, kind, operations.keys[next], operations.values[next]);
        changed |= outcome == CHANGED;
        isRemoving |= kind == Message.DELETE;
        if (outcome == NO_ROOM) {
          return false;
        }
      }
      return isOnly && changed && isRemoving && 4 * EntryPage.count(tree.pages, at) < room;
    } finally {
      tree.versions.endChange(segment);
      store.unpin(at, changed);
    }
  }

  /** Enters an operation into the last segment of the path's leaf; returns whether it had room. */
  boolean enter(int kind, long key, long value) {
    long at = store.pin(path.segments[path.segmentCount - 1]);
    int outcome = UNCHANGED;
    try {
      outcome = enter(at, path.segmentCount == 1, kind, key, value);
    } finally {
      store.unpin(at, outcome == CHANGED);
    }
    return outcome != NO_ROOM;
  }

  /**
   * Enters an operation into a segment that is pinned. In a leaf's only segment, a deletion is done
   * at once.
   */
  private int enter(long at, boolean isOnly, int kind, long key, long value) {
    int found = layout.find(tree.pages, at, key);
    boolean isRemoval = isOnly && kind == Message.DELETE;
    if (found < 0) {
      if (isRemoval) {
        return UNCHANGED;
      }
      if (!layout.enter(tree.pages, at, kind, key, value)) {
        return NO_ROOM;
      }
      meta[PioStructure.IN_LEAVES] += PioStructure.weight(kind);
      return CHANGED;
    }
    meta[PioStructure.IN_LEAVES] -= PioStructure.weight(layout.kind(tree.pages, at, found));
    if (isRemoval) {
      layout.remove(tree.pages, at, found);
    } else {
      layout.set(tree.pages, at, found, key, value, kind);
      meta[PioStructure.IN_LEAVES] += PioStructure.weight(kind);
    }
    return CHANGED;
  }

  /**
   * Gives the path's leaf one more segment. Returns false if it has all that it may have, if there
   * is no memory, or if shrinking gains more: where a quarter of the last are deletions.
   */
  private boolean addSegment() {
    if (path.segmentCount == inner.leafSegments
        || 4 * deletions(path.segments[path.segmentCount - 1]) >= layout.capacity
        || !reserve(1)) {
      return false;
    }
    int page = change.spare();
    long at = store.pin(page);
    EntryPage.initialize(tree.pages, at, EntryPage.LEAF);
    store.unpin(at, true);
    path.changeSegment(path.segmentCount, page);
    path.segments[path.segmentCount++] = page;
    return true;
  }

  private int deletions(int segment) {
    long at = store.pin(segment);
    try {
      int count = layout.checkedCount(tree.pages, at);
      return count - layout.puts(tree.pages, at, 0, count);
    } finally {
      store.unpin(at, false);
    }
  }

  private boolean reserve(int count) {
    try {
      change.reserve(count);
      return true;
    } catch (MemoryLimitException refused) {
      tree.writer.noteRefusal(refused);
      return false;
    }
  }

  // ---------------------------------------------------------------- shrink

  /**
   * Shrinks the path's leaf, which may split it or merge it with another; the path is void then.
   * Returns false if it is still full, and there is no memory to split it.
   */
  private boolean shrink() {
    gather(path.segments, path.segmentCount, own);
    boolean hasRoom = true;
    if (4 * own.count <= 3 * room || !split()) {
      hasRoom = own.count < path.segmentCount * layout.capacity;
      hadCount = 0;
      have(path.segments, path.segmentCount);
      countAnew(own, weight);
      write(path.pages[1], path.slots[1], own, 0, own.count);
      freeRest();
      if (4 * own.count < room) {
        balance();
      }
    }
    return hasRoom;
  }

  /**
   * Shrinks all leaves below the path's parent, where that frees pages; the path is void then.
   * Returns whether it has freed any.
   */
  private boolean shrinkSiblings() {
    int parent = path.pages[1];
    if (parent == shrunkParent) {
      return false;
    }
    shrunkParent = parent;
    long inUse = store.pagesInUse();
    int[] segments = new int[inner.leafSegments];
    for (int slot = 0; slot < children(parent); slot++) {
      int count = segments(parent, slot, segments);
      gather(segments, count, own);
      if (segmentsFor(own.count) < count) {
        hadCount = 0;
        have(segments, count);
        countAnew(own, weight);
        write(parent, slot, own, 0, own.count);
        freeRest();
        rearranged++;
      }
    }
    return store.pagesInUse() < inUse;
  }

  private int children(int parent) {
    long at = store.pin(parent);
    try {
      return inner.checkedChildren(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  private int segments(int parent, int slot, int[] to) {
    long at = store.pin(parent);
    try {
      return segments(at, slot, to);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Merges the segments of a leaf; of each key the newest operation is left, and no deletion. */
  private void gather(int[] segments, int count, Operations to) {
    to.clear();
    weight = 0;
    for (int i = 0; i < count; i++) {
      long at = store.pin(segments[i]);
      try {
        int operations = layout.checkedCount(tree.pages, at);
        for (int slot = 0; slot < operations; slot++) {
          weight += PioStructure.weight(layout.kind(tree.pages, at, slot));
        }
        to.apply(layout, tree.pages, at, 0, operations);
      } finally {
        store.unpin(at, false);
      }
    }
    to.dropDeletes();
  }

  /** Notes that a leaf of this weight has become one of so many entries. */
  private void countAnew(Operations entries, int before) {
    meta[PioStructure.IN_LEAVES] += entries.count - before;
  }

  /** Notes pages that are about to be written anew, or to be freed. */
  private void have(int[] segments, int count) {
    System.arraycopy(segments, 0, had, hadCount, count);
    hadCount += count;
  }

  /** Frees the pages that were not written anew. */
  private void freeRest() {
    while (hadCount > 0) {
      store.free(had[--hadCount]);
    }
    change.freeSpares();
  }

  private int segmentsFor(int count) {
    return Math.max((count + layout.capacity - 1) / layout.capacity, 1);
  }

  /** Writes entries as the segments of a leaf, into pages that it had, or that are reserved. */
  private void write(int parent, int slot, Operations entries, int from, int count) {
    int segments = segmentsFor(count);
    for (int i = 0; i < inner.leafSegments; i++) {
      int page = 0;
      if (i < segments) {
        page = hadCount > 0 ? had[--hadCount] : change.spare();
        int first = i * layout.capacity;
        long at = store.pin(page);
        try {
          EntryPage.initialize(tree.pages, at, EntryPage.LEAF);
          int some = Math.min(count - first, layout.capacity);
          entries.store(layout, tree.pages, at, from + first, some);
        } finally {
          store.unpin(at, true);
        }
      }
      long at = store.pin(parent);
      try {
        inner.segment(tree.pages, at, slot, i, page);
      } finally {
        store.unpin(at, true);
      }
    }
  }

  // ---------------------------------------------------------------- split

  /** Splits the path's leaf, whose entries were gathered; returns false if there is no memory. */
  private boolean split() {
    int half = own.count / 2;
    int pages = segmentsFor(half) + segmentsFor(own.count - half) - path.segmentCount;
    if (!reserve(Math.max(pages, 0) + fences.pagesToInsert())) {
      return false;
    }
    hadCount = 0;
    have(path.segments, path.segmentCount);
    countAnew(own, weight);
    write(path.pages[1], path.slots[1], own, 0, half);
    fences.insertLeaf(own.keys[half - 1]);
    write(fences.page, fences.slot, own, half, own.count - half);
    freeRest();
    return true;
  }

  // ---------------------------------------------------------------- balance

  /**
   * Merges what a removed range has left small on the way to a key, by the thread that has the tree
   * alone.
   */
  void settle(long key) {
    try {
      fences.mergeOnWayTo(key);
      path.find(key);
      if (children(path.pages[1]) > 1 && 4 * operations() < room) {
        shrink();
      }
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
  }

  /** Returns how many operations the segments of the path's leaf have together. */
  private int operations() {
    int operations = 0;
    for (int i = 0; i < path.segmentCount; i++) {
      long at = store.pin(path.segments[i]);
      try {
        operations += layout.checkedCount(tree.pages, at);
      } finally {
        store.unpin(at, false);
      }
    }
    return operations;
  }

  /**
   * Merges the path's leaf, which was just gathered and written, with a sibling below the same
   * parent, or takes entries from it, if there is memory for that.
   */
  private void balance() {
    int parent = path.pages[1];
    int slot = path.slots[1];
    boolean isLeft;
    int[] others = new int[inner.leafSegments];
    int otherCount;
    int ownCount;
    long at = store.pin(parent);
    try {
      int children = inner.checkedChildren(tree.pages, at);
      if (children == 1) {
        return;
      }
      isLeft = slot + 1 < children;
      otherCount = segments(at, isLeft ? slot + 1 : slot - 1, others);
      ownCount = segments(at, slot, path.segments);
    } finally {
      store.unpin(at, false);
    }
    gather(others, otherCount, siblings);
    Operations left = isLeft ? own : siblings;
    Operations right = isLeft ? siblings : own;
    int all = left.count + right.count;
    boolean merges = 4 * all <= 3 * room;
    int half = merges ? all : all / 2;
    int pages = segmentsFor(half) + (merges ? 0 : segmentsFor(all - half)) - ownCount - otherCount;
    if (!reserve(Math.max(pages, 0))) {
      return;
    }
    rearranged++;
    countAnew(siblings, weight);
    hadCount = 0;
    have(path.segments, ownCount);
    have(others, otherCount);
    for (int i = 0; i < right.count; i++) {
      left.add(right.keys[i], right.values[i], right.kinds[i]);
    }
    int leftSlot = isLeft ? slot : slot - 1;
    write(parent, leftSlot, left, 0, half);
    if (merges) {
      freeRest();
      fences.removeLeafAfter(leftSlot);
    } else {
      write(parent, leftSlot + 1, left, half, all - half);
      freeRest();
      changeFence(parent, leftSlot, left.keys[half - 1]);
    }
  }

  private int segments(long at, int child, int[] to) {
    int count = inner.segments(tree.pages, at, child);
    for (int i = 0; i < count; i++) {
      to[i] = inner.segment(tree.pages, at, child, i);
    }
    return count;
  }

  private void changeFence(int parent, int slot, long fence) {
    long at = store.pin(parent);
    try {
      InnerPage.separator(tree.pages, at, slot, fence);
    } finally {
      store.unpin(at, true);
    }
  }
}
