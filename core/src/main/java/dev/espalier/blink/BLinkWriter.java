// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import java.lang.foreign.MemorySegment;

/** Writes entries: one leaf is latched and changed; what follows for other pages comes later. */
final class BLinkWriter {
  private final BLinkStructure tree;
  private final PageStore store;
  private final BLinkPage layout;
  private final Latches latches;
  private final Epochs epochs;

  BLinkWriter(BLinkStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.layout;
    this.latches = tree.latches;
    this.epochs = tree.epochs;
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
    while (true) {
      long previous = missing;
      Rest rest;
      int operation = epochs.enter();
      try {
        int leaf = tree.latch(0, key);
        try {
          long at = store.pin(leaf);
          MemorySegment pages = tree.pages;
          int slot = layout.findSlot(pages, at, key);
          rest = restOfInsert(pages, at, slot);
          if (slot >= 0) {
            previous = layout.value(pages, at, slot);
            if (replaces) {
              setValue(pages, leaf, at, slot, value);
            }
          } else if (rest != Rest.LEAF_IS_FULL) {
            insert(pages, leaf, at, -1 - slot, key, value);
          }
          store.unpin(at, slot >= 0 ? replaces : rest != Rest.LEAF_IS_FULL);
        } finally {
          latches.unlatch(leaf);
        }
      } finally {
        epochs.exit(operation);
      }
      if (rest == Rest.SPLIT_IS_INCOMPLETE) {
        tree.splits.completeIfThereIsRoom(0, key);
      }
      if (rest != Rest.LEAF_IS_FULL) {
        return previous;
      }
      tree.splits.makeRoom(0, key);
    }
  }

  /**
   * Inserts an entry, unless the key is there.
   *
   * @return whether it was inserted
   */
  boolean insert(long key, long value) {
    store.beforeChange();
    while (true) {
      boolean inserts;
      Rest rest;
      int operation = epochs.enter();
      try {
        int leaf = tree.latch(0, key);
        try {
          long at = store.pin(leaf);
          MemorySegment pages = tree.pages;
          int slot = layout.findSlot(pages, at, key);
          rest = restOfInsert(pages, at, slot);
          inserts = slot < 0 && rest != Rest.LEAF_IS_FULL;
          if (inserts) {
            insert(pages, leaf, at, -1 - slot, key, value);
          }
          store.unpin(at, inserts);
        } finally {
          latches.unlatch(leaf);
        }
      } finally {
        epochs.exit(operation);
      }
      if (rest == Rest.SPLIT_IS_INCOMPLETE) {
        tree.splits.completeIfThereIsRoom(0, key);
      }
      if (rest != Rest.LEAF_IS_FULL) {
        return inserts;
      }
      tree.splits.makeRoom(0, key);
    }
  }

  private Rest restOfInsert(MemorySegment pages, long at, int slot) {
    if (slot < 0 && layout.count(pages, at) == layout.leafCapacity) {
      return Rest.LEAF_IS_FULL;
    }
    return BLinkPage.isSplitIncomplete(pages, at) ? Rest.SPLIT_IS_INCOMPLETE : Rest.NOTHING;
  }

  private void insert(MemorySegment pages, int leaf, long at, int slot, long key, long value) {
    latches.beginChange(leaf);
    try {
      layout.insert(pages, at, slot, key, value);
    } finally {
      latches.endChange(leaf);
    }
    tree.noteOwnChange();
    tree.grown(1);
  }

  private void setValue(MemorySegment pages, int leaf, long at, int slot, long value) {
    latches.beginChange(leaf);
    try {
      layout.value(pages, at, slot, value);
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
      int leaf = tree.latch(0, key);
      try {
        long at = store.pin(leaf);
        int slot = layout.findSlot(tree.pages, at, key);
        boolean replaces =
            slot >= 0 && (whicheverItIs || layout.value(tree.pages, at, slot) == expected);
        if (replaces) {
          setValue(tree.pages, leaf, at, slot, value);
        }
        store.unpin(at, replaces);
        return replaces;
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
    int operation = epochs.enter();
    try {
      int leaf = tree.latch(0, key);
      try {
        long at = store.pin(leaf);
        MemorySegment pages = tree.pages;
        int slot = layout.findSlot(pages, at, key);
        boolean removes = slot >= 0 && (whicheverItIs || layout.value(pages, at, slot) == expected);
        if (removes) {
          previous = layout.value(pages, at, slot);
          remove(pages, leaf, at, slot);
        }
        isSplitIncomplete = BLinkPage.isSplitIncomplete(pages, at);
        hasBecomeEmpty = removes && layout.count(pages, at) == 0;
        store.unpin(at, removes);
      } finally {
        latches.unlatch(leaf);
      }
    } finally {
      epochs.exit(operation);
    }
    if (isSplitIncomplete) {
      tree.splits.completeIfThereIsRoom(0, key);
    }
    if (hasBecomeEmpty) {
      tree.removals.removeEmpty(key);
    }
    return previous;
  }

  private void remove(MemorySegment pages, int leaf, long at, int slot) {
    latches.beginChange(leaf);
    try {
      layout.remove(pages, at, slot);
    } finally {
      latches.endChange(leaf);
    }
    tree.noteOwnChange();
    tree.grown(-1);
  }
}
