// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/**
 * The buffered repository tree (Buchsbaum, Goldwasser, Venkatasubramanian and Westbrook, SODA
 * 2000): the B^&epsilon;-tree with &epsilon; = 0. Pages have up to 4 children and all the rest of
 * the page for the buffer, which is distributed as a whole when it is full. Writes that do not look
 * are the cheapest that a tree of pages can have, and lookups the most expensive: there are log(n /
 * B) levels.
 *
 * <p>With pages of B entries, {@code set}, {@code delete} and {@link #add} cost O(log(n) / B) page
 * transfers, amortized, lookups O(log(n)). {@code put}, {@code putIfAbsent} and {@code remove}
 * return what was there, and so cost a lookup each. A single write may distribute many buffers, one
 * after the other.
 */
public final class BufferedRepositoryTree extends BEpsilonIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of BEpsilonStructure, with two policies of its
   * own: a fanout of 4, and a full buffer is emptied.
   *
   *   D1  The paper's tree keeps several items of one key, and extracts them. This one is a map.
   *   D2  Pages become (2,4)-nodes by splits, but removal is lazy: see D4 of BEpsilonStructure.
   */

  /** This tree in the catalogue. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "BufferedRepositoryTree",
          "Buchsbaum et al. 2000",
          BufferedRepositoryTree::create,
          BufferedRepositoryTree::open,
          Capability.UPDATE_IN_PLACE,
          Capability.BLIND_WRITES);

  /** That of a (2,4)-tree. */
  static final int FANOUT = 4;

  private final PageStore store;
  private final LeafPage leaf;
  private final InnerPage inner;

  private BufferedRepositoryTree(IndexOptions options, PageStore store) {
    super(
        VARIANT, new BEpsilonStructure(options, store, FANOUT, FlushPolicy.WHOLE_BUFFER), options);
    this.store = store;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
  }

  /** Makes an empty tree with default options. */
  public static BufferedRepositoryTree create() {
    return create(IndexOptions.DEFAULT);
  }

  /** Makes an empty tree with pages of 16 KiB in memory. */
  public static BufferedRepositoryTree create(IndexOptions options) {
    return create(options, BEpsilonTree.DEFAULT_PAGE_BYTES);
  }

  /**
   * Makes an empty tree in memory.
   *
   * @param pageBytes bytes of a page: a power of two, from 4 to 64 KiB for use
   */
  public static BufferedRepositoryTree create(IndexOptions options, int pageBytes) {
    return open(
        options, new MemoryPageStore(pageBytes, options.memoryLimit(), options.hugePages()));
  }

  /**
   * Opens the tree that is in a store, or makes an empty one in an empty store.
   *
   * @param options of which the memory's do not matter: that is the store's
   * @param store belongs to the tree from now on, which closes it
   * @throws IllegalArgumentException if another kind of tree is in the store
   */
  public static BufferedRepositoryTree open(IndexOptions options, PageStore store) {
    return new BufferedRepositoryTree(options, store);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return find(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return find(key, defaultValue);
  }

  /** Two defaults that differ tell what is there from what is not. */
  @Override
  public boolean containsKey(long key) {
    return find(key, 0) != 0 || find(key, 1) != 1;
  }

  /** As in {@link BEpsilonTree}. */
  private long find(long key, long absent) {
    MemorySegment pages = tree.pages;
    int number = tree.root();
    boolean isAdded = false;
    long sum = 0;
    for (int level = tree.height() - 1; level > 0; level--) {
      long page = store.pin(number);
      int messages = NodePage.messages(pages, page);
      long keys = page + inner.messagesOffset;
      int slot = Keys.lowerBoundBinary(pages, keys, messages, key);
      int kind = Message.NONE;
      long value = 0;
      if (slot < messages && getLong(pages, keys + ((long) slot << 3)) == key) {
        kind = inner.messageKind(pages, page, slot);
        value = inner.messageValue(pages, page, slot);
      }
      number = inner.child(pages, page, inner.childSlot(pages, page, key));
      store.unpin(page, false);
      if (kind != Message.NONE) {
        sum += value;
        if (kind != Message.ADD) {
          return kind == Message.PUT || isAdded ? sum : absent;
        }
        isAdded = true;
      }
    }
    long page = store.pin(number);
    int count = NodePage.count(pages, page);
    int slot = Keys.lowerBoundBinary(pages, page + LeafPage.KEYS_OFFSET, count, key);
    if (slot < count && LeafPage.key(pages, page, slot) == key) {
      sum += leaf.value(pages, page, slot);
      isAdded = true;
    }
    store.unpin(page, false);
    return isAdded ? sum : absent;
  }
}
