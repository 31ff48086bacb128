// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Torn;
import dev.espalier.tree.StoreChange;

/** How messages go down: flushes, and the splits that follow from them. */
final class BEpsilonFlush {
  /* Overview
   *
   * makeRoom sends messages of the root's buffer down. To send the run of one child of a page:
   *
   *   1. The child has no room for it: it sends messages of its own down first. By FULLEST_CHILD the
   *      run may go in part, and it goes if there is room for half of what a child has on average of a
   *      full buffer, so that a child sends but once, and a write changes one path. By WHOLE_BUFFER
   *      the run goes as a whole, after the child's buffer was emptied.
   *   2. The run is merged into the child's buffer, its messages being the newer ones; or it is applied
   *      to the child, if that is a leaf. That is one move, of one run by one level.
   *
   * A leaf that would have more than it has room for becomes two or three, which are at least half
   * full; or full ones and a rest at the right edge of the tree, where ascending keys arrive. The
   * parent, and pages above it as needed, split into two. All pages for that are allocated before
   * anything is changed.
   *
   * Where there is no memory for a split, the leaf takes what it has room for; if it is full,
   * another run goes, of the same page or of one above.
   *
   * After pages were split or merged, the flush begins anew at the root, as the way to where it was
   * may be another.
   */

  /** A run that goes down changes its page, the child, and at most two more leaves. */
  private static final int PAGES_PER_RUN = 4;

  private final BEpsilonStructure tree;
  private final PageStore store;
  private final LeafPage leaf;
  private final InnerPage inner;
  private final FlushPolicy policy;
  private final StoreChange change;
  private final int[] path;

  /** Runs that may still be tried where there is no memory for the longest. */
  private int triesLeft;

  /** What a move by FULLEST_CHILD needs room for. */
  private final int leastMoved;

  /** Moves of a run by one level, the messages in them, and the pages that came by splits. */
  long flushes;

  long moved;
  long splits;

  private final BEpsilonMerge merge;

  /** The longest run of a page: its messages, and the slot and number of the child. */
  private int runFrom;

  private int runTo;
  private int runSlot;
  private int runChild;

  private final MergedEntries merged = new MergedEntries();
  private final long[] separators;
  private final int[] children;

  BEpsilonFlush(BEpsilonStructure tree, FlushPolicy policy) {
    this.tree = tree;
    this.merge = tree.merge;
    this.store = tree.store;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.policy = policy;
    this.change = tree.change;
    this.path = change.path;
    this.leastMoved = Math.max(inner.capacity / (2 * inner.fanout), 1);
    this.separators = new long[inner.fanout + 1];
    this.children = new int[inner.fanout + 2];
  }

  // ---------------------------------------------------------------- flush

  /**
   * Makes room in a root that is full.
   *
   * @param tries how many runs to try where there is no memory for the longest
   * @throws MemoryLimitException if a page has to split and there is no memory; what has moved
   *     until then stays where it is, which changes no entry
   */
  void makeRoom(int tries) {
    if (tree.height() == 1) {
      splitRootLeaf();
      return;
    }
    while (isToBeFlushed()) {
      long before = moved;
      triesLeft = tries;
      try {
        flush(tree.root(), tree.height() - 1);
        checkProgress(moved - before);
      } catch (MemoryLimitException full) {
        // Other runs may have gone before, and another one may be the longest now.
        if (moved == before) {
          if (rootMessages() < inner.capacity) {
            return;
          }
          throw full;
        }
      }
    }
    merge.shrinkRoot();
  }

  private boolean isToBeFlushed() {
    int messages = tree.height() == 1 ? 0 : rootMessages();
    return policy == FlushPolicy.WHOLE_BUFFER ? messages > 0 : messages == inner.capacity;
  }

