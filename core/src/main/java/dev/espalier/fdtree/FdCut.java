// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;

/** One removal of a range of keys, out of the head tree and all runs. */
final class FdCut {
  /* Overview
   *
   * First the entries are counted: of the messages of a key, the newest says whether it has one. Then
   * the messages go, those of the deepest run first, so that none reappears that another hides:
   *
   *   deepest run    they become nothing, as after a removal in place
   *   other runs     they become tombstones
   *   head tree      they leave their leaves
   *
   * Keys and fences stay, so no other element moves. Of a run's page in the middle of the range, two
   * keys and the types are read, and the types written, a byte for each element. No page is
   * allocated, so a full tree refuses no range.
   */

  private final FdStructure tree;
  private final PageStore store;
  private final RunPage layout;
  private final long first;
  private final long last;

  /** What the head tree and the runs have of the range, the newest first. */
  private final Part[] parts;

  /** Finds out where the range begins in the head tree and each run; both ends belong to it. */
  FdCut(FdStructure tree, long first, long last) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.layout;
    this.first = first;
    this.last = last;
    this.parts = new Part[tree.depth + 1];
    parts[0] = new Part(tree.head.leaves(), Run.EMPTY, tree.head.slotOf(first));
    for (int k = 1; k < parts.length; k++) {
      parts[k] = new Part(new int[0], tree.runs[k], parts[k - 1].fence());
    }
  }

  // ---------------------------------------------------------------- count

  /** Returns how many entries the range has. O(messages), in blocks between those of others. */
  long count() {
    for (Part part : parts) {
      part.begin();
    }
    long entries = 0;
    while (true) {
      Part next = null;
      boolean isTied = false;
      boolean hasLimit = false;
      long limit = 0;
      for (Part part : parts) {
        if (!part.isThere) {
          continue;
        }
        if (next == null || part.key < next.key) {
          if (next != null) {
            hasLimit = true;
            limit = next.key;
          }
          next = part;
          isTied = false;
        } else if (part.key == next.key) {
          isTied = true;
        } else if (!hasLimit || part.key < limit) {
          hasLimit = true;
          limit = part.key;
        }
      }
      if (next == null) {
        return entries;
      }
      entries += isTied ? passKey(next) : next.passBefore(hasLimit, limit);
    }
  }

  /** Passes all messages of a key, and returns 1 if the newest of them is a put. */
  private int passKey(Part newest) {
    long key = newest.key;
    int entries = newest.isPut ? 1 : 0;
    for (Part part : parts) {
      if (part.isThere && part.key == key) {
        part.pass();
      }
    }
    return entries;
  }

  // ---------------------------------------------------------------- remove

  /** Removes all messages of the range. */
  void remove() {
    long root = store.pin(tree.root()); // Before anything has changed: reading it may fail.
    try {
      for (int k = tree.depth; k > 0; k--) {
        tree.runs[k] = removeFromRun(k);
        RootPage.run(tree.pages, root, k, tree.runs[k]);
      }
      removeFromHead();
    } finally {
      store.unpin(root, true);
    }
  }

  private Run removeFromRun(int k) {
    Run run = tree.runs[k];
    Part part = parts[k];
    boolean isDeepest = k == tree.depth;
    long messages = run.messages();
    long tombstones = run.tombstones();
    for (part.enterFirst(); part.isOnPage; part.enterNext()) {
      int removed = part.removeFromPage(isDeepest);
      messages -= isDeepest ? removed : 0;
      tombstones += isDeepest ? 0 : removed;
    }
    return new Run(run.firstPage(), run.pages(), run.elements(), messages, tombstones);
  }

  private void removeFromHead() {
    Part part = parts[0];
    for (part.enterFirst(); part.isOnPage; part.enterNext()) {
      if (part.slot == part.end) {
        continue;
      }
      long page = store.pin(part.page());
      int removed = layout.removeMessages(tree.pages, page, part.slot, part.end);
      store.unpin(page, removed > 0);
      tree.meta[FdStructure.HEAD] -= removed;
    }
  }

  // ---------------------------------------------------------------- one source

  /** What the head tree, or a run, has of the range: page by page. */
  private final class Part {
    /** The leaves of the head tree; a run's pages are consecutive. */
    private final int[] leaves;

    private final int firstPage;
    private final int pages;

    /** The number of the page in which the range begins. */
    private final int start;

    /** The page that is looked at, and the slots of it that are in the range and not passed. */
    private int number;

    int slot;
    int end;

    /** Whether that page has elements of the range, or may have, and whether the next may. */
    boolean isOnPage;

    private boolean goesOn;

    /** Whether there is a message at the slot, and what it is. */
    boolean isThere;

    long key;
    boolean isPut;

    Part(int[] leaves, Run run, int start) {
      this.leaves = leaves;
      this.firstPage = run.firstPage();
      this.pages = leaves.length + run.pages();
      this.start = Math.clamp(start, 0, Math.max(0, pages - 1));
    }

    int page() {
      return leaves.length > 0 ? leaves[number] : firstPage + number;
    }

    /** Returns the page of the next run in which the range begins. */
    int fence() {
      if (pages == 0) {
        return 0;
      }
      number = start;
      long page = store.pin(page());
      try {
        return layout.fence(tree.pages, page, layout.upperBound(tree.pages, page, first));
      } finally {
        store.unpin(page, false);
      }
    }

    void enterFirst() {
      enter(start);
    }

    void enterNext() {
      if (goesOn) {
        enter(number + 1);
      } else {
        isOnPage = false;
      }
    }

    private void enter(int next) {
      isOnPage = next < pages;
      if (!isOnPage) {
        return;
      }
      number = next;
      long page = store.pin(page());
      try {
        int count = layout.count(tree.pages, page);
        boolean isWithin = number > start || first == Long.MIN_VALUE;
        slot = isWithin ? 0 : layout.lowerBound(tree.pages, page, first);
        goesOn = count == 0 || RunPage.key(tree.pages, page, count - 1) <= last;
        end = goesOn ? count : Math.max(slot, layout.upperBound(tree.pages, page, last));
      } finally {
        store.unpin(page, false);
      }
    }

    // -------------------------------------------------------------- messages

    /** Stands at the first message. */
    void begin() {
      enterFirst();
      find();
    }

    void pass() {
      slot++;
      find();
    }

    /** Goes on to a message, unless it is at one. */
    private void find() {
      for (; isOnPage; enterNext()) {
        if (findInPage()) {
          isThere = true;
          return;
        }
      }
      isThere = false;
    }

    private boolean findInPage() {
      long page = store.pin(page());
      try {
        for (; slot < end; slot++) {
          int type = layout.type(tree.pages, page, slot);
          if (RunPage.isMessage(type)) {
            key = RunPage.key(tree.pages, page, slot);
            isPut = type == RunPage.PUT;
            return true;
          }
        }
        return false;
      } finally {
        store.unpin(page, false);
      }
    }

    /** Passes the page's messages with keys below a limit; returns how many of them are puts. */
    int passBefore(boolean hasLimit, long limit) {
      int puts = 0;
      long page = store.pin(page());
      try {
        int to = end;
        if (hasLimit) {
          long keys = page + RunPage.KEYS + ((long) slot << 3);
          to = slot + Math.max(1, Keys.lowerBoundBinary(tree.pages, keys, end - slot, limit));
        }
        for (; slot < to; slot++) {
          puts += layout.type(tree.pages, page, slot) == RunPage.PUT ? 1 : 0;
        }
      } finally {
        store.unpin(page, false);
      }
      find();
      return puts;
    }

    /** Makes the page's messages nothing, or puts tombstones; returns how many that changed. */
    int removeFromPage(boolean isDeepest) {
      int changed = 0;
      long page = store.pin(page());
      try {
        for (int at = slot; at < end; at++) {
          int type = layout.type(tree.pages, page, at);
          if (type == RunPage.PUT || (isDeepest && type == RunPage.TOMBSTONE)) {
            layout.type(tree.pages, page, at, isDeepest ? RunPage.NOTHING : RunPage.TOMBSTONE);
            changed++;
          }
        }
      } finally {
        store.unpin(page, changed > 0);
      }
      return changed;
    }
  }
}
