// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import java.lang.foreign.MemorySegment;

/** Writes entries: one leaf is latched and changed; what follows for other pages comes later. */
final class BLinkWriter {
  /** Stands for the place of a key that has not been looked for since its leaf was latched. */
  private static final int UNKNOWN = Integer.MIN_VALUE;

  private final BLinkStructure tree;
  private final PageStore store;
  private final LinkedPageFormat format;
  private final Latches latches;
  private final Epochs epochs;

  BLinkWriter(BLinkStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
    this.latches = tree.latches;
    this.epochs = tree.epochs;
  }

  // ---------------------------------------------------------------- search

  /**
   * Latches the leaf that covers a key, within an operation. Looks for the key before, while that
   * keeps nobody waiting: what was found counts if the leaf has not changed when it is latched.
   *
   * @return what {@link #leafOf} and {@link #placeOf} take
   */
  private long latchLeaf(long key) {
    int page = tree.rootPage();
    long look = store.look(page);
    int looks = 0;
    for (int hops = 0; ; hops++) {
      long at = tree.begin(page, look);
      MemorySegment pages = tree.pages;
      long version;
      int next;
      int place;
      do {
        version = latches.version(page);
        next = format.next(pages, at, page, key, 0);
        place = next == LinkedPage.HERE ? format.findPlace(pages, at, page, key) : UNKNOWN;
      } while (!latches.isStill(page, version));
      if (!tree.end(look, at)) {
        look = BLinkStructure.PINNED;
        continue;
      }
      looks += look < 0 ? 0 : 1;
      if (next == LinkedPage.HERE) {
        store.noteLooks(looks);
        return latches.latchIfStill(page, version)
            ? latched(page, place)
            : latched(tree.latch(0, key), UNKNOWN);
      }
      page = next == LinkedPage.GONE ? tree.rootPage() : next;
      BLinkStructure.checkHops(hops, page);
      look = store.look(page);
    }
  }

  private static long latched(int leaf, int place) {
    return (long) leaf << Integer.SIZE | (place & 0xffff_ffffL);
  }

  private static int leafOf(long latched) {
    return (int) (latched >>> Integer.SIZE);
  }

  /** Returns what {@link LinkedPageFormat#findPlace} says of the leaf, which is pinned. */
  private int placeOf(long latched, long at, long key) {
    int place = (int) latched;
    return place != UNKNOWN ? place : format.findPlace(tree.pages, at, leafOf(latched), key);
  }

  /** What is left to do when a leaf has been written. */
  private enum Rest {
    NOTHING,
    LEAF_IS_FULL,
    SPLIT_IS_INCOMPLETE
  }

  // ---------------------------------------------------------------- insert

  /**
   * Inserts an entry, or replaces its value if that is asked for.
   *
   * @return the value before, or {@code missing}
   */
  long put(long key, long value, boolean replaces, long missing) {
    store.beforeChange();
    for (int tries = 0; ; tries++) {
      long previous = missing;
      Rest rest;
      int inserted = 0;
      int operation = epochs.enter();
      try {
        long latched = latchLeaf(key);
        int leaf = leafOf(latched);
        try {
          long at = store.pin(leaf);
          MemorySegment pages = tree.pages;
          boolean changes = true; // or ended halfway by what the page says
          try {
            int place = placeOf(latched, at, key);
            rest = restOf(pages, at);
            if (place >= 0) {
              previous = format.value(pages, at, place);
              changes = replaces;
              if (replaces) {
                setValue(pages, leaf, at, place, key, value);
              }
            } else {
              changes = insert(pages, leaf, at, -1 - place, key, value);
              inserted = changes ? 1 : 0;
              rest = changes ? rest : Rest.LEAF_IS_FULL;
            }
          } finally {
            store.unpin(at, changes);
          }
        } finally {
          latches.unlatch(leaf);
        }
      } finally {
        epochs.exit(operation, inserted);
      }
      if (rest == Rest.SPLIT_IS_INCOMPLETE) {
        tree.splits.completeIfThereIsRoom(0, key);
      }
      if (rest != Rest.LEAF_IS_FULL) {
        return previous;
      }
      tree.splits.makeRoom(key, tries);
    }
  }

