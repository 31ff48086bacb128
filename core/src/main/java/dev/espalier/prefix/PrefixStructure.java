// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.KeyOrder;
import dev.espalier.bytes.ValueReader;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.ChangeCount;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The pages of one prefix B+-tree, and the way to a key among them. */
final class PrefixStructure {
  /* Overview
   *
   * A B+-tree of slotted pages (PageLayout). Entry i of an inner page is a separator and the child
   * with the keys that are not below it, and below the next one. Entry 0 has no separator.
   *
   * The separator between two leaves is as short as it can be: where the key l on its left and the
   * key r on its right have c bytes in common, it is the first c + 1 bytes of r.
   *
   * Invariants, checked by PrefixVerifier.
   *   I1   Levels and counts are right: an inner page has a child, the root two; a leaf may be empty.
   *        Each page is used once and none is lost. The size is the number of entries.
   *   I2   A page keeps the beginnings of the separators beside it; flags say where there is none.
   *   I3   The prefix of a page is what its fences have in common. All its keys begin with it.
   *   I4   Keys ascend strictly, and are within the separators beside their page.
   *   I5   A head is made of the first bytes of its remainder. Unused heads are the padding.
   *   I6   Keys and values are in the page if they are to be, by their lengths, else in chains.
   *   I7   Records lie between top and fences, do not overlap, and add up to the live bytes.
   *        One without bytes is at 0.
   *   I8   The arrays end before the records begin.
   *   I9   Entry 0 of an inner page has no separator.
   *   I10  A chain has as many pages as its bytes take that are not in pieces, which come first.
   *   I11  Pieces lie within their page, behind the directory, and do not overlap.
   *   I12  A page that values share has a living piece, and each is part of one value.
   *   I13  The open page is one that values share.
   *
   * Pages that have left a tree for many threads wait in two lists until nobody can reach them
   * (PrefixSpace). They are then neither the tree's nor lost.
   */

  /** The meta word that says which kind of tree is in the store. */
  static final int STAMP = 0;

  static final int ROOT = 1;
  static final int HEIGHT = 2;
  static final int SIZE = 3;

  /** The meta words of the first page of each list of pages that wait, or 0. */
  static final int WAITING = 4;

  static final int WAITING_LONGER = 5;

  /** The meta word of the page that pieces of values are cut from, or 0. */
  static final int OPEN = 6;

  /** "PFX" and a version. */
  static final long OWN_STAMP = 0x50_4658_0000_0001L;

  /** The same of a tree that has, or had, pages that values share. */
  static final long STAMP_WITH_PIECES = 0x50_4658_0000_0002L;

  /** More levels than a tree of 2^31 pages can have. */
  static final int MAX_HEIGHT = 40;

  /** At least this many bytes, so that an entry of any length fits. */
  static final int MIN_PAGE_BYTES = 512;

  /** Lines of a page that are prefetched: its header, and the heads of most. */
  private static final int FIRST_LINES = 10;

  /** How many entries of the same head are looked at in a step of their search. */
  static final int PARTS = 8;

  private static final VarHandle META = MethodHandles.arrayElementVarHandle(long[].class);

  final PageStore store;
  final long[] meta;
  final PageLayout layout;
  final PageBuild build;
  final Chain chain;
  final PieceSpace pieces;
  final EntryCount size;

  /** Counts the changes after which a cursor's place may no longer be where it was. */
  final ChangeCount modifications = new ChangeCount();

  /** What a tree for many threads has in addition, or null if this is for one writer. */
  final @Nullable PrefixSpace space;

  /** The pages; read anew after every allocation. */
  MemorySegment pages;

  /** The pages as readers of values see them. */
  MemorySegment readable;

  /**
   * Opens the tree in a store.
   *
   * @param isShared whether it is for many threads
   */
  PrefixStructure(PageStore store, boolean isShared) {
    if (store.pageBytes() < MIN_PAGE_BYTES) {
      throw new IllegalArgumentException(
          "pageBytes is "
              + store.pageBytes()
              + "; a prefix B+-tree needs at least "
              + MIN_PAGE_BYTES);
    }
    this.store = store;
    this.meta = store.meta();
    this.layout = new PageLayout(store.pageBytes());
    this.build = new PageBuild(layout);
    this.chain = new Chain(store);
    this.pages = store.segment();
    this.readable = pages.asReadOnly();
    this.space = isShared ? new PrefixSpace(this) : null;
    this.pieces = new PieceSpace(this);
    this.size = new EntryCount(meta, space == null ? null : space.epochs);
    if (meta[STAMP] == 0 || (meta[HEIGHT] == 0 && store.pagesInUse() == 0)) {
      plant();
    } else if (meta[STAMP] != OWN_STAMP && meta[STAMP] != STAMP_WITH_PIECES) {
      throw new IllegalArgumentException(
          "store holds a tree of another kind: its stamp is %x, not %x or %x"
              .formatted(meta[STAMP], OWN_STAMP, STAMP_WITH_PIECES));
    }
    store.whenMetaIsWanted(size::write); // Only now: one that is refused leaves all as it was.
  }

