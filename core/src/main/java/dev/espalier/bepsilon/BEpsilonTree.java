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
import org.jspecify.annotations.Nullable;

/**
 * The B^&epsilon;-tree (Brodal and Fagerberg, SODA 2003): a tree of pages with few children each.
 * The rest of a page is a buffer for writes that have not yet reached their leaf. {@code set},
 * {@code delete} and {@link #add} only put a message into the buffer of the root. Messages descend
 * many at a time, so a leaf is written once for dozens of them. A lookup visits one page on each
 * level and searches its buffer.
 *
 * <p>Use it for workloads dominated by blind writes, in particular in files. With pages of B
 * entries and B^&epsilon; children, {@code set}, {@code delete} and {@code add} take O(log_B(n) /
 * (&epsilon; B^(1-&epsilon;))) page transfers amortized, and lookups O(log_B(n) / &epsilon;).
 * {@code put}, {@code putIfAbsent} and {@code remove} return the previous value, so each of them
 * also takes a lookup.
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

  /** The description of this kind of tree. */
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

  /** 1 or 0, whether the last look before a write came upon an entry; for the one that writes. */
  private final long[] wasThere = new long[1];

  /**
   * The proportions of the tree.
   *
   * @param fanout the most children of an inner page, at least 4: B^&epsilon; in the paper. Given
   *     as a number, because with an exponent the layout of a file would depend on rounding
   */
  public record Geometry(int fanout) {
    /**
     * The smallest fanout: with fewer children, the split of an inner page would not leave two on
     * either side.
     */
    public static final int MIN_FANOUT = 4;

    /** The fanout that most of the literature comes out at. */
    private static final int USUAL_FANOUT = 16;

    /** Checks what can be checked without knowing the page size. */
    public Geometry {
      if (fanout < MIN_FANOUT) {
        throw new IllegalArgumentException(
            "fanout is " + fanout + "; it must be at least " + MIN_FANOUT);
      }
    }

    /**
     * Returns the default geometry for a page size: 16 children, or in small pages the square root
     * of B (&epsilon; = 1/2).
     */
    public static Geometry forPages(int pageBytes) {
      return new Geometry(Math.min(ofEpsilon(0.5, pageBytes).fanout, USUAL_FANOUT));
    }

    /**
     * Returns a geometry of B^&epsilon; children, where B is the number of entries of a page.
     *
     * @param epsilon from 0 to 1; 0 gives the smallest fanout. Close to 1 there is no room for a
     *     buffer, and creating a tree throws {@link IllegalArgumentException}
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
   * Opens the tree in a store, or creates one. It sends messages down according to a variant's
   * policy.
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

  /** Creates an empty tree with pages of 16 KiB in memory. */
  public static BEpsilonTree create(IndexOptions options) {
    return open(options, options.pagesInMemory(BEpsilonStructure.DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the tree in a store, whatever its geometry is, or creates an empty one if the store is
   * empty, with the default geometry for its page size.
   */
  public static BEpsilonTree open(IndexOptions options, PageStore store) {
    return open(options, store, BEpsilonStructure.geometryIn(store));
  }

  /**
   * Opens the tree in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree, or one of another
   *     geometry, or if pages have no room for so many children and a buffer
   */
  public static BEpsilonTree open(IndexOptions options, PageStore store, Geometry geometry) {
    Objects.requireNonNull(geometry, "geometry");
    return new BEpsilonTree(VARIANT, FlushPolicy.FULLEST_CHILD, options, store, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return look(key, missingValue, null);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return look(key, defaultValue, null);
  }

  /**
   * Goes down to the first page that says what the value of {@code key} is, or that it has none,
   * and adds up what is to be added to it on the way.
   *
   * @param there receives 1 or 0, whether there is an entry; null if nobody asks
   */
  private long look(long key, long absent, long @Nullable [] there) {
    MemorySegment pages = tree.pages;
    int number = tree.root();
    boolean isAdded = false;
    long sum = 0;
    for (int level = tree.height() - 1; level > 0; level--) {
      long page = store.pin(number);
      int kind = Message.NONE;
      long value = 0;
      try {
        int messages = NodePage.messages(pages, page);
        long keys = page + inner.messagesOffset;
        int slot = Keys.lowerBoundBinary(pages, keys, messages, key);
        if (slot < messages && getLong(pages, keys + ((long) slot << 3)) == key) {
          kind = inner.messageKind(pages, page, slot);
          value = inner.messageValue(pages, page, slot);
        }
        number = inner.child(pages, page, inner.childSlot(pages, page, key));
      } finally {
        store.unpin(page, false);
      }
      if (kind != Message.NONE) {
        sum += value;
        if (kind != Message.ADD) {
          return answer(kind == Message.PUT || isAdded, sum, absent, there);
        }
        isAdded = true;
      }
    }
    long page = store.pin(number);
    try {
      int count = NodePage.count(pages, page);
      int slot = Keys.lowerBoundBinary(pages, page + LeafPage.KEYS_OFFSET, count, key);
      if (slot < count && LeafPage.key(pages, page, slot) == key) {
        sum += leaf.value(pages, page, slot);
        isAdded = true;
      }
    } finally {
      store.unpin(page, false);
    }
    return answer(isAdded, sum, absent, there);
  }

  private static long answer(boolean isThere, long value, long absent, long @Nullable [] there) {
    if (there != null) {
      there[0] = isThere ? 1 : 0;
    }
    return isThere ? value : absent;
  }

  @Override
  public boolean find(long key, long[] value) {
    long answer = look(key, missingValue, value);
    boolean isThere = value[0] != 0;
    value[0] = answer;
    return isThere;
  }

  /** Descends to the first page that has a message for {@code key}, or to its leaf. */
  @Override
  public boolean containsKey(long key) {
    MemorySegment pages = tree.pages;
    int number = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      long page = store.pin(number);
      try {
        int messages = NodePage.messages(pages, page);
        long keys = page + inner.messagesOffset;
        int slot = Keys.lowerBoundBinary(pages, keys, messages, key);
        if (slot < messages && getLong(pages, keys + ((long) slot << 3)) == key) {
          return inner.messageKind(pages, page, slot) != Message.DELETE;
        }
        number = inner.child(pages, page, inner.childSlot(pages, page, key));
      } finally {
        store.unpin(page, false);
      }
    }
    long page = store.pin(number);
    try {
      int count = NodePage.count(pages, page);
      int slot = Keys.lowerBoundBinary(pages, page + LeafPage.KEYS_OFFSET, count, key);
      return slot < count && LeafPage.key(pages, page, slot) == key;
    } finally {
      store.unpin(page, false);
    }
  }

  // ---------------------------------------------------------------- write

  @Override
  public long put(long key, long value) {
    long previous = look(key, missingValue, wasThere);
    tree.put(key, value, wasThere[0] != 0);
    return previous;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    tree.change.begin();
    long previous = look(key, missingValue, wasThere);
    if (wasThere[0] == 0) {
      tree.put(key, value, false);
    }
    return previous;
  }

  /** Stores a value without looking for the previous one. Most calls touch one page. */
  @Override
  public void set(long key, long value) {
    tree.writeBlind(Message.PUT, key, value);
  }

  /**
   * Adds {@code delta} to the value of {@code key}, or stores it if the key has none, without
   * looking for the previous value. As fast as {@link #set}. A sum that overflows wraps around.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room for the message; the index
   *     is then unchanged
   */
  public void add(long key, long delta) {
    tree.writeBlind(Message.ADD, key, delta);
  }

  /** Stores all entries as {@link #set} does. */
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
    long previous = look(key, missingValue, wasThere);
    if (wasThere[0] != 0) {
      tree.remove(key);
    }
    return previous;
  }

  /** Removes a key without looking for it. Most calls touch one page. */
  @Override
  public void delete(long key) {
    tree.writeBlind(Message.DELETE, key, 0);
  }

  /**
   * Removes the entries of a range by whole leaves, and the messages for them from the buffers
   * above. Reads the pages on the way to each of these leaves, writes those on the way to the ends
   * of the range, and never needs memory.
   */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return tree.removeRange(from, fromInclusive, to, toInclusive);
  }
}
