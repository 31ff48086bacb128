// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.MemorySegment;

/**
 * What the one writer of a prefix B+-tree does. Whatever it may need is taken before anything is
 * changed, so that a write that is refused has changed nothing.
 */
final class PrefixChange {
  private final PrefixStructure tree;
  private final PageLayout layout;
  private final PageBuild build;

  /** For each level the page on the way to the key. */
  private final int[] path = new int[PrefixStructure.MAX_HEIGHT];

  /** For each level above the leaves the entry of that page. */
  private final int[] pathEntry = new int[PrefixStructure.MAX_HEIGHT];

  private final NewEntry entry = new NewEntry();
  private final EntryList leafList = new EntryList();

  private int[] spares = new int[PrefixStructure.MAX_HEIGHT];
  private int spareCount;

  PrefixChange(PrefixStructure tree) {
    this.tree = tree;
    this.layout = tree.layout;
    this.build = tree.build;
  }

  private MemorySegment pages() {
    return tree.pages;
  }

  /** Notes the way to a key; returns its slot in the leaf, or {@code ~} of where it belongs. */
  private int findPath(MemorySegment key) {
    int number = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      path[level] = number;
      long page = tree.store.pin(number);
      try {
        pathEntry[level] = tree.childEntry(page, key);
        number = PageLayout.child(pages(), page, pathEntry[level]);
      } finally {
        tree.store.unpin(page, false);
      }
    }
    path[0] = number;
    return tree.searchAndUnpin(tree.store.pin(number), key);
  }

  // ---------------------------------------------------------------- spare pages

  private void reserve(int count) {
    if (spares.length < count) {
      spares = new int[count];
    }
    try {
      while (spareCount < count) {
        spares[spareCount] = tree.allocate();
        spareCount++;
      }
    } catch (RuntimeException refused) {
      freeSpares();
      throw refused;
    }
  }

  private int spare() {
    return spares[--spareCount];
  }

  private void freeSpares() {
    while (spareCount > 0) {
      tree.store.free(spares[--spareCount]);
    }
  }

  private void freeChain(int first) {
    if (first != 0) {
      tree.chain.free(first);
    }
  }

  // ---------------------------------------------------------------- set

  /** Stores a value for a key. */
  void set(MemorySegment key, MemorySegment value) {
    tree.store.beforeChange();
    int found = findPath(key);
    entry.entry(key, value, layout);
    boolean isInline = layout.isInline(entry.keyLength, entry.valueLength);
    try {
      if (!isInline) {
        entry.valueChain = tree.chain.write(value, 0, entry.valueLength, tree::allocate);
      }
      if (found < 0 && entry.keyLength > layout.keyBytes) {
        entry.keyChain =
            tree.chain.write(
                key, layout.keyBytes, entry.keyLength - layout.keyBytes, tree::allocate);
      }
      if (found >= 0) {
        replace(found);
      } else {
        insert(0, ~found, entry);
        tree.meta[PrefixStructure.SIZE]++;
      }
      freeSpares();
    } catch (MemoryLimitException refused) {
      abandon(refused);
      throw refused;
    } catch (RuntimeException | Error failed) {
      tree.store.leftHalfway(failed);
      throw failed;
    }
  }

  /** Gives back what a write has taken that was refused. */
  private void abandon(MemoryLimitException refused) {
    try {
      freeSpares();
      freeChain(entry.valueChain);
      freeChain(entry.keyChain);
    } catch (RuntimeException | Error failed) {
      tree.store.leftHalfway(failed);
      failed.addSuppressed(refused);
      throw failed;
    }
  }

  /** Gives the entry in a slot of the leaf another value. */
  private void replace(int i) {
    long page = tree.store.pin(path[0]);
    long slot = PageLayout.slot(pages(), page, i);
    long at = PageLayout.valueAt(pages(), page, slot);
    int oldBytes = PageLayout.valueBytes(pages(), slot);
    int oldChain =
        PageLayout.isValueInChain(pages(), slot) ? PageLayout.referredPage(pages(), at) : 0;
    int newBytes = entry.valueBytes();
    int record = PageLayout.recordBytes(pages(), slot);
    int live = PageLayout.live(pages(), page) + newBytes - oldBytes;
    int offset = PageLayout.top(pages(), page) - (record - oldBytes + newBytes);
    int count = PageLayout.count(pages(), page);
    if (newBytes <= oldBytes) {
      entry.writeValue(pages(), at);
    } else if (offset >= PageLayout.fixedBytes(count, false)) {
      MemorySegment.copy(
          pages(),
          PageLayout.record(pages(), page, slot),
          pages(),
          page + offset,
          record - oldBytes);
      entry.writeValue(pages(), page + offset + record - oldBytes);
      PageLayout.record(pages(), slot, offset);
      PageLayout.top(pages(), page, offset);
    } else {
      leafList.clear();
      leafList.addPage(layout, pages(), page);
      tree.store.unpin(page, false);
      leafList.setValue(i, entry);
      rewrite(0, leafList, false);
      freeChain(oldChain);
      return;
    }
    if (record - oldBytes + newBytes == 0) {
      PageLayout.record(pages(), slot, 0);
    }
    PageLayout.value(pages(), slot, newBytes, entry.valueChain != 0);
    PageLayout.live(pages(), page, live);
    tree.store.unpin(page, true);
    tree.modifications.changes++;
    freeChain(oldChain);
  }

  /** Inserts an entry into the page of a level on the path. */
  private void insert(int level, int i, NewEntry added) {
    long page = tree.store.pin(path[level]);
    boolean fits =
        build.hasRoom(pages(), page, added)
            && build.hasPrefix(pages(), page, added.key, added.keyBytes);
    if (fits) {
      build.insert(pages(), page, i, added);
      tree.store.unpin(page, true);
      tree.modifications.changes++;
      return;
    }
    EntryList list = level == 0 ? leafList : new EntryList();
    list.clear();
    list.addPage(layout, pages(), page);
    boolean appends = i == list.count && !build.upper(pages(), page).isThere();
    tree.store.unpin(page, false);
    list.insert(i, added);
    rewrite(level, list, appends);
  }

  /** Gives the page of a level other entries, and divides it if they do not fit. */
  private void rewrite(int level, EntryList list, boolean appends) {
    long page = tree.store.pin(path[level]);
    Fence lower = build.lower(pages(), page);
    Fence upper = build.upper(pages(), page);
    tree.store.unpin(page, false);
    boolean fits = build.fits(list, 0, list.count, level, lower, upper);
    if (!fits && level == 0) {
      int ofSeparator = list.hasLongKey(0, list.count) ? tree.chain.pages(1 << 16) : 0;
      reserve(tree.height() + 1 + ofSeparator);
    }
    tree.modifications.changes++;
    if (fits) {
      write(path[level], list, 0, list.count, level, lower, upper);
    } else {
      split(level, list, lower, upper, appends);
    }
  }

  private void write(
      int number, EntryList list, int from, int to, int level, Fence lower, Fence upper) {
    long page = tree.store.pin(number);
    build.build(pages(), page, list, from, to, level, lower, upper);
    tree.store.unpin(page, true);
  }

  private void split(int level, EntryList list, Fence lower, Fence upper, boolean appends) {
    int right = build.split(list, level, lower, upper, appends);
    Fence middle = build.fence(list, right, level);
    NewEntry separator = new NewEntry();
    if (level == 0) {
      Separators.between(tree.chain, layout, list, right, separator, this::spare);
    } else {
      list.to(right, separator);
    }
    separator.child = spare();
    long fresh = tree.store.pinFresh(separator.child);
    build.build(pages(), fresh, list, right, list.count, level, middle, upper);
    tree.store.unpin(fresh, true);
    write(path[level], list, 0, right, level, lower, middle);
    if (level + 1 == tree.height()) {
      addRoot(level + 1, separator);
    } else {
      insert(level + 1, pathEntry[level + 1] + 1, separator);
    }
  }

  private void addRoot(int level, NewEntry separator) {
    EntryList list = new EntryList();
    NewEntry first = new NewEntry();
    first.child = tree.root();
    list.insert(0, first);
    list.insert(1, separator);
    int root = spare();
    long page = tree.store.pinFresh(root);
    build.build(pages(), page, list, 0, 2, level, Fence.NONE, Fence.NONE);
    tree.store.unpin(page, true);
    tree.meta[PrefixStructure.ROOT] = root;
    tree.meta[PrefixStructure.HEIGHT]++;
  }

  // ---------------------------------------------------------------- delete

  /** Removes a key; returns whether it was there. */
  boolean delete(MemorySegment key) {
    tree.store.beforeChange();
    int found = findPath(key);
    if (found < 0) {
      return false;
    }
    tree.modifications.changes++;
    try {
      long page = tree.store.pin(path[0]);
      long slot = PageLayout.slot(pages(), page, found);
      int keyChain =
          PageLayout.isKeyInChain(pages(), slot)
              ? PageLayout.referredPage(pages(), PageLayout.keyReference(pages(), page, slot))
              : 0;
      int valueChain =
          PageLayout.isValueInChain(pages(), slot)
              ? PageLayout.referredPage(pages(), PageLayout.valueAt(pages(), page, slot))
              : 0;
      remove(page, found);
      tree.store.unpin(page, true);
      freeChain(keyChain);
      freeChain(valueChain);
      if (--tree.meta[PrefixStructure.SIZE] > 0) {
        mergeUp();
      } else if (tree.height() > 1) {
        tree.clear(); // Empty pages may be left.
      } else {
        leafList.clear(); // What the page keeps of its last keys is of no use.
        write(path[0], leafList, 0, 0, 0, Fence.NONE, Fence.NONE);
      }
    } catch (RuntimeException | Error failed) {
      tree.store.leftHalfway(failed);
      throw failed;
    }
    return true;
  }

  private void remove(long page, int i) {
    int bytes = PageLayout.recordBytes(pages(), PageLayout.slot(pages(), page, i));
    PageLayout.live(pages(), page, PageLayout.live(pages(), page) - bytes);
    PageLayout.removeSlot(pages(), page, i);
  }

  /** Merges pages on the path that have become small with a neighbour, from the leaf up. */
  private void mergeUp() {
    for (int level = 0; level + 1 < tree.height() && isSmall(path[level]); level++) {
      // A page that is alone below its parent may get neighbours when the parent is merged.
      if (!mergeBeside(level) && count(path[level + 1]) > 1) {
        break;
      }
    }
    while (tree.height() > 1) {
      int root = tree.root();
      long page = tree.store.pin(root);
      int count = PageLayout.count(pages(), page);
      int child = PageLayout.child(pages(), page, 0);
      tree.store.unpin(page, false);
      if (count > 1) {
        return;
      }
      tree.meta[PrefixStructure.ROOT] = child;
      tree.meta[PrefixStructure.HEIGHT]--;
      tree.store.free(root);
    }
  }

  private boolean isSmall(int number) {
    long page = tree.store.pin(number);
    boolean isSmall = layout.usedBytes(pages(), page) < layout.pageBytes / 4;
    tree.store.unpin(page, false);
    return isSmall;
  }

  private int count(int number) {
    long page = tree.store.pin(number);
    int count = PageLayout.count(pages(), page);
    tree.store.unpin(page, false);
    return count;
  }

  private boolean mergeBeside(int level) {
    int e = pathEntry[level + 1];
    int count = count(path[level + 1]);
    return (e > 0 && merge(level, e - 1)) || (e + 1 < count && merge(level, e));
  }

  /** Merges the children of two entries of the parent into one, if they fit. */
  private boolean merge(int level, int leftEntry) {
    long parent = tree.store.pin(path[level + 1]);
    int left = PageLayout.child(pages(), parent, leftEntry);
    int right = PageLayout.child(pages(), parent, leftEntry + 1);
    EntryList list = level == 0 ? leafList : new EntryList();
    list.clear();
    Fence lower = addAll(list, left, true);
    int border = list.count;
    Fence upper = addAll(list, right, false);
    if (level > 0) {
      EntryList above = new EntryList();
      above.addPage(layout, pages(), parent);
      list.setKey(border, above, leftEntry + 1);
    }
    boolean isOneEmpty = border == 0 || border == list.count;
    int most = isOneEmpty ? layout.pageBytes : layout.pageBytes / 4 * 3;
    boolean merges = build.bytes(list, 0, list.count, level, lower, upper) <= most;
    int separatorChain = 0;
    if (merges) {
      write(left, list, 0, list.count, level, lower, upper);
      long slot = PageLayout.slot(pages(), parent, leftEntry + 1);
      if (level == 0 && PageLayout.isKeyInChain(pages(), slot)) {
        long reference = PageLayout.keyReference(pages(), parent, slot);
        separatorChain = PageLayout.referredPage(pages(), reference);
      }
      remove(parent, leftEntry + 1);
    }
    tree.store.unpin(parent, merges);
    if (merges) {
      tree.store.free(right);
      freeChain(separatorChain);
    }
    return merges;
  }

  /** Adds the entries of a page to a list; returns its lower fence, or its upper one. */
  private Fence addAll(EntryList list, int number, boolean wantsLower) {
    long page = tree.store.pin(number);
    list.addPage(layout, pages(), page);
    Fence fence = wantsLower ? build.lower(pages(), page) : build.upper(pages(), page);
    tree.store.unpin(page, false);
    return fence;
  }
}