  private void plant() {
    int root = store.allocate();
    refresh();
    long page = store.pinFresh(root);
    build.build(pages, page, new EntryList(), 0, 0, 0, Fence.NONE, Fence.NONE);
    store.unpin(page, true);
    root(root, 1);
    size.set(0);
    meta[STAMP] = OWN_STAMP;
  }

  /** Returns what a tree for many threads has in addition. */
  PrefixSpace shared() {
    return Objects.requireNonNull(space);
  }

  int root() {
    return (int) meta[ROOT];
  }

  /** Returns the root, which other threads may replace. */
  int sharedRoot() {
    return (int) (long) META.getAcquire(meta, ROOT);
  }

  /** Makes a page the root, which has as many levels. */
  void root(int page, long height) {
    meta[HEIGHT] = height;
    META.setRelease(meta, ROOT, (long) page);
  }

  int height() {
    return (int) meta[HEIGHT];
  }

  void checkOpen() {
    if (store.isClosed()) {
      throw new IllegalStateException(store.closedMessage("PrefixBPlusTree"));
    }
  }

  /** Allocates a page and follows the memory if it has moved. */
  int allocate() {
    if (space != null) {
      return space.allocate();
    }
    int page = store.allocate();
    refresh();
    return page;
  }

  void refresh() {
    pages = store.segment();
    readable = pages.asReadOnly();
  }

  /** Frees a page that has been allocated and was never part of the tree. */
  void giveBack(int page) {
    if (space == null) {
      store.free(page);
    } else {
      space.giveBack(page);
    }
  }

  /** Counts pages that have been allocated and are now part of the tree. */
  void used(int count) {
    if (space != null) {
      space.used(count);
    }
  }

  /** Frees a page of the tree which nothing leads to any more. */
  void retire(int page) {
    if (space == null) {
      store.free(page);
    } else {
      space.retire(page);
    }
  }

  /**
   * Makes sure that the chains of an entry of a pinned leaf can be freed, before it is removed or
   * given another value. A change that finds out later is left halfway.
   */
  void checkLeaving(long page, int i) {
    pieces.checkLeaving(keyChain(page, i));
    pieces.checkLeaving(valueChain(page, i));
  }

  /** Returns what refers to the chain with the value of an entry, or 0. */
  int valueChain(long page, int i) {
    long slot = PageLayout.slot(pages, page, i);
    return PageLayout.isValueInChain(pages, slot)
        ? PageLayout.referredPage(pages, PageLayout.valueAt(pages, page, slot))
        : 0;
  }

  /** Returns what refers to the chain with the rest of the key of an entry, or 0. */
  int keyChain(long page, int i) {
    long slot = PageLayout.slot(pages, page, i);
    return PageLayout.isKeyInChain(pages, slot)
        ? PageLayout.referredPage(pages, PageLayout.keyReference(pages, page, slot))
        : 0;
  }

  /** Frees a chain which nothing leads to any more, if there is one. */
  void retireChain(int first) {
    int page = pieces.freePieces(first);
    if (page == 0) {
      return;
    }
    if (space == null) {
      chain.free(page);
    } else {
      space.leave(page);
    }
  }

  /** Returns the epoch in which something leaves that was unlinked before this call. */
  long epoch() {
    return space == null ? 0 : space.epochs.now();
  }

  /** Tells whether nobody can reach what has left in an epoch. */
  boolean isUnreachable(long left) {
    return space == null || space.isUnreachable(left);
  }

  /** Keeps readers off a page while its bytes change. */
  void beginChange(int page) {
    if (space != null) {
      space.latches.beginChange(page);
    }
  }

  void endChange(int page) {
    if (space != null) {
      space.latches.endChange(page);
    }
  }

  /** Tells cursors of a tree for many threads, which this thread has alone, of another page. */
  void touched(int page) {
    if (space != null) {
      space.touched(page);
    }
  }

  /** Keeps other writers off a leaf. */
  void latch(int page) {
    if (space != null) {
      space.latches.latch(page);
    }
  }

  void unlatch(int page) {
    if (space != null) {
      space.latches.unlatch(page);
    }
  }