  /**
   * Inserts an entry, unless the key is there.
   *
   * @return whether it was inserted
   */
  boolean insert(long key, long value) {
    store.beforeChange();
    for (int tries = 0; ; tries++) {
      boolean inserts;
      Rest rest;
      int inserted = 0;
      int operation = epochs.enter();
      try {
        long latched = latchLeaf(key);
        int leaf = leafOf(latched);
        try {
          long at = store.pin(leaf);
          MemorySegment pages = tree.pages;
          inserts = true; // or ended halfway by what the page says
          try {
            int place = placeOf(latched, at, key);
            rest = restOf(pages, at);
            inserts = place < 0 && insert(pages, leaf, at, -1 - place, key, value);
            inserted = inserts ? 1 : 0;
            if (place < 0 && !inserts) {
              rest = Rest.LEAF_IS_FULL;
            }
          } finally {
            store.unpin(at, inserts);
          }
        } finally {
          latches.unlatch(leaf);
        }
      } finally {
        epochs.exit(operation, inserted);
      }
      if (rest == Rest.SPLIT_IS_INCOMPLETE) {
        tree.splits.completeIfThereIsRoom(0, key);
      }
      if (rest != Rest.LEAF_IS_FULL) {
        return inserts;
      }
      tree.splits.makeRoom(key, tries);
    }
  }

  private static Rest restOf(MemorySegment pages, long at) {
    return LinkedPage.isSplitIncomplete(pages, at) ? Rest.SPLIT_IS_INCOMPLETE : Rest.NOTHING;
  }

  /** Inserts into a leaf that is latched, unless it is full; returns whether it did. */
  private boolean insert(MemorySegment pages, int leaf, long at, int place, long key, long value) {
    boolean inserted;
    boolean fits = format.fits(pages, at, place);
    if (fits) {
      store.beforeSet(key, value);
    }
    latches.beginChange(leaf);
    try {
      inserted = format.insert(pages, at, leaf, place, key, value);
      if (inserted && !fits) {
        store.beforeSet(key, value);
      }
    } finally {
      latches.endChange(leaf);
    }
    if (inserted) {
      tree.noteOwnChange();
    }
    return inserted;
  }

  private void setValue(MemorySegment pages, int leaf, long at, int place, long key, long value) {
    store.beforeSet(key, value);
    latches.beginChange(leaf);
    try {
      format.value(pages, at, place, value);
    } finally {
      latches.endChange(leaf);
    }
    tree.noteOwnChange();
  }

  /** Replaces the value of a key, if that is there. */
  boolean replace(long key, long value) {
    return replace(key, true, 0, value);
  }

  /** Replaces the value of a key, if that is there and has the expected value. */
  boolean replace(long key, long expected, long value) {
    return replace(key, false, expected, value);
  }

  private boolean replace(long key, boolean whicheverItIs, long expected, long value) {
    store.beforeChange();
    int operation = epochs.enter();
    try {
      long latched = latchLeaf(key);
      int leaf = leafOf(latched);
      try {
        long at = store.pin(leaf);
        boolean replaces = false;
        try {
          int place = placeOf(latched, at, key);
          replaces =
              place >= 0 && (whicheverItIs || format.value(tree.pages, at, place) == expected);
          if (replaces) {
            setValue(tree.pages, leaf, at, place, key, value);
          }
          return replaces;
        } finally {
          store.unpin(at, replaces);
        }
      } finally {
        latches.unlatch(leaf);
      }
    } finally {
      epochs.exit(operation);
    }
  }

  // ---------------------------------------------------------------- delete

  /**
   * Removes an entry.
   *
   * @return its value, or {@code missing}
   */
  long remove(long key, long missing) {
    return remove(key, true, 0, missing);
  }

  /** Removes an entry, if it is there and has the expected value. */
  boolean removeIf(long key, long expected) {
    return remove(key, false, expected, ~expected) == expected;
  }

  private long remove(long key, boolean whicheverItIs, long expected, long missing) {
    store.beforeChange();
    long previous = missing;
    boolean isSplitIncomplete;
    boolean hasBecomeEmpty;
    int removed = 0;
    int operation = epochs.enter();
    try {
      long latched = latchLeaf(key);
      int leaf = leafOf(latched);
      try {
        long at = store.pin(leaf);
        MemorySegment pages = tree.pages;
        boolean removes = false;
        try {
          int place = placeOf(latched, at, key);
          removes = place >= 0 && (whicheverItIs || format.value(pages, at, place) == expected);
          if (removes) {
            previous = format.value(pages, at, place);
            remove(pages, leaf, at, place, key);
            removed = 1;
          }
          isSplitIncomplete = LinkedPage.isSplitIncomplete(pages, at);
          hasBecomeEmpty = removes && format.count(pages, at) == 0;
        } finally {
          store.unpin(at, removes);
        }
      } finally {
        latches.unlatch(leaf);
      }
    } finally {
      epochs.exit(operation, -removed);
    }
    if (isSplitIncomplete) {
      tree.splits.completeIfThereIsRoom(0, key);
    }
    if (hasBecomeEmpty) {
      tree.removals.removeEmpty(key);
    }
    return previous;
  }

  private void remove(MemorySegment pages, int leaf, long at, int place, long key) {
    store.beforeRemoval(key);
    latches.beginChange(leaf);
    try {
      format.remove(pages, at, place);
    } finally {
      latches.endChange(leaf);
    }
    tree.noteOwnChange();
  }
}
