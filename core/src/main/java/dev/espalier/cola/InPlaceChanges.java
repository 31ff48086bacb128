// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.PageStore;

/**
 * Changes messages of a deamortized COLA where they are, in arrays and in half-written targets:
 * what is left to do if there is no memory for new ones, and how ranges go.
 */
final class InPlaceChanges {
  private static final long NONE = -1;

  private final DeamortizedStructure tree;
  private final PageStore store;
  private final ElementPage layout;
  private final LevelCut levelCut;

  InPlaceChanges(DeamortizedStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.layout;
    this.levelCut = new LevelCut(tree);
  }

  /** Overwrites the newest message of a key, and its copy in a target, if that is a put. */
  boolean overwrite(long key, long value) {
    for (int i = 0; i < 2 * tree.depth; i++) {
      long position = find(tree.arrays[i], key);
      if (position == NONE) {
        continue;
      }
      if (!isPut(tree.arrays[i], position)) {
        return false;
      }
      set(tree.arrays[i], position, value);
      HalfMerge half = tree.merges[i / 2];
      if (half.isBegun()) {
        Level target = half.written(layout.capacity);
        long copy = find(target, key);
        if (copy != NONE) {
          set(target, copy, value);
        }
      }
      tree.modifications.changes++;
      return true;
    }
    return false;
  }

  /** Makes all messages of a key holes, which need no tombstone; tells whether there were any. */
  boolean remove(long key) {
    boolean removed = false;
    for (int i = 0; i < 2 * tree.depth; i++) {
      Level array = tree.arrays[i];
      long position = find(array, key);
      if (position != NONE) {
        int tombstones = isPut(array, position) ? 0 : 1;
        clear(array, position);
        tree.arrays[i] = array.withCounts(array.messages() - 1, array.tombstones() - tombstones);
        removeCopy(tree.merges[i / 2], key);
        tree.writeManifest(i / 2);
        removed = true;
      }
    }
    if (removed) {
      tree.modifications.changes++;
    }
    return removed;
  }

  /** Makes all messages of a range holes, those of the oldest array first. */
  void removeRange(long first, long last) {
    for (int k = tree.depth - 1; k >= 0; k--) {
      Level older = cut(tree.arrays[2 * k + 1], first, last);
      Level newer = cut(tree.arrays[2 * k], first, last);
      HalfMerge half = tree.merges[k];
      if (half.isBegun()) {
        Level target = cut(half.written(layout.capacity), first, last);
        half.messages = target.messages();
        half.tombstones = target.tombstones();
      }
      if (!older.equals(tree.arrays[2 * k + 1]) || !newer.equals(tree.arrays[2 * k])) {
        tree.arrays[2 * k + 1] = older;
        tree.arrays[2 * k] = newer;
        tree.writeManifest(k);
      }
    }
  }

  /** Returns the array after its part of a range was cut, or the same if it has none. */
  private Level cut(Level array, long first, long last) {
    long from = tree.lowerBound(array, first);
    long to = last == Long.MAX_VALUE ? array.elements() : tree.lowerBound(array, last + 1);
    return from < to ? levelCut.drop(array, from, to) : array;
  }

  private void removeCopy(HalfMerge half, long key) {
    if (!half.isBegun()) {
      return;
    }
    Level target = half.written(layout.capacity);
    long position = find(target, key);
    if (position != NONE) {
      half.messages--;
      half.tombstones -= isPut(target, position) ? 0 : 1;
      clear(target, position);
    }
  }

  // ---------------------------------------------------------------- element

  /** Returns the position of the message of a key, or {@link #NONE}. */
  private long find(Level array, long key) {
    long position = tree.lowerBound(array, key);
    if (position == array.elements()) {
      return NONE;
    }
    long page = pin(array, position);
    int slot = slot(position);
    boolean isFound =
        layout.key(tree.pages, page, slot) == key && layout.isMessage(tree.pages, page, slot);
    store.unpin(page, false);
    return isFound ? position : NONE;
  }

  private boolean isPut(Level array, long position) {
    long page = pin(array, position);
    boolean isPut = ElementPage.isPut(tree.pages, page, slot(position));
    store.unpin(page, false);
    return isPut;
  }

  private void set(Level array, long position, long value) {
    long page = pin(array, position);
    layout.value(tree.pages, page, slot(position), value);
    store.unpin(page, true);
  }

  private void clear(Level array, long position) {
    long page = pin(array, position);
    int slot = slot(position);
    layout.value(tree.pages, page, slot, ElementPage.NOTHING);
    ElementPage.isPut(tree.pages, page, slot, false);
    store.unpin(page, true);
  }

  private long pin(Level array, long position) {
    return store.pin(array.firstPage() + (int) layout.pageOf(position));
  }

  private int slot(long position) {
    return (int) (position % layout.capacity);
  }
}