  void clear() {
    checkOpen();
    store.beforeChange();
    modifications.changes++;
    try {
      store.clear();
      pieces.forget();
      plant();
      if (space != null) {
        space.replaced();
      }
    } catch (RuntimeException | Error failed) {
      store.leftHalfway(failed);
      throw failed;
    }
  }

  void close() {
    try {
      store.close();
    } finally {
      modifications.countClose();
    }
  }

  // ---------------------------------------------------------------- search

  /** Knows whether a page is what it was when a reader came to it. */
  interface Guard {
    /**
     * Makes sure that what was read of the page counts, before it leads elsewhere.
     *
     * @throws java.util.ConcurrentModificationException if it does not; it is read again then
     */
    void check();
  }

  /** Returns the slot of a key in a page, or if it is not there, {@code ~} of where it belongs. */
  int search(long page, MemorySegment key) {
    return search(page, key, null);
  }

  /**
   * Searches a page, as {@link #search(long, MemorySegment)} does.
   *
   * @param guard of the page, if others may change it meanwhile: then the answer may be any
   */
  int search(long page, MemorySegment key, @Nullable Guard guard) {
    MemorySegment memory = pages;
    int length = (int) key.byteSize();
    long header = PageLayout.header(memory, page);
    int count = PageLayout.countOf(header);
    int prefix = PageLayout.prefixOf(header);
    if (prefix > 0 && PageLayout.flagsOf(header) != 0) {
      // Only a page at an edge, which has its prefix of its own keys, is asked for others.
      int order = build.prefixOrder(memory, page, key, 0, length);
      if (order != 0) {
        return order < 0 ? ~0 : ~count;
      }
    }
    long head = KeyOrder.head(key, prefix, length - prefix);
    int low = PageKeys.lowerBound(memory, page, count, head);
    int high = PageKeys.endOfHead(memory, page, count, low, head);
    return low == high ? ~low : searchTies(page, header, key, 0, length, low, high, guard);
  }

  /** Returns how far the entries are apart that are looked at together. */
  static int step(int low, int high) {
    return (high - low + PARTS - 1) / PARTS;
  }

  /**
   * Searches entries that have the head of a key, of which there is one at least. The eight bytes
   * behind the head divide most. As many as {@link #PARTS} entries are looked at together, so that
   * no read waits for another, and nothing is to be guessed.
   */
  int searchTies(
      long page,
      long header,
      MemorySegment key,
      long start,
      int length,
      int from,
      int to,
      @Nullable Guard guard) {
    MemorySegment memory = pages;
    long slots = PageLayout.slots(header, page);
    int prefix = PageLayout.prefixOf(header);
    // Entry 0 of an inner page has no separator, but may look like one that is the whole prefix.
    int low = from == 0 && PageLayout.isInnerOf(header) ? 1 : from;
    if (to - low > 1) {
      int behind = prefix + Long.BYTES;
      long word = KeyOrder.word(key, start + behind, length - behind);
      int high = to;
      while (low < high) {
        int step = step(low, high);
        int smaller = 0;
        for (int i = low + step - 1; i < high; i += step) {
          long slot = slots + (long) PageLayout.SLOT_BYTES * i;
          smaller += PageLayout.secondWord(memory, page, slot) < word ? 1 : 0;
        }
        low += smaller * step;
        high = Math.min(high, low + step - 1);
      }
    }
    int high = to;
    int middle = low; // Most likely the only one with both words of the key.
    while (low < high) {
      long slot = slots + (long) PageLayout.SLOT_BYTES * middle;
      int order = compare(key, start, length, page, prefix, slot, guard);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
      middle = (low + high) >>> 1;
    }
    return ~low;
  }

  /**
   * Compares a key, which is {@code length} bytes from {@code start}, with an entry of the same
   * prefix and head.
   */
  private int compare(
      MemorySegment key,
      long start,
      int length,
      long page,
      int prefix,
      long slot,
      @Nullable Guard guard) {
    MemorySegment memory = pages;
    int rest = length - prefix;
    int remainder = PageLayout.remainder(memory, slot);
    boolean isInChain = PageLayout.isKeyInChain(memory, slot);
    int common = Math.min(rest, remainder) - Long.BYTES;
    if (common > 0) {
      int order =
          KeyOrder.compareWords(
              key,
              start + prefix + Long.BYTES,
              memory,
              PageLayout.record(memory, page, slot),
              common);
      if (order != 0) {
        return order;
      }
    }
    if (!isInChain || rest <= remainder) {
      return isInChain && rest == remainder ? -1 : Integer.compare(rest, remainder);
    }
    long reference = PageLayout.keyReference(memory, page, slot);
    int before = prefix + remainder;
    int first = PageLayout.referredPage(memory, reference);
    int bytes = PageLayout.referredLength(memory, reference) - before;
    if (guard != null) {
      guard.check();
    }
    return chain.compare(key.asSlice(start, length), before, first, bytes);
  }

