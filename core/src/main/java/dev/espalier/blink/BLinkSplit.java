// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.blink.BLinkSpace.Spare;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Latches;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Splits full pages, and tells their parents. Each step is one change of one page, after which the
 * tree is right. The methods are called outside operations and without latches.
 */
final class BLinkSplit {
  private final BLinkStructure tree;
  private final PageStore store;
  private final BLinkPage layout;
  private final Latches latches;

  BLinkSplit(BLinkStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.layout;
    this.latches = tree.latches;
  }

  // ---------------------------------------------------------------- split

  /**
   * Splits the page of a level that covers a key, unless it has room by now.
   *
   * @throws MemoryLimitException if there is no room for another page; nothing has changed then
   */
  void makeRoom(int level, long key) {
    complete(level, key);
    Spare spare = tree.space.take();
    @Nullable Separator separator = null;
    try {
      int operation = tree.epochs.enter();
      try {
        int page = tree.space.isGood(spare) ? tree.latch(level, key) : 0;
        if (page != 0) {
          try {
            separator = split(page, level, key, spare.page());
          } finally {
            latches.unlatch(page);
          }
        }
        if (separator != null) {
          tree.space.used();
        }
      } finally {
        tree.epochs.exit(operation);
      }
    } finally {
      if (separator == null) {
        tree.space.giveBack(spare);
      }
    }
    if (separator != null) {
      completeIfThereIsRoom(level, separator.key);
    }
  }

  /** The key between the halves of a page. */
  private record Separator(long key) {}

  /** Splits a page that is latched, unless it has room or is marked; returns null then. */
  private @Nullable Separator split(int page, int level, long key, int spare) {
    long at = store.pin(page);
    boolean isSplit = false;
    try {
      MemorySegment pages = tree.pages;
      int count = layout.count(pages, at);
      if (count < layout.capacity(level) || BLinkPage.isSplitIncomplete(pages, at)) {
        return null;
      }
      int from = firstToMove(at, level, key, count);
      long separator = BLinkPage.key(pages, at, from - 1);
      int right = BLinkPage.right(pages, at);
      if (right != 0) {
        latches.latch(right);
      }
      try {
        long neighbour = right == 0 ? 0 : store.pin(right);
        try {
          writeUpper(page, at, level, from, spare);
          isSplit = true;
          tree.change(
              page,
              at,
              (memory, leftHalf) -> {
                BLinkPage.count(memory, leftHalf, from);
                BLinkPage.high(memory, leftHalf, separator);
                BLinkPage.right(memory, leftHalf, spare);
                BLinkPage.flags(memory, leftHalf, BLinkPage.SPLIT_IS_INCOMPLETE);
              });
          if (right != 0) {
            tree.change(
                right, neighbour, (memory, beside) -> BLinkPage.left(memory, beside, spare));
          }
        } finally {
          if (right != 0) {
            store.unpin(neighbour, isSplit);
          }
        }
      } finally {
        if (right != 0) {
          latches.unlatch(right);
        }
      }
      return new Separator(separator);
    } finally {
      store.unpin(at, isSplit);
    }
  }

  /** Returns the slot from which on a full page gives to the right: half, or what is new. */
  private int firstToMove(long at, int level, long key, int count) {
    MemorySegment pages = tree.pages;
    boolean isLast = BLinkPage.right(pages, at) == 0;
    if (level == 0) {
      return isLast && key > BLinkPage.key(pages, at, count - 1) ? count : count / 2;
    }
    return isLast && layout.childSlot(pages, at, key) == count - 1 ? count - 1 : count / 2;
  }

  /** Writes the upper half into a page that no other leads to. */
  private void writeUpper(int page, long at, int level, int from, int spare) {
    long upper = store.pin(spare);
    try {
      tree.change(
          spare,
          upper,
          (memory, rightHalf) -> {
            BLinkPage.initialize(memory, rightHalf, level);
            layout.copyUpper(memory, at, from, rightHalf);
            BLinkPage.high(memory, rightHalf, BLinkPage.high(memory, at));
            BLinkPage.right(memory, rightHalf, BLinkPage.right(memory, at));
            BLinkPage.left(memory, rightHalf, page);
          });
    } finally {
      store.unpin(upper, true);
    }
  }

  // ---------------------------------------------------------------- complete

  /** What an attempt to complete a split has come to. */
  private enum Outcome {
    NOTHING_TO_DO,
    DONE,
    DONE_BELOW_A_MARK,
    PARENT_IS_FULL,
    NO_PARENT
  }

  /** An outcome, and the separator that it is about. */
  private record Attempt(Outcome outcome, long separator) {
    static final Attempt NOTHING_TO_DO = new Attempt(Outcome.NOTHING_TO_DO, 0);
  }

