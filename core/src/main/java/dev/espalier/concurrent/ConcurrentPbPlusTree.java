// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getLongAcquire;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.IndexOptions;
import dev.espalier.LongEntry;
import dev.espalier.LongEntryRanges;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.memory.NodeMemory;
import dev.espalier.memory.Words;
import dev.espalier.model.MemoryTimes;
import dev.espalier.node.Bits;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.ClosedRange;
import dev.espalier.support.Wanted;
import dev.espalier.tree.AbstractIndex;
import dev.espalier.tree.OneLevel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The pB+-tree with optimistic lock coupling: a {@link PbPlusTree} that any number of threads may
 * read and write at once, without a lock around it; {@link #withReadWriteLock()} returns the tree
 * itself.
 *
 * <p>{@code get}, {@code containsKey}, {@code put}, {@code putIfAbsent}, {@code set}, {@code
 * remove}, {@code delete}, {@code insert}, {@code replace}, {@code computeIfAbsent}, {@code
 * compute}, {@code merge} and {@code addTo} each take effect atomically. Readers write nothing that
 * others read, so they do not slow one another down. They wait for a writer only while it is
 * changing the bytes of a node that they read; if a node has changed since they read it, they read
 * it again. Writers latch one leaf, and for splits and merges its parent and a sibling. {@code
 * getAll} and {@code putAll} take effect key by key. Methods of {@link #asMap} that work on one
 * entry are atomic.
 *
 * <p>A cursor goes from leaf to leaf, and sees each as it was at one moment: it misses no entry
 * that was present throughout, and reports none twice, but may or may not see what others write
 * meanwhile. A run may have the entries of several leaves. The key and the value of its current
 * entry are as they were when the cursor moved there, though another thread may have removed the
 * entry since. {@link #size} counts what was inserted and removed, in O(threads) time. {@link
 * #clear}, {@link #bulkload}, {@link #shrink}, {@link #statistics} and {@link #verify} keep writers
 * out; readers go on. The first three free memory, and the JVM (25) sets the interrupt status of a
 * thread that is reading it at that moment. Use {@link #rootView}, a view of the nodes, only while
 * nobody changes the tree.
 *
 * <p>An empty tree has 4 KiB. With native access on Linux, address space is reserved when that is
 * full, up to the limit or 16 GiB, and memory is taken as the tree grows. Otherwise the memory
 * moves now and then, which keeps writers out for a moment; old memory that readers may still be
 * looking at is kept until the tree is closed or cleared, and can take up to as much space again.
 *
 * <p>Operations on one key take O(log n) time, with one memory latency per level. Writes to the
 * last leaf, such as puts of ascending keys, need no descent. Leaves have as many entries as those
 * of a {@code PbPlusTree}: a full tree takes 16.9 bytes per entry.
 *
 * <p>After V. Leis, F. Scheibner, A. Kemper and T. Neumann, The ART of Practical Synchronization,
 * DaMoN 2016.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class ConcurrentPbPlusTree extends AbstractIndex implements ConcurrentLongIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of ConcurrentStructure; what a writer does is in
   * LeafWriter, and how a group of keys is searched in ProbeGroups. Here is the search of one key.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "ConcurrentPbPlusTree",
          "Leis et al. 2016",
          ConcurrentPbPlusTree::create,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** What {@link #tryNearest} says if it has to begin again. */
  private static final int HAS_CHANGED = -1;

  final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;
  private final LeafWriter writer;
  final ProbeGroups groups;

  /**
   * The proportions of the tree.
   *
   * @param innerWidth width of an inner node, in cache lines
   * @param leafWidth width of a leaf, in cache lines
   */
  public record Geometry(int innerWidth, int leafWidth) {
    /** The geometry for single lookups with {@linkplain MemoryTimes#TYPICAL typical memory}. */
    public static final Geometry DEFAULT = forSingleProbes(MemoryTimes.TYPICAL);

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      checkWidth("innerWidth", innerWidth);
      checkWidth("leafWidth", leafWidth);
    }

    private static void checkWidth(String name, int width) {
      if (width < 1 || width > NodeMemory.MAX_LINES) {
        throw new IllegalArgumentException(
            name + " is " + width + " lines; it must be from 1 to " + NodeMemory.MAX_LINES);
      }
    }

    /** Returns the geometry that a {@link PbPlusTree} has for single lookups. */
    public static Geometry forSingleProbes(MemoryTimes times) {
      PbPlusTree.Geometry geometry = PbPlusTree.Geometry.forSingleProbes(times);
      return new Geometry(geometry.innerWidth(), geometry.leafWidth());
    }
  }

  private ConcurrentPbPlusTree(IndexOptions options, Geometry geometry) {
    ConcurrentStructure tree =
        new ConcurrentStructure(options, geometry.innerWidth, geometry.leafWidth);
    super(VARIANT, tree, options);
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.writer = new LeafWriter(tree);
    this.groups = new ProbeGroups(tree, missingValue);
    probesGoThrough(new Probes());
  }

  /** Creates an empty tree with the geometry for single lookups on this machine. */
  public static ConcurrentPbPlusTree create(IndexOptions options) {
    return create(options, Geometry.forSingleProbes(MemoryTimes.ofThisMachine()));
  }

  /** Creates an empty tree. */
  public static ConcurrentPbPlusTree create(IndexOptions options, Geometry geometry) {
    return new ConcurrentPbPlusTree(options, geometry);
  }

  /** Returns this index, which takes any number of readers and writers at once. */
  @Override
  public LongIndex withReadWriteLock() {
    return this;
  }

  // ---------------------------------------------------------------- snapshot

  /**
   * Returns a snapshot of all entries as they are at this moment, which any number of threads may
   * read while others go on writing to this tree. Takes a few microseconds, plus one for each 100
   * MiB of the tree, during which writers are kept out.
   *
   * <p>The snapshot shares the nodes of this tree. The first change to a node after the snapshot
   * was taken copies the node beforehand; each open snapshot has its own copies. The copies count
   * against the memory limit of this tree: a write that finds no memory for its copy throws {@link
   * dev.espalier.memory.MemoryLimitException}, and changes nothing. A removal is not refused: its
   * copies may exceed the limit, for each open snapshot by up to the bytes that the tree had, until
   * the snapshot is closed; until then, the tree gets no more memory. {@link #clear} leaves the
   * tree's memory to the snapshots, and is not refused either: what an empty tree needs may exceed
   * the limit. {@link #shrink} does nothing while a snapshot shares it. The {@link #statistics()}
   * of the snapshot report the memory of its copies.
   *
   * <p>Close the snapshot to free the copies. Closing this tree also closes it. All its write
   * methods throw an {@link UnsupportedOperationException}.
   *
   * @throws IllegalStateException if this tree is closed
   */
  public LongIndex snapshot() {
    return new SnapshotIndex(tree.snapshots.take(), tree.options);
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
   * Returns the value of a key, or the default value: descends without checking on the way, and
   * then checks whether any inner node has changed meanwhile.
   *
   * @param wanted what is {@linkplain Wanted asked for}
   */
  private long look(long key, long defaultValue, long @Nullable [] wanted) {
    try {
      MemorySegment nodes = tree.nodes;
      long changes = getLongAcquire(nodes, ConcurrentStructure.CHANGES);
      long root = getLong(nodes, ConcurrentStructure.ROOT);
      long node = ConcurrentStructure.nodeOf(root);
      for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
        node = inner.childFor(nodes, node, key);
      }
      prefetchValues(node);
      long word = getLong(nodes, node);
      if (Versions.noneSince(nodes, ConcurrentStructure.CHANGES, changes)
          && Versions.isReadable(word)) {
        int slot = leaf.search(nodes, node, key);
        boolean isThere = leaf.holds(nodes, node, slot, key);
        long value = isThere ? leaf.value(nodes, node, slot) : defaultValue;
        if (Versions.isStill(nodes, node, word)) {
          return isThere ? Wanted.answer(value, wanted) : value;
        }
      }
    } catch (IllegalStateException | IndexOutOfBoundsException _) {
      tree.checkOpen(); // The memory has moved, or what was read of a node is nonsense.
    }
    return lookByLevel(key, defaultValue, wanted, 0);
  }

  /**
   * Does the same as {@link #look}, but checks at each level.
   *
   * @param wanted what is {@linkplain Wanted asked for}
   * @param tries how many attempts have failed
   */
  private long lookByLevel(long key, long defaultValue, long @Nullable [] wanted, int tries) {
    try {
      // What was read above is checked just before a node is read, so that HotSpot looks once for
      // both at the bounds of the memory and at the state of its arena.
      MemorySegment nodes = tree.nodes;
      long above = ConcurrentStructure.ROOT;
      long aboveWord = getLong(nodes, above);
      long node = ConcurrentStructure.nodeOf(aboveWord);
      long word = getLong(nodes, node);
      for (int level = ConcurrentStructure.levelOf(aboveWord); level > 0; level--) {
        if (!Versions.isStill(nodes, above, aboveWord) || !Versions.isReadable(word)) {
          return lookAgain(key, defaultValue, wanted, tries);
        }
        long child = inner.child(nodes, node, inner.search(nodes, node, key));
        above = node;
        aboveWord = word;
        node = child;
        word = getLong(nodes, child);
      }
      prefetchValues(node);
      if (Versions.isStill(nodes, above, aboveWord) && Versions.isReadable(word)) {
        int slot = leaf.search(nodes, node, key);
        boolean isThere = leaf.holds(nodes, node, slot, key);
        long value = isThere ? leaf.value(nodes, node, slot) : defaultValue;
        if (Versions.isStill(nodes, node, word)) {
          return isThere ? Wanted.answer(value, wanted) : value;
        }
      }
    } catch (IllegalStateException | IndexOutOfBoundsException _) {
      tree.checkOpen(); // The memory has moved, or what was read of a node is nonsense.
    }
    return lookAgain(key, defaultValue, wanted, tries);
  }

  private long lookAgain(long key, long defaultValue, long @Nullable [] wanted, int tries) {
    Versions.pause(tries);
    if (tries + 1 < ConcurrentStructure.OPTIMISTIC_TRIES) {
      return lookByLevel(key, defaultValue, wanted, tries + 1);
    }
    long[] value = new long[1];
    boolean isThere = writer.get(key, value, 0, defaultValue);
    return isThere ? Wanted.answer(value[0], wanted) : defaultValue;
  }

  // ---------------------------------------------------------------- neighbours

  /** As {@link #look}; if the leaf of the key has no entry on that side, looks on beside it. */
  @Override
  protected long nearest(long key, boolean upwards, @Nullable LongEntry entry) {
    try {
      MemorySegment nodes = tree.nodes;
      long changes = getLongAcquire(nodes, ConcurrentStructure.CHANGES);
      long root = getLong(nodes, ConcurrentStructure.ROOT);
      long node = ConcurrentStructure.nodeOf(root);
      for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
        node = inner.childFor(nodes, node, key);
      }
      prefetchValues(node);
      long word = getLong(nodes, node);
      if (Versions.noneSince(nodes, ConcurrentStructure.CHANGES, changes)
          && Versions.isReadable(word)) {
        int slot = slotOfNearest(nodes, node, key, upwards);
        if (slot >= 0) {
          long nearest = leaf.key(nodes, node, slot);
          long value = leaf.value(nodes, node, slot);
          if (Versions.isStill(nodes, node, word)) {
            return found(nearest, value, entry);
          }
        }
      }
    } catch (IllegalStateException | IndexOutOfBoundsException _) {
      tree.checkOpen(); // The memory has moved, or what was read of a node is nonsense.
    }
    LongEntry into = entry == null ? new LongEntry() : entry;
    for (int tries = 0; tries < ConcurrentStructure.OPTIMISTIC_TRIES; tries++) {
      try {
        int answer = tryNearest(key, upwards, into);
        if (answer != HAS_CHANGED) {
          return answer == 0 ? none(entry) : found(into.key(), into.value(), entry);
        }
      } catch (IllegalStateException | IndexOutOfBoundsException _) {
        tree.checkOpen();
      }
      Versions.pause(tries);
    }
    return super.nearest(key, upwards, entry);
  }

  /**
   * Finds the entry nearest to a key in its leaf or, if that has none on that side, beyond it, at
   * one moment: all leaves on the way are what they were when the last one is read.
   *
   * @return 1 if there is one, 0 if not, or {@link #HAS_CHANGED}
   */
  private int tryNearest(long key, boolean upwards, LongEntry entry) {
    MemorySegment nodes = tree.nodes;
    long[] passed = {}; // the leaves without such an entry, each with its word
    int passedLongs = 0;
    long from = key;
    while (true) {
      long changes = getLongAcquire(nodes, ConcurrentStructure.CHANGES);
      long root = getLong(nodes, ConcurrentStructure.ROOT);
      long node = ConcurrentStructure.nodeOf(root);
      boolean isAtEnd = true;
      long bound = 0;
      for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
        int slot = inner.search(nodes, node, from);
        if (upwards ? slot < inner.count(nodes, node) : slot > 0) {
          isAtEnd = false;
          bound = inner.key(nodes, node, upwards ? slot : slot - 1);
        }
        node = inner.child(nodes, node, slot);
      }
      long word = getLong(nodes, node);
      if (!Versions.noneSince(nodes, ConcurrentStructure.CHANGES, changes)
          || !Versions.isReadable(word)) {
        return HAS_CHANGED;
      }
      int slot = slotOfNearest(nodes, node, from, upwards);
      if (slot >= 0) {
        entry.set(leaf.key(nodes, node, slot), leaf.value(nodes, node, slot));
      }
      if (!Versions.isStill(nodes, node, word)) {
        return HAS_CHANGED;
      }
      if (slot >= 0 || isAtEnd) {
        return !areStill(nodes, passed, passedLongs) ? HAS_CHANGED : slot >= 0 ? 1 : 0;
      }
      if (passedLongs == passed.length) {
        passed = Arrays.copyOf(passed, Math.max(2, 2 * passedLongs));
      }
      passed[passedLongs++] = node;
      passed[passedLongs++] = word;
      from = upwards ? bound + 1 : bound;
      tree.beforeNeighbour.run();
    }
  }

  private static boolean areStill(MemorySegment nodes, long[] passed, int longs) {
    for (int i = 0; i < longs; i += 2) {
      if (!Versions.isStill(nodes, passed[i], passed[i + 1])) {
        return false;
      }
    }
    return true;
  }

  /** Returns the slot of the entry of a leaf that is nearest to a key, or -1. */
  private int slotOfNearest(MemorySegment nodes, long node, long key, boolean upwards) {
    int slot = leaf.search(nodes, node, key);
    int count = Math.min(leaf.count(nodes, node), leaf.capacity);
    if (upwards) {
      return slot < count ? slot : -1;
    }
    return slot < count && leaf.key(nodes, node, slot) == key ? slot : Math.min(slot, count) - 1;
  }

  /** Prefetches the lines that hold a leaf's values and count. */
  private void prefetchValues(long node) {
    Words.prefetch(tree.base + node + leaf.valuesOffset, leaf.valueLines, Locality.T0);
  }

  /** The tree as one level: probes can't wait on inner nodes, which others change meanwhile. */
  private final class Probes extends OneLevel {
    private final ThreadLocal<GroupRoom> rooms = ThreadLocal.withInitial(GroupRoom::new);

    @Override
    protected void checkOpen() {
      tree.checkOpen();
    }

    @Override
    protected long replacements() {
      return tree.replacements;
    }

    @Override
    public <T> T whileNodesStay(Supplier<T> look) {
      return tree.whileNodesStay(look);
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
      GroupRoom room = rooms.get();
      for (int done = 0; done < count; done += ProbeGroups.SIZE) {
        int group = Math.min(ProbeGroups.SIZE, count - done);
        long there = groups.answer(keys, keysFrom + done, values, valuesFrom + done, group, room);
        Bits.addGroup(found, foundFrom + done, there);
      }
    }
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

  /**
   * Fills this empty tree as {@link #bulkload(LongEntrySource, double, long, ProgressListener)}
   * does, but with several threads, each of which fills its own leaves. The resulting tree and the
   * exceptions are the same. All the threads call the listener, one at a time.
   *
   * @param threads the number of threads, including the caller's; at least 1
   * @throws IllegalArgumentException also if {@code threads} is less than 1, or a range does not
   *     have as many entries as were asked for
   */
  public void bulkload(
      LongEntryRanges entries, double fillFactor, int threads, ProgressListener listener) {
    Objects.requireNonNull(entries, "entries");
    Objects.requireNonNull(listener, "listener");
    if (threads < 1) {
      throw new IllegalArgumentException("threads is " + threads + "; it must be at least 1");
    }
    tree.bulkload(entries, fillFactor, threads, listener);
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

  /** Removes whole leaves, those below one parent together; see {@link ConcurrentLongIndex}. */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    ClosedRange range = ClosedRange.of(from, fromInclusive, to, toInclusive);
    tree.checkOpen();
    return range.isEmpty() ? 0 : new ConcurrentCut(tree, range.last()).removeFrom(range.first());
  }

  @Override
  public boolean pollFirst(LongEntry entry) {
    return writer.poll(true, entry) || ConcurrentLongIndex.super.pollFirst(entry);
  }

  @Override
  public boolean pollLast(LongEntry entry) {
    return writer.poll(false, entry) || ConcurrentLongIndex.super.pollLast(entry);
  }
}
