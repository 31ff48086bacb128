// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.batch.TreeLevels;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.model.Geometries;
import dev.espalier.model.MemoryTimes;
import dev.espalier.node.Bits;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cache-sensitive B+-tree, or CSB+-tree (thesis 3.5), full or segmented; with nodes of several
 * lines, the prefetching CSB+-tree (thesis 3.8). It is a B+-tree whose siblings lie side by side.
 * An inner node needs only one reference, or a few, for all its children, which leaves more room
 * for separators.
 *
 * <p>Use it for batched lookups ({@link #getAll} with {@link Geometry#FOR_BATCHES}) in data that
 * keeps changing. Operations on one key take O(log n) time; a split also moves the siblings after
 * the node. A full CSB+-tree reserves room for the maximum number of siblings in every node group:
 * it takes 16.8 bytes per entry if bulkloaded full, and about 33 if built by random inserts. A
 * segmented one reserves room only for existing siblings (about 27 bytes per entry), but allocates
 * and copies a segment for each new sibling, so inserts take longer.
 *
 * <p>Without native access, nothing is prefetched; without the vector module, nodes are searched by
 * scalar code. Results are the same.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class CsbPlusTree extends AbstractIndex {
  /* Overview
   *
   * BPlusTree plus one idea: children are found by arithmetic. Structure, invariants and the
   * deviations D1 to D7 are those of CsbPlusStructure. Beyond them:
   *
   *   Search. A node is searched as a whole, the words of its segments included, which are taken off
   *   the count again (Keys.lowerBoundBehindHeader). The word of the segment, which is needed for the
   *   child's place, is in the first line of what was searched.
   *     D8  Nodes are not prefetched for a single lookup, nor searched by code written out for each
   *         number of keys (thesis 3.5): the loads of the kernels do not wait for one another, and
   *         are the prefetch. Only the lines of a leaf's values are.
   *
   *   Batched lookups. A group of probes goes down level by level. Before a level is searched that
   *   may not be cached, the lines of the whole group's nodes are prefetched by one call. Of wide
   *   leaves the keys' lines come first and then the line that holds the value; leaves of two lines
   *   are fetched whole.
   *
   *   Range scans: see CsbPlusCursor.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "CsbPlusTree",
          "thesis 3.5, 3.8",
          CsbPlusTree::create,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** Number of probes that descend together. */
  private static final int GROUP = 64;

  /**
   * Levels of fewer bytes than this are taken to be cached, and not prefetched for a batch: half of
   * a second-level cache.
   */
  private static final long CACHED_BYTES = 1 << 20;

  /** Leaves up to this width are fetched whole, because their value lines are few. */
  private static final int NARROW_LEAF = 2;

  /** The lines of the inner nodes of both geometries, which have a kernel. */
  private static final int DEFAULT_INNER_WIDTH = 4;

  final CsbPlusStructure tree;
  private final CsbLeafNode leaf;
  private final CsbInnerNode inner;
  private final boolean full;
  private final boolean ofDefaultInnerNodes;

  /**
   * The proportions of the tree.
   *
   * @param innerWidth width of an inner node, in cache lines
   * @param leafWidth width of a leaf, in cache lines
   * @param segments number of parts of a node group: 1 for the full CSB+-tree, more for the
   *     segmented one; at most 7, and at most a third of the words of an inner node
   * @param prefetchDistance how many leaves ahead a range scan prefetches, from 0 to 64
   */
  public record Geometry(int innerWidth, int leafWidth, int segments, int prefetchDistance) {
    private static final int MAX_DISTANCE = 64;

    /** Lines that a scan fetches ahead, as the pB+-tree's. */
    private static final int PREFETCH_LINES = 128;

    /**
     * The geometry for single lookups and updates with {@linkplain MemoryTimes#TYPICAL typical
     * memory}: widths 4 and 8, full node groups. {@link CsbPlusTree#create(IndexOptions)} uses the
     * geometry for the memory of this machine instead.
     */
    public static final Geometry DEFAULT = forSingleProbes(MemoryTimes.TYPICAL);

    /**
     * The geometry with the fastest batched lookups measured: widths 4 and 4, full node groups
     * (docs/decisions, 54).
     */
    public static final Geometry FOR_BATCHES = of(new Geometries.Widths(DEFAULT_INNER_WIDTH, 4));

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      CsbInnerNode.checkWidth("leafWidth", leafWidth);
      CsbInnerNode.checkSegments(innerWidth, segments);
      if (prefetchDistance < 0 || prefetchDistance > MAX_DISTANCE) {
        throw new IllegalArgumentException(
            "prefetchDistance is "
                + prefetchDistance
                + " leaves; it must be from 0 to "
                + MAX_DISTANCE);
      }
    }

    /**
     * Returns the geometry with which single lookups are fastest, according to the cost model, with
     * full node groups.
     */
    public static Geometry forSingleProbes(MemoryTimes times) {
      return of(Geometries.forSingleProbes(times, CsbNodeKinds.INNER, CsbNodeKinds.LEAF));
    }

    /**
     * Returns the geometry with which batched lookups in large indexes are fastest, according to
     * the cost model, with full node groups. With typical memory, it is {@link #FOR_BATCHES}.
     */
    public static Geometry forBatches(MemoryTimes times) {
      return of(Geometries.forBatches(times, CsbNodeKinds.INNER, CsbNodeKinds.LEAF));
    }

    private static Geometry of(Geometries.Widths widths) {
      int distance = Math.min(PREFETCH_LINES / widths.leaf(), MAX_DISTANCE);
      return new Geometry(widths.inner(), widths.leaf(), 1, distance);
    }
  }

  private CsbPlusTree(IndexOptions options, Geometry geometry) {
    Objects.requireNonNull(geometry, "geometry");
    CsbLeafNode leaf = new CsbLeafNode(geometry.leafWidth);
    CsbInnerNode inner = new CsbInnerNode(geometry.innerWidth, geometry.segments);
    CsbPlusStructure tree = new CsbPlusStructure(options, leaf, inner, geometry.prefetchDistance);
    super(VARIANT, tree, options);
    this.leaf = leaf;
    this.inner = inner;
    this.tree = tree;
    this.full = geometry.segments == 1;
    this.ofDefaultInnerNodes = full && geometry.innerWidth == DEFAULT_INNER_WIDTH;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree with default options, as {@link #create(IndexOptions)} does. */
  public static CsbPlusTree create() {
    return create(IndexOptions.DEFAULT);
  }

  /** Creates an empty tree with the geometry for single lookups on this machine. */
  public static CsbPlusTree create(IndexOptions options) {
    return create(options, Geometry.forSingleProbes(MemoryTimes.ofThisMachine()));
  }

  /** Creates an empty tree. */
  public static CsbPlusTree create(IndexOptions options, Geometry geometry) {
    return new CsbPlusTree(options, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    MemorySegment nodes = tree.nodes;
    long node = findLeaf(nodes, key);
    prefetchValues(node);
    int slot = searchLeaf(nodes, node, key);
    return holds(nodes, node, slot, key) ? leaf.value(nodes, node, slot) : defaultValue;
  }

  @Override
  public boolean containsKey(long key) {
    MemorySegment nodes = tree.nodes;
    long node = findLeaf(nodes, key);
    return holds(nodes, node, searchLeaf(nodes, node, key), key);
  }

  @Override
  public boolean find(long key, long[] value) {
    MemorySegment nodes = tree.nodes;
    long node = findLeaf(nodes, key);
    prefetchValues(node);
    int slot = searchLeaf(nodes, node, key);
    boolean found = holds(nodes, node, slot, key);
    if (found) {
      value[0] = leaf.value(nodes, node, slot);
    }
    return found;
  }

  /** Counts the separators smaller than {@code key}, by a kernel for the default width if it is. */
  private int searchInner(MemorySegment nodes, long node, long key) {
    return ofDefaultInnerNodes
        ? Keys.lowerBoundOf4LinesBehindWord(nodes, node, key)
        : Keys.lowerBoundBehindHeader(nodes, node, inner.segments, inner.slots, key);
  }

  /** Returns the offset of a child; that of a full tree without asking where segments end. */
  private long child(MemorySegment nodes, long node, int slot, int childBytes) {
    return full
        ? CsbInnerNode.groupOf(getLong(nodes, node)) + (long) slot * childBytes
        : inner.child(nodes, node, slot, childBytes);
  }

  /** Searches a leaf, by kernels for the widths of the two geometries. */
  private int searchLeaf(MemorySegment nodes, long node, long key) {
    return switch (leaf.keySlots) {
      case 4 * CacheLine.LONGS -> Keys.lowerBoundOf4Lines(nodes, node, key);
      case 2 * CacheLine.LONGS -> Keys.lowerBoundOf2Lines(nodes, node, key);
      default -> Keys.lowerBound(nodes, node, leaf.keySlots, key);
    };
  }

  private long findLeaf(MemorySegment nodes, long key) {
    int leafBytes = leaf.bytes;
    int innerBytes = inner.bytes;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      int slot = searchInner(nodes, node, key);
      node = child(nodes, node, slot, level == 1 ? leafBytes : innerBytes);
    }
    return node;
  }

  /** Tells whether the slot found for {@code key} holds it; reads the count only if it seems so. */
  private boolean holds(MemorySegment nodes, long node, int slot, long key) {
    return leaf.key(nodes, node, slot) == key && slot < leaf.count(nodes, node);
  }

  /** Asks for the lines that hold a leaf's values and count. */
  private void prefetchValues(long node) {
    Words.prefetch(tree.base + node + leaf.valuesOffset, leaf.valueLines, Locality.T0);
  }

  /** The levels of the tree, and lookups in groups that start at any of them. */
  private final class Levels implements TreeLevels {

    @Override
    public int height() {
      return tree.height;
    }

    @Override
    public long root() {
      tree.checkOpen();
      return tree.root;
    }

    @Override
    public int maxChildren(int level) {
      return inner.maxChildren;
    }

    @Override
    public long changesAbove(int level) {
      return tree.levelChanges.above(level);
    }

    @Override
    public void descend(int level, long[] keys, long[] places, int[] slots, int count) {
      MemorySegment nodes = tree.nodes;
      int childBytes = tree.childBytes(level);
      int maxChildren = inner.maxChildren;
      for (int i = 0; i < count; i++) {
        long node = places[i];
        int slot = searchInner(nodes, node, keys[i]);
        places[i] = child(nodes, node, slot, childBytes);
        slots[i] = slots[i] * maxChildren + slot;
      }
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
      int uncached = uncachedLevels();
      for (int done = 0; done < count; done += GROUP) {
        int group = Math.min(GROUP, count - done);
        findLeaves(level, keys, keysFrom + done, values, valuesFrom + done, group, uncached);
        long there = readValues(keys, keysFrom + done, values, valuesFrom + done, group);
        Bits.addGroup(found, foundFrom + done, there);
      }
    }
  }

  /** Returns how many levels, the leaves included, may have too many bytes for the cache. */
  private int uncachedLevels() {
    int level = tree.height - 1;
    for (long bytes = inner.bytes; level > 0 && bytes < CACHED_BYTES; level--) {
      bytes *= inner.maxChildren;
    }
    return level + 1;
  }

  /**
   * Takes a group of probes from nodes of {@code level} down to their leaves, which it prefetches.
   * Until the answers are known, {@code places} holds where each probe is: the offset of its node.
   */
  private void findLeaves(
      int level,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      int uncached) {
    MemorySegment nodes = tree.nodes;
    for (int at = level; at > 0; at--) {
      int childBytes = tree.childBytes(at);
      for (int i = 0; i < count; i++) {
        long node = places[placesFrom + i];
        int slot = searchInner(nodes, node, keys[keysFrom + i]);
        places[placesFrom + i] = child(nodes, node, slot, childBytes);
      }
      if (at == 1) {
        int lines = leaf.width <= NARROW_LEAF ? leaf.width : leaf.keyLines;
        Words.prefetchGroup(tree.base, places, placesFrom, count, lines);
      } else if (at <= uncached) {
        Words.prefetchGroup(tree.base, places, placesFrom, count, inner.width);
      }
    }
  }

  /**
   * Searches the leaves of a group of probes and puts the values in the place of their offsets.
   *
   * @return which keys are present, as a bit set
   */
  private long readValues(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    MemorySegment nodes = tree.nodes;
    int lastSlot = leaf.keySlots - 1;
    for (int i = 0; i < count; i++) {
      long node = values[valuesFrom + i];
      int slot = searchLeaf(nodes, node, keys[keysFrom + i]);
      values[valuesFrom + i] = node + ((long) Math.min(slot, lastSlot) << 3);
    }
    int valuesOffset = leaf.valuesOffset;
    if (leaf.width > NARROW_LEAF) {
      Words.prefetchGroup(tree.base + valuesOffset, values, valuesFrom, count, 1);
    }
    long there = 0;
    for (int i = 0; i < count; i++) {
      long key = keys[keysFrom + i];
      long place = values[valuesFrom + i];
      boolean isThere = getLong(nodes, place) == key && (key != Keys.PADDING || containsKey(key));
      values[valuesFrom + i] = isThere ? getLong(nodes, place + valuesOffset) : missingValue;
      there |= isThere ? 1L << i : 0;
    }
    return there;
  }

  // ---------------------------------------------------------------- insert

  @Override
  public long put(long key, long value) {
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (holds(nodes, node, slot, key)) {
      long previous = leaf.value(nodes, node, slot);
      leaf.value(nodes, node, slot, value);
      return previous;
    }
    tree.insertAt(node, slot, key, value);
    return missingValue;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (holds(nodes, node, slot, key)) {
      return leaf.value(nodes, node, slot);
    }
    tree.insertAt(node, slot, key, value);
    return missingValue;
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  /**
   * Prefetches the leaves of a group of keys together, then puts the entries one after the other.
   */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    long[] leaves = new long[Math.min(GROUP, count)];
    for (int done = 0; done < count; done += GROUP) {
      int group = Math.min(GROUP, count - done);
      Arrays.fill(leaves, 0, group, tree.root);
      findLeaves(tree.height - 1, keys, keysFrom + done, leaves, 0, group, uncachedLevels());
      Words.prefetchGroup(tree.base + leaf.valuesOffset, leaves, 0, group, leaf.valueLines);
      for (int i = done; i < done + group; i++) {
        put(keys[keysFrom + i], values[valuesFrom + i]);
      }
    }
  }

  /**
   * Goes down to the leaf of {@code key}, notes the path, and asks for the lines that will change.
   * As CsbPlusStructure.findPath, but with the kernels' constants.
   */
  private long findPath(MemorySegment nodes, long key) {
    long[] pathNode = tree.path.node;
    int[] pathSlot = tree.path.slot;
    int leafBytes = leaf.bytes;
    int innerBytes = inner.bytes;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      int slot = searchInner(nodes, node, key);
      pathNode[level] = node;
      pathSlot[level] = slot;
      node = child(nodes, node, slot, level == 1 ? leafBytes : innerBytes);
    }
    prefetchValues(node);
    return node;
  }

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (!holds(nodes, node, slot, key)) {
      return missingValue;
    }
    long previous = leaf.value(nodes, node, slot);
    tree.removeAt(node, slot, key);
    return previous;
  }

  @Override
  public void delete(long key) {
    remove(key);
  }
}
