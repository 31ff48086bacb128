// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.Message;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The B^&epsilon;-tree (Brodal and Fagerberg, SODA 2003): a tree of pages that have few children,
 * and in the rest of the page a buffer of what was written but has not yet reached its leaf. {@code
 * set}, {@code delete} and {@link #add} put a message into the root's buffer and are done; messages
 * go down many at a time, so a leaf is written once for dozens of them. Lookups visit a page on
 * each level and look into its buffer.
 *
 * <p>With pages of B entries and B^&epsilon; children, writes that do not look cost O(log_B(n) /
 * (&epsilon; B^(1-&epsilon;))) page transfers, amortized, lookups O(log_B(n) / &epsilon;). {@code
 * put}, {@code putIfAbsent} and {@code remove} return what was there, and so cost a lookup each.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class BEpsilonTree extends AbstractIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of BEpsilonStructure; a full buffer sends down the
   * run of its fullest child, or all it has where this is a BufferedRepositoryTree. Search is as in a
   * B+-tree of pages, with a second binary search in the buffer of each inner page.
   *
   *   Batched lookups. A group of probes goes down together, as in DiskOptimizedBPlusTree, and of
   *   each page's search eight make a step together, see BEpsilonLevels and GroupSearch.
   */

  /** This tree in the catalogue. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "BEpsilonTree",
          "Brodal and Fagerberg 2003",
          BEpsilonTree::create,
          BEpsilonTree::open,
          Capability.UPDATE_IN_PLACE,
          Capability.BLIND_WRITES);

  final BEpsilonStructure tree;
  private final PageStore store;
  private final LeafPage leaf;
  private final InnerPage inner;

  /** Whether the last look before a write came upon an entry; for the one thread that writes. */
  private boolean wasThere;

  /**
   * The proportions of a tree.
   *
   * @param fanout most children of an inner page, 4 at least: the paper's B^&epsilon;. As a number,
   *     because an exponent would make the tree in a file depend on how it is rounded
   */
  public record Geometry(int fanout) {
    /** Fewest: below that an inner page that splits would not leave two children on either side. */
    public static final int MIN_FANOUT = 4;

    /** The fanout that most of the literature comes out at. */
    private static final int USUAL_FANOUT = 16;

    /** Checks the part that does not depend on a page. */
    public Geometry {
      if (fanout < MIN_FANOUT) {
        throw new IllegalArgumentException(
            "fanout is " + fanout + "; it must be at least " + MIN_FANOUT);
      }
    }

    /**
     * Returns what is used unless given: 16 children, in small pages the root of B (&epsilon; =
     * 1/2).
     */
    public static Geometry forPages(int pageBytes) {
      return new Geometry(Math.min(ofEpsilon(0.5, pageBytes).fanout, USUAL_FANOUT));
    }

    /**
     * Returns B^&epsilon; children, B being the entries of a page.
     *
     * @param epsilon 0 for as few children as may be; towards 1 there is no room for a buffer,
     *     which is refused when a tree is made
     */
    public static Geometry ofEpsilon(double epsilon, int pageBytes) {
      if (!(epsilon >= 0 && epsilon <= 1)) {
        throw new IllegalArgumentException("epsilon is " + epsilon + "; it must be from 0 to 1");
      }
      double children = Math.pow(new LeafPage(pageBytes).capacity, epsilon);
      return new Geometry(Math.max((int) Math.round(children), MIN_FANOUT));
    }
  }

  /**
   * Opens the tree in a store, or makes one, that sends messages down as a variant's policy says.
   */
  BEpsilonTree(
      TreeVariant variant,
      FlushPolicy policy,
      IndexOptions options,
      PageStore store,
      Geometry geometry) {
    BEpsilonStructure tree = new BEpsilonStructure(store, geometry.fanout(), policy);
    super(variant, tree, options);
    this.tree = tree;
    this.store = store;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    probesGoThrough(new BEpsilonLevels(tree, this));
  }

  /** Makes an empty tree with pages of 16 KiB in memory. */
  public static BEpsilonTree create(IndexOptions options) {
    return open(options, options.pagesInMemory(BEpsilonStructure.DEFAULT_PAGE_BYTES));
  }

  /** Opens the tree that is in a store, or makes one, with the geometry for its pages. */
  public static BEpsilonTree open(IndexOptions options, PageStore store) {
    return open(options, store, Geometry.forPages(store.pageBytes()));
  }

  /**
   * Opens the tree that is in a store, or makes an empty one in an empty store.
   *
   * @param options of which the memory's do not matter: that is the store's
   * @param store belongs to the tree from now on, which closes it
   * @throws IllegalArgumentException if another kind of tree, or one of another geometry, is in the
   *     store, or if pages have no room for so many children and a buffer
   */
  public static BEpsilonTree open(IndexOptions options, PageStore store, Geometry geometry) {
    Objects.requireNonNull(geometry, "geometry");
    return new BEpsilonTree(VARIANT, FlushPolicy.FULLEST_CHILD, options, store, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return find(key, missingValue, false);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return find(key, defaultValue, false);
  }

  /**
   * Goes down to the first page that says what the value of {@code key} is, or that it has none,
   * and adds up what is to be added to it on the way.
   *
   * @param writes whether to note in {@link #wasThere} if there is an entry
   */
  private long find(long key, long absent, boolean writes) {
    MemorySegment pages = tree.pages;
    int number = tree.root();
    boolean isAdded = false;
    long sum = 0;
    for (int level = tree.height() - 1; level > 0; level--) {
      long page = store.pin(number);
      int messages = NodePage.messages(pages, page);
      long keys = page + inner.messagesOffset;
      number = inner.child(pages, page, inner.childSlot(pages, page, key));
      int slot = Keys.lowerBoundBinary(pages, keys, messages, key);
      int kind = Message.NONE;
      long value = 0;
      if (slot < messages && getLong(pages, keys + ((long) slot << 3)) == key) {
        kind = inner.messageKind(pages, page, slot);
        value = inner.messageValue(pages, page, slot);
      }
      store.unpin(page, false);
      if (kind != Message.NONE) {
        sum += value;
        if (kind != Message.ADD) {
          return answer(kind == Message.PUT || isAdded, sum, absent, writes);
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
    return answer(isAdded, sum, absent, writes);
  }

  private long answer(boolean isThere, long value, long absent, boolean writes) {
    if (writes) {
      wasThere = isThere;
    }
    return isThere ? value : absent;
  }

  /** Goes down to the first page that has a message of {@code key}, or to its leaf. */
  @Override
  public boolean containsKey(long key) {
    MemorySegment pages = tree.pages;
    int number = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      long page = store.pin(number);
      int messages = NodePage.messages(pages, page);
      long keys = page + inner.messagesOffset;
      int slot = Keys.lowerBoundBinary(pages, keys, messages, key);
      if (slot < messages && getLong(pages, keys + ((long) slot << 3)) == key) {
        boolean isThere = inner.messageKind(pages, page, slot) != Message.DELETE;
        store.unpin(page, false);
        return isThere;
      }
      number = inner.child(pages, page, inner.childSlot(pages, page, key));
      store.unpin(page, false);
    }
    long page = store.pin(number);
    int count = NodePage.count(pages, page);
    int slot = Keys.lowerBoundBinary(pages, page + LeafPage.KEYS_OFFSET, count, key);
    boolean isThere = slot < count && LeafPage.key(pages, page, slot) == key;
    store.unpin(page, false);
    return isThere;
  }

  // ---------------------------------------------------------------- write

  @Override
  public long put(long key, long value) {
    long previous = find(key, missingValue, true);
    tree.put(key, value, wasThere);
    return previous;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    tree.change.begin();
    long previous = find(key, missingValue, true);
    if (!wasThere) {
      tree.put(key, value, false);
    }
    return previous;
  }

  /** Stores a value without a look at what is there: one page is touched by most calls. */
  @Override
  public void set(long key, long value) {
    tree.writeBlind(Message.PUT, key, value);
  }

  /**
   * Adds {@code delta} to the value of {@code key}, or stores it if the key has none, without a
   * look at what is there. As {@link #set}; a sum that overflows wraps around.
   *
   * @throws dev.espalier.memory.MemoryLimitException if the index may not grow further; it is then
   *     as it was before the call
   */
  public void add(long key, long delta) {
    tree.writeBlind(Message.ADD, key, delta);
  }

  /** Stores all without a look at what is there. */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    for (int i = 0; i < count; i++) {
      set(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  @Override
  public long remove(long key) {
    tree.change.begin();
    long previous = find(key, missingValue, true);
    if (wasThere) {
      tree.remove(key);
    }
    return previous;
  }

  /** Removes a key without a look whether it is there: one page is touched by most calls. */
  @Override
  public void delete(long key) {
    tree.writeBlind(Message.DELETE, key, 0);
  }
}
