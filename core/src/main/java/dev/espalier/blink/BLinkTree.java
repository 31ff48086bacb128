// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Bits;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import dev.espalier.support.Wanted;
import dev.espalier.tree.AbstractIndex;
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
 * there, though another thread may have removed the entry since. {@link #size} counts what was
 * inserted and removed. {@link #clear}, {@link #bulkload}, {@link #shrink} and {@link #verify} wait
 * until they have the tree to themselves, and others wait for them. Others also wait, for a moment,
 * while the memory of an index without a file moves in order to grow. Use {@link #rootView}, a view
 * of the nodes, only while nobody changes the tree.
 *
 * <p>Over an {@code IndexStore}, writers take turns, because they share its log; readers wait for
 * none of them.
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
public final class BLinkTree extends AbstractIndex implements ConcurrentLongIndex {
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

  final BLinkStructure tree;
  private final PageStore store;
  private final BLinkPage layout;
  private final Latches latches;
  private final Epochs epochs;
  private final BLinkWriter writer;

  private BLinkTree(IndexOptions options, PageStore store) {
    BLinkStructure tree = new BLinkStructure(store);
    super(VARIANT, tree, options);
    this.tree = tree;
    this.store = store;
    this.layout = tree.layout;
    this.latches = tree.latches;
    this.epochs = tree.epochs;
    this.writer = new BLinkWriter(tree);
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
      for (int hops = 0; ; hops++) {
        long at = store.pin(page);
        MemorySegment pages = tree.pages;
        long value = defaultValue;
        boolean isThere = false;
        long version;
        int next;
        do {
          version = latches.version(page);
          next = layout.next(pages, at, key, 0);
          if (next == BLinkPage.HERE) {
            int slot = layout.findSlot(pages, at, key);
            value = slot < 0 ? defaultValue : layout.value(pages, at, slot);
            isThere = slot >= 0;
          }
        } while (!latches.isStill(page, version));
        store.unpin(at, false);
        if (next == BLinkPage.HERE) {
          return isThere ? Wanted.answer(value, wanted) : value;
        }
        page = next == BLinkPage.GONE ? tree.rootPage() : next;
        BLinkStructure.checkHops(hops, page);
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
      int pin = 0;
      for (long left = open; left != 0; left &= left - 1) {
        int i = Long.numberOfTrailingZeros(left);
        long at = pins[pin++];
        int next = step(numbers[i], at, keys[keysFrom + i], values, valuesFrom + i);
        store.unpin(at, false);
        if (next == FOUND || next == ABSENT) {
          open &= ~(1L << i);
          there |= next == FOUND ? 1L << i : 0;
        } else {
          numbers[i] = next == BLinkPage.GONE ? tree.rootPage() : next;
          BLinkStructure.checkHops(hops, numbers[i]);
        }
      }
    }
    return there;
  }

  /** The result of a step of a probe, besides those of {@link BLinkPage#next}. */
  private static final int FOUND = -1;

  private static final int ABSENT = -2;

  /** Takes a probe one page further, or answers it. */
  private int step(int page, long at, long key, long[] values, int valueAt) {
    MemorySegment pages = tree.pages;
    int next;
    long version;
    do {
      version = latches.version(page);
      next = layout.next(pages, at, key, 0);
      if (next == BLinkPage.HERE) {
        int slot = layout.findSlot(pages, at, key);
        values[valueAt] = slot >= 0 ? layout.value(pages, at, slot) : missingValue;
        next = slot >= 0 ? FOUND : ABSENT;
      }
    } while (!latches.isStill(page, version));
    return next;
  }

  // ---------------------------------------------------------------- write

  @Override
  public long put(long key, long value) {
    return writer.put(key, value, true, missingValue);
  }

  @Override
  public long putIfAbsent(long key, long value) {
    return writer.put(key, value, false, missingValue);
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    for (int i = 0; i < count; i++) {
      put(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  @Override
  public long remove(long key) {
    return writer.remove(key, missingValue);
  }

  @Override
  public void delete(long key) {
    remove(key);
  }

  // ---------------------------------------------------------------- read and write

  @Override
  public boolean insert(long key, long value) {
    return writer.insert(key, value);
  }

  @Override
  public boolean replace(long key, long expected, long value) {
    return writer.replace(key, expected, value);
  }

  @Override
  public boolean remove(long key, long expected) {
    return writer.removeIf(key, expected);
  }
}