  private int rootMessages() {
    long at = store.pin(tree.root());
    try {
      return inner.checkedMessages(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  /**
   * Throws unless a step has moved messages. Each does, unless other threads change pages or this
   * object at the same time; without them in the way, a loop over such steps would not end.
   */
  private static void checkProgress(long moved) {
    if (moved <= 0) {
      throw Torn.torn("a flush moved no messages");
    }
  }

  /**
   * Sends messages of a page down, which becomes the path's page of its level. Returns false if
   * pages were split or merged, so that the path is void.
   */
  private boolean flush(int page, int level) {
    path[level] = page;
    while (findLongestRun(page, level)) {
      long before = moved;
      try {
        if (!sendRun(level)) {
          return false;
        }
      } catch (MemoryLimitException full) {
        if (moved == before && !flushAny(level)) {
          throw full;
        }
        return false;
      }
      if (policy == FlushPolicy.FULLEST_CHILD) {
        break;
      }
    }
    return true;
  }

  /** Sends the run that was found down to its child. Returns false if the path is void. */
  private boolean sendRun(int level) {
    int from = runFrom;
    int run = runTo - from;
    checkProgress(run);
    store.ensureRoomToChange(PAGES_PER_RUN); // A flush may go on to any number of pages.
    int child = runChild;
    path[level - 1] = child;
    if (level == 1) {
      return !applyRun(runSlot, child, from, from + run);
    }
    int needed = policy == FlushPolicy.WHOLE_BUFFER ? run : Math.min(run, leastMoved);
    int room = room(child, level - 1);
    while (room < needed) {
      int before = room;
      try {
        if (!flush(child, level - 1)) {
          return false;
        }
      } catch (MemoryLimitException full) {
        room = room(child, level - 1);
        if (room == 0) {
          throw full;
        }
        break;
      }
      room = room(child, level - 1);
      checkProgress(room - before);
    }
    int some = Math.min(run, room);
    merge.moveMessages(path[level], child, from, from + some);
    countMove(some);
    return true;
  }

  private void countMove(int messages) {
    flushes++;
    moved += messages;
  }

  /**
   * Sends any run of the path's page of a level down, where there is no memory for the longest.
   * Returns whether one could be.
   */
  private boolean flushAny(int level) {
    int last = count(path[level]) - 1;
    for (int slot = 0; slot <= last && triesLeft > 0; slot++) {
      triesLeft--;
      if (findRun(path[level], slot)) {
        long before = moved;
        try {
          sendRun(level);
          return true;
        } catch (MemoryLimitException full) {
          if (moved > before) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Notes the longest run of a page; returns false if it has no messages. */
  private boolean findLongestRun(int page, int level) {
    long at = store.pin(page);
    try {
      NodePage.checkLevel(tree.pages, at, level);
      int last = inner.checkedChildren(tree.pages, at) - 1;
      int from = 0;
      runFrom = 0;
      runTo = 0;
      for (int slot = 0; slot <= last; slot++) {
        int to = Math.max(from, runEnd(at, slot, last));
        if (to - from > runTo - runFrom) {
          noteRun(at, slot, from, to);
        }
        from = to;
      }
      return runTo > runFrom;
    } finally {
      store.unpin(at, false);
    }
  }

  /** Notes the run of a child; returns false if there are no messages for it. */
  private boolean findRun(int page, int slot) {
    long at = store.pin(page);
    try {
      int last = inner.checkedChildren(tree.pages, at) - 1;
      int to = runEnd(at, slot, last);
      int from = slot == 0 ? 0 : Math.min(runEnd(at, slot - 1, last), to);
      noteRun(at, slot, from, to);
      return to > from;
    } finally {
      store.unpin(at, false);
    }
  }

  private int runEnd(long at, int slot, int last) {
    int messages = inner.checkedMessages(tree.pages, at);
    return slot >= last
        ? messages
        : inner.messagesUpTo(tree.pages, at, messages, InnerPage.separator(tree.pages, at, slot));
  }

  private void noteRun(long at, int slot, int from, int to) {
    runFrom = from;
    runTo = to;
    runSlot = slot;
    runChild = inner.child(tree.pages, at, slot);
  }

  private int room(int page, int level) {
    long at = store.pin(page);
    try {
      NodePage.checkLevel(tree.pages, at, level);
      return inner.capacity - inner.checkedMessages(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  // ---------------------------------------------------------------- leaves

  /**
   * Applies a run of the path's page of level 1 to a leaf. Returns true if pages were split or
   * merged.
   */
  private boolean applyRun(int slot, int child, int from, int to) {
    long key;
    int count;
    long at = store.pin(path[1]);
    boolean fits = false;
    try {
      long below = store.pin(child);
      try {
        NodePage.checkLevel(tree.pages, below, 0);
        merged.load(leaf, tree.pages, below, to - from);
        int before = merged.count();
        merged.apply(inner, tree.pages, at, from, to);
        count = merged.count();
        key = inner.messageKey(tree.pages, at, from);
        fits = count <= leaf.capacity;
        if (fits) {
          leaf.store(tree.pages, below, merged, 0, count);
          inner.removeMessages(tree.pages, at, from, to);
          tree.meta[BEpsilonStructure.LEAF_ENTRIES] += count - before;
        }
      } finally {
        store.unpin(below, fits);
      }
    } finally {
      store.unpin(at, fits);
    }
    if (fits) {
      countMove(to - from);
      return merge.giveBack(key);
    }
    try {
      splitLeaf(slot, child, from, to);
      countMove(to - from);
      return true;
    } catch (MemoryLimitException full) {
      int some = merge.applyWhatFits(path[1], child, from, to);
      if (some == 0) {
        throw full;
      }
      countMove(some);
      return false;
    }
  }

  /** Makes two or three leaves of the merged entries, which one has no room for. */
  private void splitLeaf(int slot, int child, int from, int to) {
    boolean atEdge = isAtRightEdge(slot);
    int parts = parts(merged.count(), atEdge);
    change.reserve(pagesNeeded(parts - 1));
    try {
      long at = store.pin(path[1]);
      try {
        inner.removeMessages(tree.pages, at, from, to);
      } finally {
        store.unpin(at, true);
      }
      writeParts(child, parts, atEdge);
      addChildren(1, slot, parts - 1, atEdge);
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
  }

  private void splitRootLeaf() {
    int root = tree.root();
    long at = store.pin(root);
    try {
      merged.load(leaf, tree.pages, at, 0);
    } finally {
      store.unpin(at, false);
    }
    change.reserve(2); // a leaf and a root
    try {
      // As if it were at no edge: where the next key goes is not known.
      writeParts(root, 2, false);
      growRoot(separators[0], root, children[0], change.spare());
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
  }

  /**
   * Returns how many leaves to make: so few that they are three quarters full at most, which leaves
   * each at least half full; at the right edge of the tree so few that all but the last are full.
   */
  private int parts(int entries, boolean atEdge) {
    return Math.ceilDiv(entries, atEdge ? leaf.capacity : Math.max(3 * leaf.capacity / 4, 1));
  }

  /**
   * Stores the merged entries in a leaf and in reserved pages. Notes these as children, with the
   * separators before them.
   */
  private void writeParts(int first, int parts, boolean atEdge) {
    int entries = merged.count();
    int from = 0;
    int growth = -count(first);
    for (int part = 0; part < parts; part++) {
      int to =
          atEdge
              ? Math.min(from + leaf.capacity, entries)
              : (int) ((long) entries * (part + 1) / parts);
      int page = first;
      if (part > 0) {
        page = change.spare();
        children[part - 1] = page;
        separators[part - 1] = merged.key(from - 1);
      }
      long at = store.pin(page);
      try {
        NodePage.initialize(tree.pages, at, 0);
        leaf.store(tree.pages, at, merged, from, to - from);
      } finally {
        store.unpin(at, true);
      }
      growth += to - from;
      from = to;
    }
    tree.meta[BEpsilonStructure.LEAF_ENTRIES] += growth;
    splits += parts - 1;
  }

  private int count(int page) {
    long at = store.pin(page);
    try {
      return NodePage.count(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  // ---------------------------------------------------------------- split

  /** Tells whether the path leads to the last child of every page. */
  private boolean isAtRightEdge(int slot) {
    if (slot != count(path[1]) - 1) {
      return false;
    }
    for (int level = 2; level < tree.height(); level++) {
      if (lastChild(path[level]) != path[level - 1]) {
        return false;
      }
    }
    return true;
  }

  private int lastChild(int page) {
    long at = store.pin(page);
    try {
      return inner.child(tree.pages, at, inner.checkedChildren(tree.pages, at) - 1);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Returns how many pages so many more leaves and all splits above them take. */
  private int pagesNeeded(int leaves) {
    int needed = leaves;
    int more = leaves;
    int level = 1;
    while (level < tree.height() && more > 0) {
      more = count(path[level]) + more > inner.fanout ? 1 : 0;
      needed += more;
      level++;
    }
    return more > 0 ? needed + 1 : needed;
  }

  /**
   * Adds the noted children, with the separators before them, after the child in {@code slot} of
   * the path's page of a level; splits that page, and those above it, as needed.
   */
  private void addChildren(int firstLevel, int firstSlot, int added, boolean atEdge) {
    int slot = firstSlot;
    int more = added;
    for (int level = firstLevel; ; level++) {
      int page = path[level];
      if (count(page) + more <= inner.fanout) {
        insertChildren(page, slot, more);
        return;
      }
      int right = change.spare();
      long separator = splitInner(page, right, level, slot, more, atEdge);
      if (level + 1 == tree.height()) {
        growRoot(separator, page, right, change.spare());
        return;
      }
      slot = slotOf(path[level + 1], separator);
      separators[0] = separator;
      children[0] = right;
      more = 1;
    }
  }

  private int slotOf(int page, long key) {
    long at = store.pin(page);
    try {
      return inner.childSlot(tree.pages, at, key);
    } finally {
      store.unpin(at, false);
    }
  }

  private void insertChildren(int page, int slot, int added) {
    long at = store.pin(page);
    try {
      int count = inner.checkedChildren(tree.pages, at);
      for (int i = count - 1; i > slot; i--) {
        inner.child(tree.pages, at, i + added, inner.child(tree.pages, at, i));
      }
      for (int i = count - 2; i >= slot; i--) {
        InnerPage.separator(tree.pages, at, i + added, InnerPage.separator(tree.pages, at, i));
      }
      for (int i = 0; i < added; i++) {
        InnerPage.separator(tree.pages, at, slot + i, separators[i]);
        inner.child(tree.pages, at, slot + 1 + i, children[i]);
      }
      NodePage.count(tree.pages, at, count + added);
    } finally {
      store.unpin(at, true);
    }
  }

  /**
   * Divides a page's children and those to be added, and its messages with them, between it and
   * {@code right}. Returns the separator between the two.
   */
  private long splitInner(int left, int right, int level, int slot, int added, boolean atEdge) {
    long from = store.pin(left);
    long to = store.pin(right);
    try {
      int count = inner.checkedChildren(tree.pages, from);
      int total = count + added;
      // Opened behind what is to be added; both arrays have room for two more than a page.
      for (int i = added - 1; i >= 0; i--) {
        separators[slot + i] = separators[i];
        children[slot + 1 + i] = children[i];
      }
      for (int i = 0; i < count; i++) {
        children[i <= slot ? i : i + added] = inner.child(tree.pages, from, i);
      }
      for (int i = 0; i < count - 1; i++) {
        separators[i < slot ? i : i + added] = InnerPage.separator(tree.pages, from, i);
      }
      int kept = atEdge ? Math.min(inner.fanout, total - 2) : total - total / 2;
      NodePage.initialize(tree.pages, to, level);
      storeChildren(from, 0, kept);
      storeChildren(to, kept, total);
      long separator = separators[kept - 1];
      int messages = inner.checkedMessages(tree.pages, from);
      int stay = inner.messagesUpTo(tree.pages, from, messages, separator);
      inner.copyMessages(tree.pages, from, stay, to, 0, messages - stay);
      NodePage.messages(tree.pages, to, messages - stay);
      NodePage.messages(tree.pages, from, stay);
      splits++;
      return separator;
    } finally {
      store.unpin(from, true);
      store.unpin(to, true);
    }
  }

  private void storeChildren(long at, int from, int to) {
    for (int i = from; i < to; i++) {
      inner.child(tree.pages, at, i - from, children[i]);
    }
    for (int i = from; i < to - 1; i++) {
      InnerPage.separator(tree.pages, at, i - from, separators[i]);
    }
    NodePage.count(tree.pages, at, to - from);
  }

  private void growRoot(long separator, int left, int right, int newRoot) {
    long at = store.pin(newRoot);
    try {
      NodePage.initialize(tree.pages, at, tree.height());
      InnerPage.separator(tree.pages, at, 0, separator);
      inner.child(tree.pages, at, 0, left);
      inner.child(tree.pages, at, 1, right);
      NodePage.count(tree.pages, at, 2);
    } finally {
      store.unpin(at, true);
    }
    tree.meta[BEpsilonStructure.ROOT] = newRoot;
    tree.meta[BEpsilonStructure.HEIGHT]++;
  }
}
