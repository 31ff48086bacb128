// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Bits;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import dev.espalier.support.Wanted;
import dev.espalier.tree.OneStoreLevel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The B-link tree: a B+-tree whose pages have a link to their right neighbour, so that a search
 * finds its way while another thread splits a page. Many threads may read and write one at once,
 * without a lock around it; {@code withReadWriteLock} is not needed.
 *
 * <p>{@code get}, {@code containsKey}, {@code put}, {@code putIfAbsent}, {@code set}, {@code
 * remove}, {@code delete}, {@code insert} and {@code replace} each take effect atomically. Readers
 * take no latch: they wait neither for a split nor for a writer that waits for a file, but only
 * while the bytes of a page that they read are being changed. Writers latch one leaf, and for
 * splits up to two neighbours or a parent. {@code getAll} and {@code putAll} take effect key by
 * key.
 *
 * <p>A cursor goes from leaf to leaf, and sees each as it was at one moment: it misses no entry
 * that was present throughout, and reports none twice, but may or may not see what others write
 * meanwhile. The key and the value of its current entry are as they were when the cursor moved
 * there, though another thread may have removed the entry since. {@link #size} adds up what threads
 * have counted, in O(processors) time: exact while nobody writes, and beside writers off by what
 * they insert and remove meanwhile. {@link #isEmpty} finds no tree empty that has an entry
 * throughout. {@link #clear}, {@link #bulkload}, {@link #shrink} and {@link #verify} wait until
 * they have the tree to themselves, and others wait for them. Others also wait, for a moment, while
 * the memory of an index without a file moves in order to grow. Use {@link #rootView}, a view of
 * the nodes, only while nobody changes the tree.
 *
 * <p>Over an {@code IndexStore}, writers share its log, each for the time of a copy; readers wait
 * for none of them.
 *
 * <p>A page of 16 KiB holds 1020 entries or 1360 children. {@code get}, {@code put} and {@code
 * remove} visit one page on each level and take O(log n) key comparisons; the latter two also move
 * up to a page of memory. A page leaves the tree when it has become empty; pages that are not empty
 * are never merged. If a {@link dev.espalier.memory.MemoryLimitException} keeps a split from being
 * completed, searches take one more step until it is.
 *
 * <p>After P. L. Lehman and S. B. Yao, Efficient Locking for Concurrent Operations on B-Trees, ACM
 * TODS 6(4), 1981.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class BLinkTree extends LinkedIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of BLinkStructure; what a writer does is in
   * BLinkWriter. Here are the searches, of one key and of a group of keys. Those of a group go on
   * together, a page each at a time, and all these pages are pinned by one call, which on files is
   * one wave of reads.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "BLinkTree",
          "PIO 4.2",
          BLinkTree::create,
          BLinkTree::open,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** Probes that go on together: the bits of a long. */
  private static final int GROUP = 64;

  private final PageStore store;
  private final BLinkPage layout;
  private final Latches latches;
  private final Epochs epochs;

  private BLinkTree(IndexOptions options, PageStore store) {
    BLinkPage layout = new BLinkPage(store.pageBytes());
    BLinkStructure tree = new BLinkStructure(store, layout);
    super(VARIANT, tree, options);
    this.store = store;
    this.layout = layout;
    this.latches = tree.latches;
    this.epochs = tree.epochs;
    probesGoThrough(new Probes());
  }

  /** Creates an empty tree with pages of 16 KiB in memory. */
  public static BLinkTree create(IndexOptions options) {
    return open(options, options.pagesBesideReaders(BLinkStructure.DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the tree in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; memory limit and huge pages are those of the store
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree, or one with pages of
   *     another size
   */
  public static BLinkTree open(IndexOptions options, PageStore store) {
    return new BLinkTree(options, store);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return look(key, defaultValue, null);
  }

  @Override
  public boolean containsKey(long key) {
    return look(key, 0, Wanted.PRESENCE) != 0;
  }

  @Override
  public boolean find(long key, long[] value) {
    Objects.checkIndex(0, value.length);
    return look(key, 0, value) != 0;
  }

  /**
   * Returns the value of a key, or the default value.
   *
   * @param wanted what is {@linkplain Wanted asked for}
   */
  private long look(long key, long defaultValue, long @Nullable [] wanted) {
    int operation = epochs.enter();
    try {
      int page = tree.rootPage();
      long look = store.look(page);
      int looks = 0;
      for (int hops = 0; ; hops++) {
        long at = tree.begin(page, look);
        MemorySegment pages = tree.pages;
        long value = defaultValue;
        boolean isThere = false;
        long version;
        int next;
        do {
          version = latches.version(page);
          next = layout.next(pages, at, page, key, 0);
          if (next == LinkedPage.HERE) {
            int slot = layout.findPlace(pages, at, page, key);
            value = slot < 0 ? defaultValue : layout.value(pages, at, slot);
            isThere = slot >= 0;
          }
        } while (!latches.isStill(page, version));
        if (!tree.end(look, at)) {
          look = BLinkStructure.PINNED;
          continue;
        }
        looks += look < 0 ? 0 : 1;
        if (next == LinkedPage.HERE) {
          store.noteLooks(looks);
          return isThere ? Wanted.answer(value, wanted) : value;
        }
        page = next == LinkedPage.GONE ? tree.rootPage() : next;
        BLinkStructure.checkHops(hops, page);
        look = store.look(page);
      }
    } finally {
      epochs.exit(operation);
    }
  }

  /** The tree as one level: probes can't wait on inner pages, which others change meanwhile. */
  private final class Probes extends OneStoreLevel {
    Probes() {
      super(BLinkTree.this.tree);
    }

    @Override
    public void answer(
        int level,
        long[] keys,
        int keysFrom,
        long[] values,
        int valuesFrom,
        int count,
        long @Nullable [] found,
        int foundFrom) {
      int most = Math.min(GROUP, store.mostPins());
      long[] pins = new long[most];
      int[] numbers = new int[most];
      for (int done = 0; done < count; done += most) {
        int group = Math.min(most, count - done);
        int operation = epochs.enter();
        try {
          long there =
              answerGroup(keys, keysFrom + done, values, valuesFrom + done, group, pins, numbers);
          Bits.addGroup(found, foundFrom + done, there);
        } finally {
          epochs.exit(operation);
        }
      }
    }
  }

  /**
   * Looks up at most {@link #GROUP} keys together.
   *
   * @param numbers room for the page of each probe
   * @return which keys are present, as a bit set
   */
  private long answerGroup(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long[] pins,
      int[] numbers) {
    Arrays.fill(numbers, 0, count, tree.rootPage());
    long open = -1L >>> (GROUP - count);
    long there = 0;
    for (int hops = 0; open != 0; hops++) {
      int pinned = 0;
      for (long left = open; left != 0; left &= left - 1) {
        pins[pinned++] = numbers[Long.numberOfTrailingZeros(left)];
      }
      store.pinAll(pins, 0, pinned);
      try {
        int pin = 0;
        for (long left = open; left != 0; left &= left - 1) {
          int i = Long.numberOfTrailingZeros(left);
          int next = step(numbers[i], pins[pin++], keys[keysFrom + i], values, valuesFrom + i);
          if (next == FOUND || next == ABSENT) {
            open &= ~(1L << i);
            there |= next == FOUND ? 1L << i : 0;
          } else {
            numbers[i] = next == LinkedPage.GONE ? tree.rootPage() : next;
            BLinkStructure.checkHops(hops, numbers[i]);
          }
        }
      } finally {
        for (int i = 0; i < pinned; i++) {
          store.unpin(pins[i], false);
        }
      }
    }
    return there;
  }

  /** The result of a step of a probe, besides those of {@link LinkedPageFormat#next}. */
  private static final int FOUND = -1;

  private static final int ABSENT = -2;

  /** Takes a probe one page further, or answers it. */
  private int step(int page, long at, long key, long[] values, int valueAt) {
    MemorySegment pages = tree.pages;
    int next;
    long version;
    do {
      version = latches.version(page);
      next = layout.next(pages, at, page, key, 0);
      if (next == LinkedPage.HERE) {
        int slot = layout.findPlace(pages, at, page, key);
        values[valueAt] = slot >= 0 ? layout.value(pages, at, slot) : missingValue;
        next = slot >= 0 ? FOUND : ABSENT;
      }
    } while (!latches.isStill(page, version));
    return next;
  }
}