  /** Returns the entry of an inner page that leads to a key. */
  int childEntry(long page, MemorySegment key) {
    int found = search(page, key);
    return found >= 0 ? found : Math.max(0, ~found - 1);
  }

  /** Returns the child of a pinned inner page that leads to a key, and releases the page. */
  int childBelow(long page, MemorySegment key) {
    try {
      return PageLayout.child(pages, page, childEntry(page, key));
    } finally {
      store.unpin(page, false);
    }
  }

  /** Searches a pinned page, as {@link #search} does, and releases it. */
  int searchAndUnpin(long page, MemorySegment key) {
    try {
      return search(page, key);
    } finally {
      store.unpin(page, false);
    }
  }

  /** Returns the offset of the leaf where a key is or belongs, which is pinned. */
  long leafOf(MemorySegment key) {
    long page = store.pin(root());
    for (int level = height() - 1; level > 0; level--) {
      page = store.pin(childBelow(page, key));
      Words.prefetch(pages.address() + page, FIRST_LINES, Locality.T0);
    }
    return page;
  }

  /** Returns the length of the key of an entry. */
  int keyLength(long page, int i) {
    long slot = PageLayout.slot(pages, page, i);
    return PageLayout.isKeyInChain(pages, slot)
        ? PageLayout.referredLength(pages, PageLayout.keyReference(pages, page, slot))
        : PageLayout.prefix(pages, page) + PageLayout.remainder(pages, slot);
  }

  /** Copies the key of an entry to the beginning of an array, which is long enough. */
  void copyKey(long page, int i, byte[] into) {
    MemorySegment memory = pages;
    long slot = PageLayout.slot(memory, page, i);
    int prefix = PageLayout.prefix(memory, page);
    int remainder = PageLayout.remainder(memory, slot);
    int inHead = Math.min(remainder, Long.BYTES);
    PageKeys.copy(memory, layout.prefixAt(memory, page), into, 0, prefix);
    KeyOrder.bytesOf(PageLayout.head(memory, page, i), into, prefix, inHead);
    int tail = remainder - inHead;
    PageKeys.copy(memory, PageLayout.record(memory, page, slot), into, prefix + inHead, tail);
    if (PageLayout.isKeyInChain(memory, slot)) {
      int first = PageLayout.referredPage(memory, PageLayout.keyReference(memory, page, slot));
      int before = prefix + remainder;
      chain.copy(first, keyLength(page, i) - before, into, before);
    }
  }

  /** Returns the length of the value of an entry. */
  int valueLength(long page, int i) {
    long slot = PageLayout.slot(pages, page, i);
    return PageLayout.isValueInChain(pages, slot)
        ? chain.checkedLength(
            PageLayout.referredLength(pages, PageLayout.valueAt(pages, page, slot)))
        : PageLayout.valueBytes(pages, slot);
  }

  /** Shows the value of an entry where it lies. */
  void readValue(long page, int i, ValueReader reader) {
    long slot = PageLayout.slot(pages, page, i);
    long at = PageLayout.valueAt(pages, page, slot);
    if (PageLayout.isValueInChain(pages, slot)) {
      int length = PageLayout.referredLength(pages, at);
      chain.read(PageLayout.referredPage(pages, at), 0, length, reader);
    } else {
      int bytes = PageLayout.valueBytes(pages, slot);
      reader.read(readable, at, bytes, 0, bytes);
    }
  }

  // ---------------------------------------------------------------- inspect

  NodeView rootView() {
    return view(root());
  }

  private NodeView view(int number) {
    long page = store.pin(number);
    int level = PageLayout.level(pages, page);
    int count = PageLayout.count(pages, page);
    int capacity = build.capacity(pages, page);
    long[] heads = new long[count];
    long[] lengths = new long[count];
    int[] children = new int[level > 0 ? count : 0];
    for (int i = 0; i < count; i++) {
      heads[i] = PageLayout.head(pages, page, i);
      lengths[i] = level > 0 ? 0 : valueLength(page, i);
    }
    Arrays.setAll(children, i -> PageLayout.child(pages, page, i));
    store.unpin(page, false);
    return level == 0
        ? NodeView.leaf(page, layout.pageBytes, count, capacity, i -> heads[i], i -> lengths[i])
        : NodeView.inner(
            page,
            layout.pageBytes,
            level,
            count - 1,
            capacity - 1,
            i -> heads[i + 1],
            i -> view(children[i]));
  }
}
