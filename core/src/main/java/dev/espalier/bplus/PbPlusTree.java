// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntry;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.bplus.nodes.BPlusChange;
import dev.espalier.bplus.nodes.BPlusCursor;
import dev.espalier.bplus.nodes.BPlusLevels;
import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafNode;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.model.Geometries;
import dev.espalier.model.MemoryTimes;
import dev.espalier.node.Bits;
import dev.espalier.node.KeyLines;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The prefetching B+-tree, or pB+-tree (thesis 3.6): a {@link BPlusTree} with nodes several cache
 * lines wide, whose lines are fetched in parallel. Wider nodes make a flatter tree, and as their
 * lines are fetched together, a wide node costs little more than a single line.
 *
 * <p>This is the tree to start with. It does everything well: single and batched lookups ({@link
 * #getAll}), updates, and scans. Operations on one key take O(log n) time, with one memory latency
 * per level; {@code getAll} overlaps the latencies of 64 lookups. A full tree takes 16.9 bytes per
 * entry, and one built by random inserts takes about 24.5.
 *
 * <p>Without native access, nothing is prefetched; without the vector module, nodes are searched by
 * scalar code. Results are the same.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class PbPlusTree extends AbstractIndex {
  /* Overview
   *
   * BPlusTree plus one idea: a node is fetched as a whole. Structure, invariants and deviations are
   * those of BPlusStructure. Beyond them:
   *
   *   Single lookups (thesis 3.6, "Node Layout and Prefetching"). The kernels of Keys read all of a
   *   node's key lines, and their loads wait neither for the node's count nor for one another: they
   *   are the prefetch of the keys. The lines of a leaf's values, of which one will be needed, are
   *   prefetched before the search of its keys.
   *     D5  The thesis prefetches every line of every node. Here inner nodes are not prefetched at
   *         all: calls of the shim between their searches keep the processor from starting on the
   *         next lookup while this one waits for memory, which costs more than they save.
   *
   *   Batched lookups. A group of probes goes down level by level. Before the leaves' parents and the
   *   leaves are searched, the key lines of the whole group's nodes are prefetched by one call, and
   *   last the one line of each leaf that holds the value. Large trees have these nodes searched
   *   line by line (KeyLines), which fetches about half as many lines, and the one line of each
   *   parent that holds the child.
   *     D6  Inner nodes further up are few, and taken to be cached.
   *
   *   Range scans: see PrefetchingCursor.
   *
   *   Choices (thesis chapter 5). This tree has what measured best (docs/decisions, 11).
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "PbPlusTree",
          "thesis 3.6",
          PbPlusTree::create,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.JUMP_POINTERS,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** Number of probes that descend together: their key lines fit into the first-level cache. */
  private static final int GROUP = 64;

  /** The width for which the searches of nodes are compiled with constants: the default. */
  private static final int COMMON_WIDTH = 8;

  private static final int COMMON_INNER_SLOTS = new InnerNode(COMMON_WIDTH).keySlots;
  private static final int COMMON_LEAF_SLOTS = new LeafNode(COMMON_WIDTH).keySlots;

  final BPlusStructure tree;
  private final int prefetchDistance;
  private final boolean ofCommonWidth;
  private final BPlusChange change;
  private final LeafNode leaf;
  private final InnerNode inner;

  /**
   * The proportions of the tree.
   *
   * @param innerWidth width of an inner node, in cache lines
   * @param leafWidth width of a leaf, in cache lines
   * @param prefetchDistance how many leaves ahead a range scan prefetches, from 0 to 64
   */
  public record Geometry(int innerWidth, int leafWidth, int prefetchDistance) {
    private static final int MAX_DISTANCE = 64;

    /**
     * How many lines ahead a scan prefetches: the best value measured
     * (docs/decisions/0011-choices-of-the-pb-plus-tree.md).
     */
    private static final int PREFETCH_LINES = 128;

    /**
     * The geometry for single lookups with {@linkplain MemoryTimes#TYPICAL typical memory}: widths
     * 8 and 8, distance 16. {@link PbPlusTree#create(IndexOptions)} uses the geometry for the
     * memory of this machine instead.
     */
    public static final Geometry DEFAULT = forSingleProbes(MemoryTimes.TYPICAL);

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      LeafNode.checkWidth("innerWidth", innerWidth);
      LeafNode.checkWidth("leafWidth", leafWidth);
      if (prefetchDistance < 0 || prefetchDistance > MAX_DISTANCE) {
        throw new IllegalArgumentException(
            "prefetchDistance is "
                + prefetchDistance
                + " leaves; it must be from 0 to "
                + MAX_DISTANCE);
      }
    }

    /** Returns the geometry with which single lookups are fastest, according to the cost model. */
    public static Geometry forSingleProbes(MemoryTimes times) {
      return of(Geometries.forSingleProbes(times, NodeKinds.INNER, NodeKinds.LEAF));
    }

    /**
     * Returns the geometry with which batched lookups in large indexes are fastest, according to
     * the cost model.
     */
    public static Geometry forBatches(MemoryTimes times) {
      return of(Geometries.forBatches(times, NodeKinds.INNER, NodeKinds.LEAF));
    }

    private static Geometry of(Geometries.Widths widths) {
      int distance = Math.min(PREFETCH_LINES / widths.leaf(), MAX_DISTANCE);
      return new Geometry(widths.inner(), widths.leaf(), distance);
    }
  }

  private PbPlusTree(IndexOptions options, Geometry geometry) {
    Objects.requireNonNull(geometry, "geometry");
    BPlusStructure tree =
        new BPlusStructure(
            options, new LeafNode(geometry.leafWidth), new InnerNode(geometry.innerWidth));
    super(VARIANT, tree, options);
    this.tree = tree;
    this.prefetchDistance = geometry.prefetchDistance;
    this.ofCommonWidth = geometry.innerWidth == COMMON_WIDTH && geometry.leafWidth == COMMON_WIDTH;
    this.change = tree.change;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree with default options, as {@link #create(IndexOptions)} does. */
  public static PbPlusTree create() {
    return create(IndexOptions.DEFAULT);
  }

  /** Creates an empty tree with the geometry for single lookups on this machine. */
  public static PbPlusTree create(IndexOptions options) {
    return create(options, Geometry.forSingleProbes(MemoryTimes.ofThisMachine()));
  }

  /** Creates an empty tree. */
  public static PbPlusTree create(IndexOptions options, Geometry geometry) {
    return new PbPlusTree(options, geometry);
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

  @Override
  protected long nearest(long key, boolean upwards, @Nullable LongEntry entry) {
    MemorySegment nodes = tree.nodes;
    long node = findLeaf(nodes, key);
    prefetchValues(node);
    int slot = searchLeaf(nodes, node, key);
    int count = leaf.count(nodes, node);
    if (!upwards && (slot >= count || leaf.key(nodes, node, slot) != key)) {
      slot--;
    }
    return slot >= 0 && slot < count
        ? found(leaf.key(nodes, node, slot), leaf.value(nodes, node, slot), entry)
        : nearestBeside(nodes, node, key, upwards, entry);
  }

  /**
   * Finds the entry nearest to a key whose own leaf has none on that side: at the end of the leaf
   * beside it.
   */
  private long nearestBeside(
      MemorySegment nodes, long own, long key, boolean upwards, @Nullable LongEntry entry) {
    long bound = boundOfLeaf(nodes, key, upwards);
    if (upwards && bound == Long.MAX_VALUE) {
      return none(entry);
    }
    long node = findLeaf(nodes, upwards ? bound + 1 : bound);
    int count = leaf.count(nodes, node);
    if (node == own || count == 0) {
      return none(entry);
    }
    int slot = upwards ? 0 : count - 1;
    return found(leaf.key(nodes, node, slot), leaf.value(nodes, node, slot), entry);
  }

  /**
   * Returns the separator above or below the leaf of a key: the largest key that belongs there, or
   * in the leaf before; at the ends of the tree the largest or smallest of all.
   */
  private long boundOfLeaf(MemorySegment nodes, long key, boolean above) {
    long bound = above ? Long.MAX_VALUE : Long.MIN_VALUE;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      int slot = searchInner(nodes, node, key);
      if (above ? slot < inner.count(nodes, node) : slot > 0) {
        bound = inner.key(nodes, node, above ? slot : slot - 1);
      }
      node = inner.child(nodes, node, slot);
    }
    return bound;
  }

  /**
   * Searches an inner node. The kernel is called with a constant where that is possible, because
   * the JIT then keeps one case of it: lookups take a quarter less time (docs/measurements).
   */
  private int searchInner(MemorySegment nodes, long node, long key) {
    return ofCommonWidth
        ? Keys.lowerBound(nodes, node, COMMON_INNER_SLOTS, key)
        : Keys.lowerBound(nodes, node, inner.keySlots, key);
  }

  /** Searches a leaf, as {@link #searchInner}. */
  private int searchLeaf(MemorySegment nodes, long node, long key) {
    return ofCommonWidth
        ? Keys.lowerBound(nodes, node, COMMON_LEAF_SLOTS, key)
        : Keys.lowerBound(nodes, node, leaf.keySlots, key);
  }

  private long findLeaf(MemorySegment nodes, long key) {
    int childrenOffset = inner.childrenOffset;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      int slot = searchInner(nodes, node, key);
      node = InnerNode.toOffset(getInt(nodes, node + childrenOffset + ((long) slot << 2)));
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
  private final class Levels extends BPlusLevels {

    Levels() {
      super(tree);
    }

    @Override
    public void descend(int level, long[] keys, long[] places, int[] slots, int count) {
      MemorySegment nodes = tree.nodes;
      int childrenOffset = inner.childrenOffset;
      int maxChildren = maxChildren(level);
      for (int i = 0; i < count; i++) {
        long node = places[i];
        int slot = searchInner(nodes, node, keys[i]);
        places[i] = InnerNode.toOffset(getInt(nodes, node + childrenOffset + ((long) slot << 2)));
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
      for (int done = 0; done < count; done += GROUP) {
        int group = Math.min(GROUP, count - done);
        long there = answerGroup(level, keys, keysFrom + done, values, valuesFrom + done, group);
        Bits.addGroup(found, foundFrom + done, there);
      }
    }
  }

  /**
   * Looks up at most {@link #GROUP} keys together. Until the answers are known, {@code values}
   * holds where each probe is: the offset of its node, then of its slot.
   *
   * @return which keys are present, as a bit set
   */
  private long answerGroup(
      int level, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    MemorySegment nodes = tree.nodes;
    if (ofCommonWidth && level == tree.height - 1 && KeyLines.pays(tree.size())) {
      findLeavesByLines(nodes, keys, keysFrom, values, valuesFrom, count);
      KeyLines.findSlots(
          nodes, tree.base, keys, keysFrom, values, valuesFrom, count, leaf.keyLines);
    } else {
      findLeaves(nodes, level, keys, keysFrom, values, valuesFrom, count);
      findSlots(nodes, keys, keysFrom, values, valuesFrom, count);
    }
    int valuesOffset = leaf.valuesOffset;
    Words.prefetchGroup(tree.base + valuesOffset, values, valuesFrom, count, 1);
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

  /**
   * Takes a group of probes from nodes of {@code level} down to their leaves, whose key lines it
   * prefetches.
   */
  private void findLeaves(
      MemorySegment nodes,
      int level,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count) {
    for (int at = level; at > 0; at--) {
      findChildren(nodes, keys, keysFrom, places, placesFrom, count);
      if (at == 1) {
        Words.prefetchGroup(tree.base, places, placesFrom, count, leaf.keyLines);
      } else if (at == 2) {
        Words.prefetchGroup(tree.base, places, placesFrom, count, inner.keyLines);
      }
    }
  }

  private void findChildren(
      MemorySegment nodes, long[] keys, int keysFrom, long[] places, int placesFrom, int count) {
    int childrenOffset = inner.childrenOffset;
    for (int i = 0; i < count; i++) {
      long node = places[placesFrom + i];
      int slot = searchInner(nodes, node, keys[keysFrom + i]);
      places[placesFrom + i] =
          InnerNode.toOffset(getInt(nodes, node + childrenOffset + ((long) slot << 2)));
    }
  }

  private void findSlots(
      MemorySegment nodes, long[] keys, int keysFrom, long[] places, int placesFrom, int count) {
    int keySlots = leaf.keySlots;
    for (int i = 0; i < count; i++) {
      long node = places[placesFrom + i];
      int slot = searchLeaf(nodes, node, keys[keysFrom + i]);
      places[placesFrom + i] = node + ((long) Math.min(slot, keySlots - 1) << 3);
    }
  }

  /**
   * As {@link #findLeaves} from the root, but searches the leaves' parents line by line. Fetches no
   * leaves.
   */
  private void findLeavesByLines(
      MemorySegment nodes, long[] keys, int keysFrom, long[] places, int placesFrom, int count) {
    for (int at = tree.height - 1; at > 1; at--) {
      findChildren(nodes, keys, keysFrom, places, placesFrom, count);
    }
    KeyLines.find(nodes, tree.base, keys, keysFrom, places, placesFrom, count, inner.keyLines);
    int childrenOffset = inner.childrenOffset;
    for (int i = 0; i < count; i++) {
      long place = places[placesFrom + i];
      int inLine = Keys.lowerBoundInLine(nodes, KeyLines.line(place), keys[keysFrom + i]);
      int slot = KeyLines.index(place) * CacheLine.LONGS + inLine;
      places[placesFrom + i] = KeyLines.node(place) + childrenOffset + ((long) slot << 2);
    }
    Words.prefetchGroup(tree.base, places, placesFrom, count, 1);
    for (int i = 0; i < count; i++) {
      places[placesFrom + i] = InnerNode.toOffset(getInt(nodes, places[placesFrom + i]));
    }
  }

  // ---------------------------------------------------------------- insert

  @Override
  public long put(long key, long value) {
    if (change.append(key, value)) {
      return missingValue;
    }
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (holds(nodes, node, slot, key)) {
      long previous = leaf.value(nodes, node, slot);
      leaf.value(nodes, node, slot, value);
      return previous;
    }
    change.insertAt(node, slot, key, value);
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
    change.insertAt(node, slot, key, value);
    return missingValue;
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  /** Keeps the place of the key while the function is called, unless that changes the tree. */
  @Override
  public long merge(long key, long value, LongBinaryOperator function) {
    Objects.requireNonNull(function, "function");
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (!holds(nodes, node, slot, key)) {
      change.insertAt(node, slot, key, value);
      return value;
    }
    long changes = tree.modifications.changes;
    long merged = function.applyAsLong(leaf.value(nodes, node, slot), value);
    if (tree.modifications.changes == changes) {
      leaf.value(nodes, node, slot, merged);
    } else {
      put(key, merged);
    }
    return merged;
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
      findLeaves(tree.nodes, tree.height - 1, keys, keysFrom + done, leaves, 0, group);
      Words.prefetchGroup(tree.base + leaf.valuesOffset, leaves, 0, group, leaf.valueLines);
      for (int i = done; i < done + group; i++) {
        put(keys[keysFrom + i], values[valuesFrom + i]);
      }
    }
  }

  /**
   * Goes down to the leaf of {@code key}, notes the path, and asks for the lines that will change.
   */
  private long findPath(MemorySegment nodes, long key) {
    int childrenOffset = inner.childrenOffset;
    long[] pathNode = change.pathNode;
    int[] pathSlot = change.pathSlot;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      int slot = searchInner(nodes, node, key);
      pathNode[level] = node;
      pathSlot[level] = slot;
      node = InnerNode.toOffset(getInt(nodes, node + childrenOffset + ((long) slot << 2)));
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
    change.removeAt(node, slot);
    return previous;
  }

  @Override
  public void delete(long key) {
    remove(key);
  }

  /**
   * Removes the entries of a range by whole nodes. O(log n), and one line of each leaf that goes.
   */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return tree.removeRange(from, fromInclusive, to, toInclusive);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public LongCursor cursor() {
    tree.checkOpen();
    return prefetchDistance == 0
        ? new BPlusCursor(tree)
        : new PrefetchingCursor(tree, prefetchDistance);
  }
}
