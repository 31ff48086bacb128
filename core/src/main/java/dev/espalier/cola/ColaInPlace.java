// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.PageStore;

/**
 * Changes messages of a COLA where they are: what is left to do if there is no memory for new ones,
 * and how ranges go.
 */
final class ColaInPlace {
  private final ColaStructure tree;
  private final PageStore store;
  private final ElementPage layout;
  private final LevelCut levelCut;

  ColaInPlace(ColaStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.layout;
    this.levelCut = new LevelCut(tree);
  }

  /**
   * Applies a message where the newest one of its key is. Returns false if it is a put and there is
   * none.
   */
  boolean write(long key, long value, boolean isPut) {
    if (writeInTop(key, value, isPut)) {
      return true;
    }
    for (int k = 1; k <= tree.depth; k++) {
      Level level = tree.levels[k];
      long position = tree.lowerBound(level, 0, level.elements(), key);
      if (position == level.elements()) {
        continue;
      }
      long page = store.pin(level.firstPage() + (int) layout.pageOf(position));
      int slot = (int) (position % layout.capacity);
      boolean isFound =
          layout.key(tree.pages, page, slot) == key && layout.isMessage(tree.pages, page, slot);
      try {
        if (isFound) {
          long manifest = pinManifest();
          tree.levels[k] = change(level, page, slot, k == tree.depth, value, isPut);
          tree.writeManifest(manifest);
          store.unpin(manifest, true);
          return true;
        }
      } finally {
        store.unpin(page, isFound);
      }
    }
    return !isPut;
  }

  /** Pins the manifest before anything has changed: reading it may fail. */
  private long pinManifest() {
    return store.pin((int) tree.meta[MessageLevels.MANIFEST]);
  }

  private boolean writeInTop(long key, long value, boolean isPut) {
    long page = store.pin((int) tree.meta[MessageLevels.TOP]);
    int slot = -1;
    try {
      slot = tree.findInTop(tree.pages, page, key);
      if (slot >= 0) {
        layout.value(tree.pages, page, slot, isPut ? value : ElementPage.TOMBSTONE);
        ElementPage.isPut(tree.pages, page, slot, isPut);
      }
    } finally {
      store.unpin(page, slot >= 0);
    }
    return slot >= 0;
  }

  /** Changes a message in place; in the deepest level a tombstone becomes a hole. */
  private Level change(
      Level level, long page, int slot, boolean deepest, long value, boolean isPut) {
    int tombstones = ElementPage.isPut(tree.pages, page, slot) ? 0 : -1;
    int messages = 0;
    if (isPut) {
      layout.value(tree.pages, page, slot, value);
    } else if (deepest) {
      layout.value(tree.pages, page, slot, ElementPage.NOTHING);
      messages--;
    } else {
      layout.value(tree.pages, page, slot, ElementPage.TOMBSTONE);
      tombstones++;
    }
    ElementPage.isPut(tree.pages, page, slot, isPut);
    return level.withCounts(level.messages() + messages, level.tombstones() + tombstones);
  }

  /**
   * Makes all messages of a range tombstones, and those of the deepest level, where it begins,
   * holes.
   */
  void removeRange(long first, long last) {
    long manifest = pinManifest();
    try {
      for (int k = tree.depth; k > 0; k--) {
        Level level = tree.levels[k];
        long end = level.elements();
        long from = tree.lowerBound(level, 0, end, first);
        long to = last == Long.MAX_VALUE ? end : tree.lowerBound(level, from, end, last + 1);
        tree.levels[k] =
            k == tree.depth ? levelCut.drop(level, from, to) : levelCut.hide(level, from, to);
      }
      tree.writeManifest(manifest);
    } finally {
      store.unpin(manifest, true);
    }
  }
}
