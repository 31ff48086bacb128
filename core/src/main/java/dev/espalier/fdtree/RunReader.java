// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.memory.Words;
import dev.espalier.support.CursorMemory;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;

/**
 * Reads the messages or the fences of the head tree or of a run, in both directions, from a copy of
 * one page at a time. It stands between two elements.
 */
final class RunReader {
  /** Pages that are asked for at once. */
  private static final int AHEAD = 16;

  private final FdStructure tree;
  private final RunPage layout;
  private final MemorySegment copy;

  /** Whether it stops at what is nothing any more, as at a message. */
  private final boolean stopsAtNothing;

  private final int[] ahead = new int[AHEAD];

  /** The leaves of the head tree; a run's pages are consecutive. */
  private int[] leaves = {};

  private boolean isHead;
  private int firstPage;
  private int pages;
  private int number;
  private int slot;
  private int count;
  private int askedTo;

  RunReader(FdStructure tree) {
    this(tree, false);
  }

  /**
   * Makes a reader.
   *
   * @param stopsAtNothing whether what is nothing any more is passed as a removed key
   */
  RunReader(FdStructure tree, boolean stopsAtNothing) {
    this.tree = tree;
    this.stopsAtNothing = stopsAtNothing;
    this.layout = tree.layout;
    this.copy = CursorMemory.allocate(layout.bytes);
  }

  void openHead() {
    leaves = tree.head.leaves();
    isHead = true;
    pages = leaves.length;
    begin();
  }

  /** Where the root lies, a run may say any number of pages. */
  void open(Run run) {
    if (run.pages() < 0 || run.pages() > tree.store.pagesInUse()) {
      throw Torn.torn("a run says that it has " + run.pages() + " pages");
    }
    isHead = false;
    firstPage = run.firstPage();
    pages = run.pages();
    begin();
  }

  private void begin() {
    number = -1;
    slot = 0;
    count = 0;
    askedTo = 0;
  }

  private void see(int next) {
    if (next == number + 1 && next >= askedTo && tree.cursorsCopy && next > 0) {
      int some = Math.min(AHEAD, pages - next);
      for (int i = 0; i < some; i++) {
        ahead[i] = page(next + i);
      }
      tree.store.readAhead(ahead, 0, some);
      askedTo = next + some;
    }
    long at = tree.store.pin(page(next));
    Words.copy(tree.store.segment(), at, copy, 0, layout.bytes);
    tree.store.unpin(at, false);
    number = next;
    count = layout.count(copy, 0);
  }

  private int page(int i) {
    return isHead ? leaves[i] : firstPage + i;
  }

  /** Stands before the first element of a page whose key is not below one. */
  void seek(int page, long key) {
    if (pages == 0) {
      return;
    }
    see(Math.clamp(page, 0, pages - 1));
    slot = layout.lowerBound(copy, 0, key);
  }

  /** Stands behind all elements. */
  void seekEnd() {
    if (pages > 0) {
      see(pages - 1);
      slot = count;
    }
  }

  /** Goes forward to an element of a kind, and returns false if there is none. */
  boolean findNext(boolean fences) {
    while (true) {
      while (slot < count) {
        if (isKind(slot, fences)) {
          return true;
        }
        slot++;
      }
      if (number + 1 >= pages) {
        return false;
      }
      see(number + 1);
      slot = 0;
    }
  }

  /** Goes back until an element of a kind is before, and returns false if there is none. */
  boolean findPrevious() {
    while (true) {
      while (slot > 0) {
        if (isKind(slot - 1, false)) {
          return true;
        }
        slot--;
      }
      if (number <= 0) {
        return false;
      }
      see(number - 1);
      slot = count;
    }
  }

  private boolean isKind(int at, boolean fences) {
    int type = layout.type(copy, 0, at);
    return fences
        ? type == RunPage.FENCE
        : RunPage.isMessage(type) || (stopsAtNothing && type == RunPage.NOTHING);
  }

  /** Returns the key of the element behind, or before. */
  long key(boolean forward) {
    return RunPage.key(copy, 0, forward ? slot : slot - 1);
  }

  long value(boolean forward) {
    return layout.value(copy, 0, forward ? slot : slot - 1);
  }

  boolean isPut(boolean forward) {
    return layout.type(copy, 0, forward ? slot : slot - 1) == RunPage.PUT;
  }

  void pass(boolean forward) {
    slot += forward ? 1 : -1;
  }

  /** Returns the last fence up to a key in the page that {@link #seek} has come to. */
  int fenceUpTo(long key) {
    return number < 0 ? 0 : layout.fence(copy, 0, layout.upperBound(copy, 0, key));
  }
}
