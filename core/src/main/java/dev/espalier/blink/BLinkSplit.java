// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.blink.BLinkSpace.Spare;
import dev.espalier.inpage.PageCutPoint;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Latches;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Splits full pages, and tells their parents. Each step is one change of one page, after which the
 * tree is right. The methods are called outside operations and without latches.
 */
final class BLinkSplit {
  /**
   * Far more tries to complete one split, or to insert one entry, than other writers can be in the
   * way of. Where pages lie, one may be full and yet have nothing to be split.
   */
  private static final int MOST_TRIES = 1_000;

  private final BLinkStructure tree;
  private final PageStore store;
  private final LinkedPageFormat format;
  private final Latches latches;

  BLinkSplit(BLinkStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
    this.latches = tree.latches;
  }

  // ---------------------------------------------------------------- split

  /**
   * Splits the leaf that covers a key, unless it has room by now.
   *
   * @param tries how often that was done before for the same entry
   * @throws MemoryLimitException if there is no room for another page; nothing has changed then
   */
  void makeRoom(long key, int tries) {
    if (tries > MOST_TRIES) {
      throw Torn.torn("the leaf of key " + key + " is full and can't be split");
    }
    makeRoom(0, key);
  }

  /** Splits the page of a level that covers a key, as {@link #makeRoom(long, int)} does. */
  private void makeRoom(int level, long key) {
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
      if (LinkedPage.isSplitIncomplete(pages, at) || !format.isFull(pages, at, page, key)) {
        return null;
      }
      PageCutPoint cut = cutPoint(page, at, level, key);
      int from = cut.kept();
      long separator = cut.separator();
      int right = LinkedPage.right(pages, at);
      if (right == page) {
        throw Torn.torn("page " + page + " is its own neighbour");
      }
      if (right != 0) {
        latches.latch(right);
      }
      try {
        long neighbour = right == 0 ? 0 : store.pin(right);
        try {
          writeUpper(page, at, level, cut, spare);
          isSplit = true;
          tree.change(
              page,
              at,
              (memory, leftHalf) -> {
                format.keepLower(memory, leftHalf, page, from, cut.isAtRun());
                LinkedPage.high(memory, leftHalf, separator);
                LinkedPage.right(memory, leftHalf, spare);
                LinkedPage.flags(memory, leftHalf, LinkedPage.SPLIT_IS_INCOMPLETE);
              });
          if (right != 0) {
            tree.change(
                right, neighbour, (memory, beside) -> LinkedPage.left(memory, beside, spare));
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

  /**
   * Tells what a full page keeps: half, or all that is below a run of inserts, but not nothing; at
   * the right edge all but what is new.
   */
  private PageCutPoint cutPoint(int page, long at, int level, long key) {
    MemorySegment pages = tree.pages;
    int count = format.count(pages, at);
    boolean movesNothing = LinkedPage.right(pages, at) == 0 && format.isAtEnd(pages, at, page, key);
    int kept = movesNothing ? count - Math.min(level, 1) : count / 2;
    if (!movesNothing && level == 0) {
      PageCutPoint cut = format.cutPoint(pages, at, page, key);
      kept = Math.clamp(cut.kept(), 1, count - 1);
      if (cut.isAtRun()) {
        boolean isThere = kept == cut.kept();
        long separator = isThere ? cut.separator() : format.keyOfRank(pages, at, kept - 1);
        return new PageCutPoint(kept, true, separator);
      }
    }
    return new PageCutPoint(kept, false, format.keyOfRank(pages, at, kept - 1));
  }

  /** Writes the upper half into a page that no other leads to. */
  private void writeUpper(int page, long at, int level, PageCutPoint cut, int spare) {
    long upper = store.pin(spare);
    try {
      tree.change(
          spare,
          upper,
          (memory, rightHalf) -> {
            format.initialize(memory, rightHalf, spare, level);
            format.copyUpper(memory, at, cut.kept(), rightHalf, spare, cut.isAtRun());
            LinkedPage.high(memory, rightHalf, LinkedPage.high(memory, at));
            LinkedPage.right(memory, rightHalf, LinkedPage.right(memory, at));
            LinkedPage.left(memory, rightHalf, page);
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
    for (int tries = 0; ; tries++) {
      if (tries > MOST_TRIES) {
        throw Torn.torn("the split of a page of level " + level + " can't be completed");
      }
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
      if (!LinkedPage.isSplitIncomplete(tree.pages, at)) {
        return Attempt.NOTHING_TO_DO;
      }
      separator = LinkedPage.high(tree.pages, at);
      right = LinkedPage.right(tree.pages, at);
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
        tree.pinAndChange(page, (memory, leftHalf) -> LinkedPage.flags(memory, leftHalf, 0));
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
      if (format.hasSeparator(pages, at, parent, separator)) {
        return Outcome.DONE;
      }
      latches.beginChange(parent);
      try {
        changed = true; // even if what the page says ends it halfway
        changed = format.insertChild(pages, at, parent, separator, right);
      } finally {
        latches.endChange(parent);
      }
      if (!changed) {
        return Outcome.PARENT_IS_FULL;
      }
      return LinkedPage.isSplitIncomplete(pages, at) ? Outcome.DONE_BELOW_A_MARK : Outcome.DONE;
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
      if (LinkedPage.level(pages, at) != level || !LinkedPage.isSplitIncomplete(pages, at)) {
        return false;
      }
      long separator = LinkedPage.high(pages, at);
      int right = LinkedPage.right(pages, at);
      long above = store.pin(spare);
      try {
        tree.change(
            spare,
            above,
            (memory, newRoot) -> {
              format.initialize(memory, newRoot, spare, level + 1);
              format.store(
                  memory, newRoot, spare, new long[] {separator, 0}, new long[] {root, right}, 2);
            });
      } finally {
        store.unpin(above, true);
      }
      used = true;
      tree.rootPage(spare, level + 2);
      tree.change(root, at, (memory, oldRoot) -> LinkedPage.flags(memory, oldRoot, 0));
      return true;
    } finally {
      store.unpin(at, used);
    }
  }
}
