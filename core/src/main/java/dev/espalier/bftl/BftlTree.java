// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Bits;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import dev.espalier.tree.OneStoreLevel;
import org.jspecify.annotations.Nullable;

/**
 * BFTL: a B-tree over a layer that never writes a node in place. Changes to nodes wait in a
 * reservation buffer. They are then packed into sectors, those of many nodes together. A table on
 * the heap lists the sectors of each node; reading a node means reading all of them.
 *
 * <p>It was made for the flash of 2003, where overwriting a page meant erasing a block. It is
 * hardly ever worth it today: a lookup reads up to {@code listBound} pages where a B+-tree reads
 * one, the table takes heap memory for every node, and opening an index reads all of it. It is
 * included for comparison.
 *
 * <p>A lookup takes O(listBound log n) page reads. Any method that changes the index may throw
 * {@link dev.espalier.memory.MemoryLimitException} as {@code put} does.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class BftlTree extends AbstractIndex {
  /* Overview
   *
   * Units, sectors, invariants and deviations are those of BftlStructure. Search: in a node, the
   * greatest key up to the one sought whose newest unit is no deletion. Sectors are searched from
   * the newest to the oldest, and nothing is replayed but an inner node from which a child has gone.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "BftlTree",
          "Wu, Kuo, Chang 2007",
          BftlTree::create,
          BftlTree::open,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  private static final int DEFAULT_PAGE_BYTES = 4 << 10;

  final BftlStructure tree;
  private final int[] way = new int[BftlStructure.MAX_HEIGHT];

  /** Whether the key that {@link #look} was asked for has an entry. */
  private boolean wasThere;

  /**
   * The proportions.
   *
   * @param bufferPages number of pages of waiting units, from 1 to {@link #MOST_BUFFER_PAGES}
   * @param listBound the most sectors that may have units of one node, from 1 to {@link
   *     #MOST_LIST_BOUND}
   */
  public record Geometry(int bufferPages, int listBound) {
    /** The most pages of the reservation buffer. */
    public static final int MOST_BUFFER_PAGES = 256;

    /** The largest bound of a list. */
    public static final int MOST_LIST_BOUND = 64;

    /** Two pages, and lists of up to 4 sectors, as in the paper. */
    public static final Geometry DEFAULT = new Geometry(2, 4);

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      check("bufferPages", bufferPages, MOST_BUFFER_PAGES);
      check("listBound", listBound, MOST_LIST_BOUND);
    }

    private static void check(String name, int number, int most) {
      if (number < 1 || number > most) {
        throw new IllegalArgumentException(
            name + " is " + number + "; it must be from 1 to " + most);
      }
    }
  }

  private BftlTree(IndexOptions options, PageStore store, Geometry geometry) {
    BftlStructure structure = new BftlStructure(store, geometry);
    super(VARIANT, structure, options);
    this.tree = structure;
    probesGoThrough(new Whole());
  }

  /** Creates an empty index in memory, with the default geometry and pages of 4 KiB. */
  public static BftlTree create(IndexOptions options) {
    return open(options, options.pagesInMemory(DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the index in a store, whatever its geometry is, or creates an empty one if the store is
   * empty, with the default geometry. Reads the whole index, in O(n) time.
   */
  public static BftlTree open(IndexOptions options, PageStore store) {
    return open(options, store, BftlStructure.geometryIn(store));
  }

  /**
   * Opens the index in a store, or creates an empty one if the store is empty. Reads the whole
   * index.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the index from now on: closing the index closes it
   * @throws IllegalArgumentException if the store holds another kind of tree, or a BFTL of another
   *     geometry, or has pages of less than 256 bytes
   */
  public static BftlTree open(IndexOptions options, PageStore store, Geometry geometry) {
    return new BftlTree(options, store, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    tree.checkOpen();
    long unit = tree.find(tree.leafOf(key), key);
    if (unit == BftlStructure.NO_UNIT) {
      return defaultValue;
    }
    boolean isPut = SectorPage.operation(tree.pages, unit) == SectorPage.PUT;
    long value = isPut ? SectorPage.value(tree.pages, unit) : defaultValue;
    tree.store.unpin(unit, false);
    return value;
  }

  @Override
  public boolean containsKey(long key) {
    tree.checkOpen();
    long unit = tree.find(tree.leafOf(key), key);
    if (unit == BftlStructure.NO_UNIT) {
      return false;
    }
    boolean isPut = SectorPage.operation(tree.pages, unit) == SectorPage.PUT;
    tree.store.unpin(unit, false);
    return isPut;
  }

  @Override
  public boolean find(long key, long[] value) {
    tree.checkOpen();
    long unit = tree.find(tree.leafOf(key), key);
    if (unit == BftlStructure.NO_UNIT) {
      return false;
    }
    boolean isPut = SectorPage.operation(tree.pages, unit) == SectorPage.PUT;
    long there = isPut ? SectorPage.value(tree.pages, unit) : missingValue;
    tree.store.unpin(unit, false);
    value[0] = there;
    return isPut;
  }

  /** The index as one level: a node's sectors are not known as pages that probes could wait at. */
  private final class Whole extends OneStoreLevel {
    Whole() {
      super(BftlTree.this.tree);
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
      for (int i = 0; i < count; i++) {
        boolean isThere = answerOne(keys[keysFrom + i], values, valuesFrom + i);
        Bits.addGroup(found, foundFrom + i, isThere ? 1 : 0);
      }
    }
  }

  /** Looks a key up, and writes what was found; returns whether it is there. */
  private boolean answerOne(long key, long[] values, int place) {
    long unit = tree.find(tree.leafOf(key), key);
    values[place] = missingValue;
    if (unit == BftlStructure.NO_UNIT) {
      return false;
    }
    boolean isPut = SectorPage.operation(tree.pages, unit) == SectorPage.PUT;
    values[place] = isPut ? SectorPage.value(tree.pages, unit) : missingValue;
    tree.store.unpin(unit, false);
    return isPut;
  }

  // ---------------------------------------------------------------- write

  /** Goes the way to a key that is about to be written, and notes whether it is there. */
  private long look(long key) {
    tree.checkOpen(); // An empty leaf may have no page whose memory would tell.
    tree.findPath(key, way);
    long unit = tree.find(way[0], key);
    wasThere = false;
    if (unit == BftlStructure.NO_UNIT) {
      return missingValue;
    }
    wasThere = SectorPage.operation(tree.pages, unit) == SectorPage.PUT;
    long value = wasThere ? SectorPage.value(tree.pages, unit) : missingValue;
    tree.store.unpin(unit, false);
    return value;
  }

  @Override
  public long put(long key, long value) {
    tree.change.begin();
    long previous = look(key);
    if (wasThere) {
      tree.replace(way[0], key, value);
    } else {
      tree.insert(way, key, value);
    }
    return previous;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    tree.change.begin();
    long previous = look(key);
    if (!wasThere) {
      tree.insert(way, key, value);
    }
    return previous;
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
    tree.change.begin();
    long previous = look(key);
    if (wasThere) {
      tree.remove(way, key);
    }
    return previous;
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  @Override
  public void delete(long key) {
    remove(key);
  }

  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return tree.removeRange(from, fromInclusive, to, toInclusive);
  }
}
