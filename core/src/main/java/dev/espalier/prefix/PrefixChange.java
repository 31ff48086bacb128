// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What the one writer of a prefix B+-tree does. Whatever it may need is taken before anything is
 * changed, so that a write that is refused has changed nothing.
 */
final class PrefixChange {
  private final PrefixStructure tree;
  private final PageLayout layout;
  private final PageBuild build;

  /** For each level the page on the way to the key. */
  final int[] path = new int[PrefixStructure.MAX_HEIGHT];

  /** For each level above the leaves the entry of that page. */
  final int[] pathEntry = new int[PrefixStructure.MAX_HEIGHT];

  private final NewEntry entry = new NewEntry();
  private final EntryList leafList = new EntryList();

  /** What an entry was before its value was replaced. */
  private final NewEntry before = new NewEntry();

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
  int findPath(MemorySegment key) {
    return tree.searchAndUnpin(tree.store.pin(findLeaf(key)), key);
  }

  /** Notes the way to the leaf where a key is or belongs, and returns that. */
  int findLeaf(MemorySegment key) {
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
    return number;
  }

  // ---------------------------------------------------------------- spare pages

  /**
   * Takes pages that a change may need.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room; no pages are taken then
   */
  void reserve(int count) {
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

  /**
   * Makes sure that there are pages for a change. Writers of a tree for many threads must not wait
   * for pages within an operation, and so take them before.
   */
  private void ensureSpares(int count) {
    if (tree.space == null) {
      reserve(count);
    } else if (spareCount < count) {
      throw new TooFewSpares(count);
    }
  }

  /** Says how many pages a change needs. */
  @SuppressWarnings("serial") // It is caught at once.
  static final class TooFewSpares extends RuntimeException {
    final int needed;

    TooFewSpares(int needed) {
      super(null, null, false, false);
      this.needed = needed;
    }
  }

  private int spare() {
    tree.used(1);
    return spares[--spareCount];
  }

  /** Gives back the pages that no change has needed. */
  void freeSpares() {
    while (spareCount > 0) {
      tree.giveBack(spares[--spareCount]);
    }
  }

  // ---------------------------------------------------------------- set

  /** Stores a value for a key. */
  void set(MemorySegment key, MemorySegment value) {
    tree.store.beforeChange();
    int found = findPath(key);
    if (found >= 0) {
      checkLeaving(found);
    }
    entry.entry(key, value, layout);
    boolean isInline = layout.isInline(entry.keyLength, entry.valueLength);
    try {
      if (!isInline) {
        entry.valueChain = tree.pieces.write(value);
      }
      if (found < 0 && entry.keyLength > layout.keyBytes) {
        entry.keyChain =
            tree.chain.write(
                key, layout.keyBytes, entry.keyLength - layout.keyBytes, tree::allocate);
      }
      apply(found, entry);
      freeSpares();
    } catch (MemoryLimitException refused) {
      abandon(refused);
      throw refused;
    } catch (RuntimeException | Error failed) {
      tree.store.leftHalfway(failed);
      throw failed;
    }
  }

  /**
   * Stores an entry in the leaf at the end of the path.
   *
   * @param found the slot of its key there, or {@code ~} of where it belongs
   */
  void apply(int found, NewEntry added) {
    if (found >= 0) {
      replace(found, added);
    } else {
      insert(0, ~found, added);
      tree.size.add(1);
    }
  }

  /** Makes sure that the chains of an entry of the leaf at the end of the path can be freed. */
  private void checkLeaving(int i) {
    long page = tree.store.pin(path[0]);
    try {
      tree.checkLeaving(page, i);
    } finally {
      tree.store.unpin(page, false);
    }
  }

  /** Gives back what a write has taken that was refused. */
  private void abandon(MemoryLimitException refused) {
    try {
      freeSpares();
      tree.retireChain(entry.valueChain);
      tree.retireChain(entry.keyChain);
    } catch (RuntimeException | Error failed) {
      tree.store.leftHalfway(failed);
      failed.addSuppressed(refused);
      throw failed;
    }
  }

  /** Gives the entry in a slot of the leaf another value. */
  private void replace(int i, NewEntry added) {
    long page = tree.store.pin(path[0]);
    boolean fits = false;
    int oldChain;
    try {
      long slot = PageLayout.slot(pages(), page, i);
      long at = PageLayout.valueAt(pages(), page, slot);
      boolean isInChain = PageLayout.isValueInChain(pages(), slot);
      oldChain = isInChain ? PageLayout.referredPage(pages(), at) : 0;
      tree.beginChange(path[0]);
      try {
        fits = replaceInPage(page, slot, at, added);
      } finally {
        tree.endChange(path[0]);
      }
      if (!fits) {
        leafList.clear();
        leafList.addPage(layout, pages(), page);
      }
    } finally {
      tree.store.unpin(page, fits);
    }
    if (fits) {
      tree.modifications.changes++;
    } else {
      leafList.to(i, before);
      leafList.setValue(i, added);
      rewrite(0, leafList, i, before, false);
    }
    tree.retireChain(oldChain);
  }

  /** Tells whether a page has room for another value of the entry in a slot. */
  boolean hasRoomInPage(long page, long slot, NewEntry entry) {
    int oldBytes = PageLayout.valueBytes(pages(), slot);
    int newBytes = entry.valueBytes();
    int record = PageLayout.recordBytes(pages(), slot) - oldBytes + newBytes;
    return newBytes <= oldBytes
        || PageLayout.top(pages(), page) - record
            >= PageLayout.fixedBytes(PageLayout.count(pages(), page), false);
  }

  /** Gives the entry in a slot of a page another value, unless the page has no room for it. */
  boolean replaceInPage(long page, long slot, long at, NewEntry entry) {
    int oldBytes = PageLayout.valueBytes(pages(), slot);
    int newBytes = entry.valueBytes();
    int record = PageLayout.recordBytes(pages(), slot);
    int live = PageLayout.live(pages(), page) + newBytes - oldBytes;
    int offset = PageLayout.top(pages(), page) - (record - oldBytes + newBytes);
    if (!hasRoomInPage(page, slot, entry)) {
      return false;
    }
    if (newBytes <= oldBytes) {
      entry.writeValue(pages(), at);
    } else {
      MemorySegment.copy(
          pages(),
          PageLayout.record(pages(), page, slot),
          pages(),
          page + offset,
          record - oldBytes);
      entry.writeValue(pages(), page + offset + record - oldBytes);
      PageLayout.record(pages(), slot, offset);
      PageLayout.top(pages(), page, offset);
    }
    if (record - oldBytes + newBytes == 0) {
      PageLayout.record(pages(), slot, 0);
    }
    PageLayout.value(pages(), slot, newBytes, entry.valueChain != 0);
    PageLayout.live(pages(), page, live);
    return true;
  }

  /** Inserts an entry into the page of a level on the path. */
  private void insert(int level, int i, NewEntry added) {
    long page = tree.store.pin(path[level]);
    boolean fits = false;
    boolean appends;
    EntryList list = level == 0 ? leafList : new EntryList();
    try {
      fits =
          build.hasRoom(pages(), page, added)
              && build.hasPrefix(pages(), page, added.key, added.keyBytes);
      if (fits) {
        tree.beginChange(path[level]);
        try {
          build.insert(pages(), page, i, added);
        } finally {
          tree.endChange(path[level]);
        }
        tree.modifications.changes++;
        return;
      }
      list.clear();
      list.addPage(layout, pages(), page);
      appends = i == list.count && !build.upper(pages(), page).isThere();
    } finally {
      tree.store.unpin(page, fits);
    }
    list.insert(i, added);
    rewrite(level, list, i, null, appends);
  }

  /**
   * Gives the page of a level other entries, and divides it if they do not fit.
   *
   * @param changed the entry that is not what the page has
   * @param old what the page has instead, or null if nothing
   */
  private void rewrite(
      int level, EntryList list, int changed, @Nullable NewEntry old, boolean appends) {
    long page = tree.store.pin(path[level]);
    Fence lower;
    Fence upper;
    try {
      lower = build.lower(pages(), page);
      upper = build.upper(pages(), page);
    } finally {
      tree.store.unpin(page, false);
    }
    boolean fits = build.fits(list, 0, list.count, level, lower, upper);
    if (!fits && level == 0) {
      int longest = Math.min(list.longestChainedKey(), BytesIndex.MAX_KEY);
      ensureSpares(tree.height() + 1 + tree.chain.pages(longest));
    }
    tree.modifications.changes++;
    if (fits) {
      write(path[level], list, 0, list.count, level, lower, upper);
    } else {
      split(level, list, lower, upper, changed, old, appends);
    }
  }

  private void write(
      int number, EntryList list, int from, int to, int level, Fence lower, Fence upper) {
    long page = tree.store.pin(number);
    tree.beginChange(number);
    try {
      build.build(pages(), page, list, from, to, level, lower, upper);
    } finally {
      tree.endChange(number);
      tree.store.unpin(page, true);
    }
  }

  /**
   * Divides a page. Its right part gets a page of its own, then what leads there, and only then
   * does the page lose it: so readers find each entry all the time.
   *
   * <p>Until the page loses it, readers come to that part on two ways, so both must have the same.
   * What a write to a leaf changes there therefore comes last: otherwise a cursor in the old page
   * would miss what a lookup has found in the new one.
   */
  private void split(
      int level,
      EntryList list,
      Fence lower,
      Fence upper,
      int changed,
      @Nullable NewEntry old,
      boolean appends) {
    int right = build.split(list, level, lower, upper, appends);
    Fence middle = build.fence(list, right, level);
    NewEntry separator = new NewEntry();
    if (level == 0) {
      Separators.between(tree.chain, layout, list, right, separator, this::spare);
    } else {
      list.to(right, separator);
    }
    separator.child = spare();
    boolean comesLast = level == 0 && changed >= right && tree.space != null;
    long fresh = tree.store.pinFresh(separator.child);
    try {
      build.build(pages(), fresh, list, right, list.count, level, middle, upper);
      if (comesLast) {
        takeBack(fresh, changed - right, old);
      }
    } finally {
      tree.store.unpin(fresh, true);
    }
    if (level == 0) {
      tree.latch(separator.child); // Nobody writes to the one part while the other has it as well.
    }
    try {
      if (level + 1 == tree.height()) {
        addRoot(level + 1, separator);
      } else {
        insert(level + 1, pathEntry[level + 1] + 1, separator);
      }
      write(path[level], list, 0, right, level, lower, middle);
      if (comesLast) {
        write(separator.child, list, right, list.count, level, middle, upper);
      }
    } finally {
      if (level == 0) {
        tree.unlatch(separator.child);
      }
    }
  }

  /** Gives a new leaf what an entry was, whose record was no longer than it is, or nothing. */
  private void takeBack(long page, int i, @Nullable NewEntry old) {
    if (old == null) {
      remove(page, i);
    } else {
      long slot = PageLayout.slot(pages(), page, i);
      replaceInPage(page, slot, PageLayout.valueAt(pages(), page, slot), old);
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
    tree.root(root, level + 1L);
  }

  // ---------------------------------------------------------------- delete

  /** Removes a key; returns whether it was there. */
  boolean delete(MemorySegment key) {
    tree.store.beforeChange();
    int found = findPath(key);
    if (found < 0) {
      return false;
    }
    checkLeaving(found);
    tree.modifications.changes++;
    try {
      long page = tree.store.pin(path[0]);
      int keyChain;
      int valueChain;
      try {
        keyChain = tree.keyChain(page, found);
        valueChain = tree.valueChain(page, found);
        remove(page, found);
      } finally {
        tree.store.unpin(page, true);
      }
      tree.retireChain(keyChain);
      tree.retireChain(valueChain);
      tree.size.add(-1);
      if (tree.size.get() > 0) {
        mergeUp();
      } else if (tree.height() > 1) {
        tree.clear(); // Empty pages may be left.
      }
    } catch (RuntimeException | Error failed) {
      tree.store.leftHalfway(failed);
      throw failed;
    }
    return true;
  }

  /** Takes an entry out of a page. */
  void remove(long page, int i) {
    build.remove(pages(), page, i, i + 1);
  }

  /** Merges pages on the path that have become small with a neighbour, from the leaf up. */
  void mergeUp() {
    for (int level = 0; level + 1 < tree.height() && isSmall(path[level]); level++) {
      // A page that is alone below its parent may get neighbours when the parent is merged.
      if (!mergeBeside(level) && count(path[level + 1]) > 1) {
        break;
      }
    }
    lowerRoot();
  }

  /**
   * Merges the lowest page on the path that is small and fits into one with a neighbour. Other than
   * after the removal of one entry, pages above a page that is not small may be.
   *
   * @return whether there was one
   */
  boolean mergeLowest() {
    for (int level = 0; level + 1 < tree.height(); level++) {
      if (isSmall(path[level]) && mergeBeside(level)) {
        return true;
      }
    }
    lowerRoot();
    return false;
  }

  /** Makes the child of a root that has but one the root. */
  private void lowerRoot() {
    while (tree.height() > 1) {
      int root = tree.root();
      long page = tree.store.pin(root);
      int count;
      int child;
      try {
        count = PageLayout.count(pages(), page);
        child = PageLayout.child(pages(), page, 0);
      } finally {
        tree.store.unpin(page, false);
      }
      if (count > 1) {
        return;
      }
      tree.root(child, tree.height() - 1L);
      tree.retire(root);
    }
  }

  /** Tells whether a page should merge: less than a quarter is in use, or it leads to one page. */
  private boolean isSmall(int number) {
    long page = tree.store.pin(number);
    boolean isSmall =
        layout.usedBytes(pages(), page) < layout.pageBytes / 4
            || (PageLayout.isInner(pages(), page) && PageLayout.count(pages(), page) == 1);
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
    int separatorChain = 0;
    boolean merges = false;
    int sibling = 0;
    try {
      int left = PageLayout.child(pages(), parent, leftEntry);
      int right = PageLayout.child(pages(), parent, leftEntry + 1);
      if (level == 0) {
        int beside = left == path[0] ? right : left;
        tree.latch(beside);
        sibling = beside;
      }
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
      merges = build.bytes(list, 0, list.count, level, lower, upper) <= most;
      if (merges) {
        write(left, list, 0, list.count, level, lower, upper);
        long slot = PageLayout.slot(pages(), parent, leftEntry + 1);
        if (level == 0 && PageLayout.isKeyInChain(pages(), slot)) {
          long reference = PageLayout.keyReference(pages(), parent, slot);
          separatorChain = PageLayout.referredPage(pages(), reference);
        }
        tree.beginChange(path[level + 1]);
        try {
          remove(parent, leftEntry + 1);
        } finally {
          tree.endChange(path[level + 1]);
        }
        tree.retire(right);
      }
    } finally {
      if (sibling != 0) {
        tree.unlatch(sibling);
      }
      tree.store.unpin(parent, merges);
    }
    if (merges) {
      tree.retireChain(separatorChain);
    }
    return merges;
  }

  /** Adds the entries of a page to a list; returns its lower fence, or its upper one. */
  private Fence addAll(EntryList list, int number, boolean wantsLower) {
    long page = tree.store.pin(number);
    try {
      list.addPage(layout, pages(), page);
      return wantsLower ? build.lower(pages(), page) : build.upper(pages(), page);
    } finally {
      tree.store.unpin(page, false);
    }
  }
}