  /**
   * Completes the split of the page of a level that covers a key, if that is marked, and puts up
   * with the mark while there is no room above: searches go by the links.
   */
  void completeIfThereIsRoom(int level, long key) {
    try {
      complete(level, key);
    } catch (MemoryLimitException _) {
      // The mark stays, and the next writer that comes upon it tries again.
    }
  }

  /**
   * Completes the split of the page of a level that covers a key, if that is marked.
   *
   * @throws MemoryLimitException if there is no room above; the mark stays then
   */
  private void complete(int level, long key) {
    while (true) {
      Attempt attempt;
      int operation = tree.epochs.enter();
      try {
        int page = tree.latch(level, key);
        if (page == 0) {
          return;
        }
        try {
          attempt = tryComplete(page, level);
        } finally {
          latches.unlatch(page);
        }
      } finally {
        tree.epochs.exit(operation);
      }
      switch (attempt.outcome) {
        case NOTHING_TO_DO, DONE -> {
          return;
        }
        case DONE_BELOW_A_MARK -> {
          completeIfThereIsRoom(level + 1, attempt.separator);
          return;
        }
        case PARENT_IS_FULL -> makeRoom(level + 1, attempt.separator);
        case NO_PARENT -> growRoot(level);
      }
    }
  }

  /** Inserts the separator of a page that is latched, if it is marked, into its parent. */
  private Attempt tryComplete(int page, int level) {
    long separator;
    int right;
    long at = store.pin(page);
    try {
      if (!BLinkPage.isSplitIncomplete(tree.pages, at)) {
        return Attempt.NOTHING_TO_DO;
      }
      separator = BLinkPage.high(tree.pages, at);
      right = BLinkPage.right(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
    int parent = tree.latch(level + 1, separator);
    if (parent == 0) {
      return new Attempt(Outcome.NO_PARENT, separator);
    }
    try {
      Outcome outcome = insertChild(parent, separator, right);
      if (outcome != Outcome.PARENT_IS_FULL) {
        tree.pinAndChange(page, (memory, leftHalf) -> BLinkPage.flags(memory, leftHalf, 0));
      }
      return new Attempt(outcome, separator);
    } finally {
      latches.unlatch(parent);
    }
  }

  /** Inserts a page into its parent, unless that is full. It may be there already. */
  private Outcome insertChild(int parent, long separator, int right) {
    long at = store.pin(parent);
    boolean changed = false;
    try {
      MemorySegment pages = tree.pages;
      int count = layout.count(pages, at);
      int slot = layout.childSlot(pages, at, separator);
      if (slot < count - 1 && BLinkPage.key(pages, at, slot) == separator) {
        return Outcome.DONE;
      }
      if (count == layout.innerCapacity) {
        return Outcome.PARENT_IS_FULL;
      }
      changed = true;
      tree.change(
          parent, at, (memory, above) -> layout.insertChild(memory, above, slot, separator, right));
      return BLinkPage.isSplitIncomplete(pages, at) ? Outcome.DONE_BELOW_A_MARK : Outcome.DONE;
    } finally {
      store.unpin(at, changed);
    }
  }

  // ---------------------------------------------------------------- root

  /** Makes a new root above a root of this level that was split. */
  private void growRoot(int level) {
    Spare spare = tree.space.take();
    boolean used = false;
    try {
      int operation = tree.epochs.enter();
      try {
        int root = tree.rootPage();
        latches.latch(root);
        try {
          used = tree.space.isGood(spare) && growRoot(root, level, spare.page());
        } finally {
          latches.unlatch(root);
        }
        if (used) {
          tree.space.used();
        }
      } finally {
        tree.epochs.exit(operation);
      }
    } finally {
      if (!used) {
        tree.space.giveBack(spare);
      }
    }
  }

  private boolean growRoot(int root, int level, int spare) {
    if (tree.rootPage() != root) {
      return false;
    }
    long at = store.pin(root);
    boolean used = false;
    try {
      MemorySegment pages = tree.pages;
      if (BLinkPage.level(pages, at) != level || !BLinkPage.isSplitIncomplete(pages, at)) {
        return false;
      }
      long separator = BLinkPage.high(pages, at);
      int right = BLinkPage.right(pages, at);
      long above = store.pin(spare);
      try {
        tree.change(
            spare,
            above,
            (memory, newRoot) -> {
              BLinkPage.initialize(memory, newRoot, level + 1);
              BLinkPage.count(memory, newRoot, 1);
              layout.child(memory, newRoot, 0, root);
              layout.insertChild(memory, newRoot, 0, separator, right);
            });
      } finally {
        store.unpin(above, true);
      }
      used = true;
      tree.rootPage(spare, level + 2);
      tree.change(root, at, (memory, oldRoot) -> BLinkPage.flags(memory, oldRoot, 0));
      return true;
    } finally {
      store.unpin(at, used);
    }
  }
}
