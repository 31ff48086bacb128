// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.PageStore;
import dev.espalier.model.DeviceProfile;
import dev.espalier.model.PioChoice;
import dev.espalier.model.PioWork;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.ClosedRange;
import dev.espalier.support.Message;
import dev.espalier.support.Wanted;
import dev.espalier.tree.AbstractIndex;
import java.util.Objects;

/**
 * The PIO B-tree (Roh, Park, Kim, Shin, Lee, PVLDB 5(4), 2011): a B+-tree for solid-state disks,
 * which answer dozens of requests in the time that one takes. Updates wait in a queue of operations
 * until it is full; then thousands of them go down the tree together, and the pages of each level
 * are read at once. {@code getAll} searches for its keys in the same way, and scans read ahead in
 * waves. A leaf has several pages, of which an update reads and writes only the last.
 *
 * <p>It is meant for indexes in files that are larger than memory and are mostly written to. {@code
 * set}, {@code delete} and {@code putAll} only enter the queue; {@code put}, {@code putIfAbsent}
 * and {@code remove} return the previous value and therefore take a lookup each. With n entries in
 * leaves of B operations and a queue of Q, an update takes O(n / (B Q)) page reads and writes, and
 * at most O(1). A lookup reads a page on each level, and all pages of one leaf together.
 *
 * <p>Many threads may read and write one tree at once, without a lock around it. Operations on one
 * key each take effect atomically; {@code getAll} and {@code putAll} do so key by key. Searches and
 * writes go on while another thread flushes the queue: they wait only while it sorts the queue,
 * adds pages to leaves, splits or merges them, and while it removes what was flushed from the
 * queue. A write that finds the queue a quarter over its limit waits for the flush to end.
 *
 * <p>A cursor sees each part of a leaf, together with the queue, as it was at one moment: it misses
 * no entry that was present throughout, and reports none twice, but may or may not see what others
 * write meanwhile. A part is small after a seek, so that a short scan does not merge a long queue.
 * Where many removed keys lie side by side, the first reader that comes by keeps the range, and
 * others skip it. {@link #size} is exact, except for what others write during the pass that it may
 * need. {@link #clear}, {@link #bulkload}, {@link #shrink}, {@link #flush} and {@link #verify} wait
 * until they have the tree to themselves, and others wait for them.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class PioBTree extends AbstractIndex implements ConcurrentLongIndex {
  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "PioBTree",
          "PIO 3.3",
          PioBTree::create,
          PioBTree::open,
          Capability.UPDATE_IN_PLACE,
          Capability.BLIND_WRITES);

  /** Bytes of a page in memory unless given: the paper's. */
  private static final int DEFAULT_PAGE_BYTES = 4 << 10;

  /** Below this memory limit, pages and queue are smaller. */
  private static final long SMALL_LIMIT = 1 << 20;

  private static final int SMALL_PAGE_BYTES = 1 << 10;

  final PioStructure tree;
  private final PioSearch search;
  private final PioWriter writer;

  /**
   * The proportions of the tree. Only the first is a property of the tree in a store; the others
   * may differ each time the store is opened.
   *
   * @param leafSegments the most pages of a leaf, from 1 to 16: L in the paper
   * @param queuePages the most pages of the operation queue, at least 1: O in the paper. A queue
   *     has at most as many pages as fit into one page as numbers: 1016 if pages have 4 KiB
   * @param pioMax the most pages that are read at once, from 1 to 64: PioMax in the paper
   * @param sortPeriod how many operations are appended to the queue before they are merged with its
   *     sorted part, at least 1, and limited to an eighth of the queue: speriod in the paper
   * @param batchCount the most operations that are taken from the queue at once, at least 1: bcnt
   *     in the paper. The fewer, the shorter the wait of a write that finds the queue full
   */
  public record Geometry(
      int leafSegments, int queuePages, int pioMax, int sortPeriod, int batchCount) {
    private static final Geometry SMALL = new Geometry(2, 4, 64, 5000, 5000);

    private static final int SORT_PERIOD = 5000;
    private static final int USUAL_QUEUE_PAGES = 64;
    private static final int USUAL_LEAF_BYTES = 8 << 10;

    private static final int MOST_SEGMENTS = 16;
    private static final int MOST_AT_ONCE = 64;

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      check("leafSegments", leafSegments, MOST_SEGMENTS);
      check("queuePages", queuePages, Integer.MAX_VALUE);
      check("pioMax", pioMax, MOST_AT_ONCE);
      check("sortPeriod", sortPeriod, Integer.MAX_VALUE);
      check("batchCount", batchCount, Integer.MAX_VALUE);
    }

    private static void check(String name, int value, int most) {
      if (value < 1 || value > most) {
        throw new IllegalArgumentException(
            most == Integer.MAX_VALUE
                ? "%s is %d; it must be positive".formatted(name, value)
                : "%s is %d; it must be from 1 to %d".formatted(name, value, most));
      }
    }

    /**
     * Returns the default geometry for a page size: leaves of 8 KiB, but of at most four pages, or
     * of one page if that is larger; a queue of 64 pages; and for the rest, the numbers of the
     * paper's experiments.
     */
    public static Geometry forPages(int pageBytes) {
      return withLeafSegments(Math.clamp(USUAL_LEAF_BYTES / pageBytes, 1, 4));
    }

    private static Geometry withLeafSegments(int segments) {
      return new Geometry(
          segments, USUAL_QUEUE_PAGES, MOST_AT_ONCE, SORT_PERIOD, PioChoice.BATCH_COUNT);
    }

    /** Returns the geometry chosen for some work, with the rest as in {@link #forPages}. */
    public static Geometry of(PioChoice choice) {
      return new Geometry(
          choice.leafPages(),
          choice.queuePages(),
          choice.pioMax(),
          SORT_PERIOD,
          PioChoice.BATCH_COUNT);
    }
  }

  private PioBTree(IndexOptions options, PageStore store, Geometry geometry, String choice) {
    PioStructure tree = new PioStructure(store, geometry, choice);
    super(VARIANT, tree, options);
    this.tree = tree;
    this.search = tree.search;
    this.writer = tree.writer;
    probesGoThrough(new PioLevels(tree, missingValue));
  }

  /**
   * Creates an empty tree in memory, with pages of 4 KiB and the default geometry. If the memory
   * limit is below 1 MiB, pages and queue are smaller.
   */
  public static PioBTree create(IndexOptions options) {
    return options.memoryLimit() < SMALL_LIMIT
        ? open(options, options.pagesBesideReaders(SMALL_PAGE_BYTES), Geometry.SMALL)
        : open(options, options.pagesBesideReaders(DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the tree in a store, or creates an empty one if the store is empty. Uses the default
   * geometry, except that the leaves of a tree in the store keep their number of pages.
   */
  public static PioBTree open(IndexOptions options, PageStore store) {
    Geometry geometry = Geometry.forPages(store.pageBytes());
    int segments = PioStructure.leafSegments(store, geometry.leafSegments());
    return open(options, store, Geometry.withLeafSegments(segments));
  }

  /**
   * Opens the tree in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; memory limit and huge pages are those of the store
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree, or one whose leaves
   *     have another number of pages
   */
  public static PioBTree open(IndexOptions options, PageStore store, Geometry geometry) {
    Objects.requireNonNull(geometry, "geometry");
    return new PioBTree(options, store, geometry, "");
  }

  /**
   * Returns this kind of tree with proportions chosen for some work on a device. In an empty store,
   * the leaves and the queue are chosen to suit the store's pages; otherwise, only the queue is
   * chosen, to suit the pages and leaves of the tree in the store. {@link
   * dev.espalier.LongIndex#statistics} reports what was chosen and why.
   *
   * @param device the device that the store is on
   * @param work what the tree will do, and with how much memory
   */
  public static TreeVariant tuned(DeviceProfile device, PioWork work) {
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(work, "work");
    return new TreeVariant(
        VARIANT.name(),
        VARIANT.paper(),
        VARIANT.medium(),
        VARIANT.capabilities(),
        options -> openTuned(options, options.pagesBesideReaders(DEFAULT_PAGE_BYTES), device, work),
        (options, store) -> openTuned(options, store, device, work));
  }

  private static PioBTree openTuned(
      IndexOptions options, PageStore store, DeviceProfile device, PioWork work) {
    int segments = PioStructure.leafSegments(store, 0);
    PioChoice choice =
        segments == 0
            ? PioChoice.ofPages(device, work, store.pageBytes())
            : PioChoice.ofTree(device, work, store.pageBytes(), segments);
    return new PioBTree(options, store, Geometry.of(choice), choice.reason());
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return search.look(key, missingValue, null, null);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return search.look(key, defaultValue, null, null);
  }

  @Override
  public boolean containsKey(long key) {
    return search.look(key, 0, Wanted.PRESENCE, null) != 0;
  }

  @Override
  public boolean find(long key, long[] value) {
    Objects.checkIndex(0, value.length);
    return search.look(key, 0, value, null) != 0;
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

  /** Stores a value without looking for the previous one. Most calls touch one page. */
  @Override
  public void set(long key, long value) {
    writer.writeBlind(Message.PUT, key, value);
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
    return writer.remove(key, missingValue);
  }

  /** Removes a key without looking for it. Most calls touch one page. */
  @Override
  public void delete(long key) {
    writer.writeBlind(Message.DELETE, key, 0);
  }

  /**
   * Removes the entries between two keys in parts, each at one moment: what up to 64 pages of
   * leaves have, and the queue for them. Leaves without other entries are given back, so this needs
   * no memory. It waits for a flush to end, and others wait while a part goes. O(log n) for each
   * part, and O(1) for each operation in a leaf or in the queue.
   */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    ClosedRange range = ClosedRange.of(from, fromInclusive, to, toInclusive);
    tree.checkOpen();
    return range.isEmpty() ? 0 : new PioCut(tree, range.first(), range.last()).remove();
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
