// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getLongAcquire;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.IndexOptions;
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
import dev.espalier.support.Wanted;
import dev.espalier.tree.AbstractIndex;
import dev.espalier.tree.OneLevel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The pB+-tree with optimistic lock coupling: a {@link PbPlusTree} that any number of threads may
 * read and write at once, without a lock around it; {@code withReadWriteLock} is not needed.
 *
 * <p>{@code get}, {@code containsKey}, {@code put}, {@code putIfAbsent}, {@code set}, {@code
 * remove}, {@code delete}, {@code insert}, {@code replace}, {@code computeIfAbsent}, {@code merge}
 * and {@code addAndGet} each take effect atomically. Readers write nothing that others read, so
 * they do not slow one another down. They wait for a writer only while it is changing the bytes of
 * a node that they read; if a node has changed since they read it, they read it again. Writers
 * latch one leaf, and for splits and merges its parent and a sibling. {@code getAll} and {@code
 * putAll} take effect key by key. Methods of {@link #asMap} that work on one entry are atomic.
 *
 * <p>A cursor goes from leaf to leaf, and sees each as it was at one moment: it misses no entry
 * that was present throughout, and reports none twice, but may or may not see what others write
 * meanwhile. The key and the value of its current entry are as they were when the cursor moved
 * there, though another thread may have removed the entry since. {@link #size} counts what was
 * inserted and removed, in O(threads) time. {@link #clear}, {@link #bulkload}, {@link #shrink} and
 * {@link #verify} keep writers out; readers go on. The first three free memory, and the JVM (25)
 * sets the interrupt status of a thread that is reading it at that moment. Use {@link #rootView}, a
 * view of the nodes, only while nobody changes the tree.
 *
 * <p>With native access on Linux, the memory is reserved at the beginning, up to the limit or 16
 * GiB, and taken as the tree grows. Otherwise the memory moves now and then, which keeps writers
 * out for a moment; old memory that readers may still be looking at is kept until the tree is
 * closed or cleared, and can take up to as much space again.
 *
 * <p>Operations on one key take O(log n) time, with one memory latency per level. Leaves have as
 * many entries as those of a {@code PbPlusTree}: a full tree takes 16.9 bytes per entry.
 *
 * <p>After V. Leis, F. Scheibner, A. Kemper and T. Neumann, The ART of Practical Synchronization,
 * DaMoN 2016.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class ConcurrentPbPlusTree extends AbstractIndex implements ConcurrentLongIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of ConcurrentStructure; what a writer does is in
   * LeafWriter. Here are the searches, of one key and of a group of keys.
   *
   * A group goes down level by level, as in PbPlusTree, and the key lines of its nodes are prefetched
   * by one call. What the probes have read of their nodes is checked for all of them together, after one
   * fence. A probe that fails is answered by itself at the end.
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

  /** Number of probes that descend together: their key lines fit into the first-level cache. */
  static final int GROUP = 64;

  final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;
  private final LeafWriter writer;

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

  // ---------------------------------------------------------------- snapshot

  /**
   * Returns a snapshot of all entries as they are at this moment, which any number of threads may
   * read while others go on writing to this tree. Takes a few microseconds, plus one for each 100
   * MiB of the tree, during which writers are kept out.
   *
   * <p>The snapshot shares the nodes of this tree. The first change to a node after the snapshot
   * was taken copies the node beforehand; each open snapshot has its own copies. The copies count
   * against the memory limit of this tree: a write that finds no memory for its copy throws {@link
   * dev.espalier.memory.MemoryLimitException}, and changes nothing. {@link #clear} leaves the
   * tree's memory to the snapshots; {@link #shrink} does nothing while a snapshot shares it. The
   * {@link #statistics()} of the snapshot report the memory of its copies.
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
      for (int done = 0; done < count; done += GROUP) {
        int group = Math.min(GROUP, count - done);
        long there = answerGroup(keys, keysFrom + done, values, valuesFrom + done, group, room);
        Bits.addGroup(found, foundFrom + done, there);
      }
    }
  }

  /**
   * Looks up at most {@link #GROUP} keys together, and then looks up those whose nodes have changed
   * meanwhile one by one.
   *
   * @return which keys are present, as a bit set
   */
  private long answerGroup(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, GroupRoom room) {
    long answered = tryGroup(keys, keysFrom, values, valuesFrom, count, room);
    long there = room.there & answered; // Of a group that was broken off, it knows nothing.
    for (long left = ~answered & -1L >>> (GROUP - count); left != 0; left &= left - 1) {
      int i = Long.numberOfTrailingZeros(left);
      if (answerOne(keys, keysFrom + i, values, valuesFrom + i, room)) {
        there |= 1L << i;
      }
    }
    return there;
  }

  private boolean answerOne(long[] keys, int keyAt, long[] values, int valueAt, GroupRoom room) {
    for (int tries = 0; tries < ConcurrentStructure.OPTIMISTIC_TRIES; tries++) {
      if (tryGroup(keys, keyAt, values, valueAt, 1, room) != 0) {
        return room.there != 0;
      }
      Versions.pause(tries);
    }
    return writer.get(keys[keyAt], values, valueAt, missingValue);
  }

  /**
   * Looks up keys together, and notes in {@code room} which are present.
   *
   * @return which probes are answered, as a bit set
   */
  private long tryGroup(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, GroupRoom room) {
    try {
      MemorySegment nodes = tree.nodes;
      long right = findLeaves(nodes, keys, keysFrom, values, valuesFrom, count, room);
      findSlots(nodes, keys, keysFrom, values, valuesFrom, count, room);
      int toValue = leaf.valuesOffset - VersionedLeaf.KEYS_OFFSET;
      Words.prefetchGroup(tree.base + toValue, values, valuesFrom, count, 1);
      long there = 0;
      for (int i = 0; i < count; i++) {
        long place = values[valuesFrom + i];
        boolean isThere = leaf.holdsAt(nodes, room.nodes[i], place, keys[keysFrom + i]);
        room.read[i] = isThere ? getLong(nodes, place + toValue) : missingValue;
        there |= isThere ? 1L << i : 0;
      }
      right &= unchanged(nodes, count, room);
      for (long left = right; left != 0; left &= left - 1) {
        int i = Long.numberOfTrailingZeros(left);
        values[valuesFrom + i] = room.read[i];
      }
      room.there = there & right;
      return right;
    } catch (IllegalStateException | IndexOutOfBoundsException _) {
      tree.checkOpen(); // The memory has moved, or what was read of a node is nonsense.
      return 0;
    }
  }

  /** Returns which probes have read nodes that have not changed since, as a bit set. */
  private static long unchanged(MemorySegment nodes, int count, GroupRoom room) {
    Versions.endReads();
    long unchanged = 0;
    for (int i = 0; i < count; i++) {
      unchanged |= Versions.is(nodes, room.nodes[i], room.words[i]) ? 1L << i : 0;
    }
    return unchanged;
  }

  /** Replaces the leaves of a group of probes by the places of their keys. */
  private void findSlots(
      MemorySegment nodes,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      GroupRoom room) {
    for (int i = 0; i < count; i++) {
      long node = places[placesFrom + i];
      room.nodes[i] = node;
      places[placesFrom + i] = leaf.place(node, leaf.search(nodes, node, keys[keysFrom + i]));
    }
  }

  /**
   * Takes a group of probes down to their leaves, whose key lines it prefetches. A probe that fails
   * goes on from the root, to wherever.
   *
   * @param places receives the leaves
   * @return which probes have reached their leaves, as a bit set; the words of their leaves are
   *     known
   */
  private long findLeaves(
      MemorySegment nodes,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      GroupRoom room) {
    long root = getLongAcquire(nodes, ConcurrentStructure.ROOT);
    long rootNode = ConcurrentStructure.nodeOf(root);
    long rootWord = getLong(nodes, rootNode);
    Arrays.fill(places, placesFrom, placesFrom + count, rootNode);
    Arrays.fill(room.words, 0, count, rootWord);
    long all = -1L >>> (GROUP - count);
    boolean isRoot =
        Versions.isReadable(rootWord) && Versions.isStill(nodes, ConcurrentStructure.ROOT, root);
    long right = isRoot ? all : 0;
    for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
      for (int i = 0; i < count; i++) {
        long node = places[placesFrom + i];
        room.nodes[i] = node;
        places[placesFrom + i] =
            inner.child(nodes, node, inner.search(nodes, node, keys[keysFrom + i]));
      }
      if (level <= 2) {
        int lines = level == 1 ? leaf.keyLines : inner.keyLines;
        Words.prefetchGroup(tree.base, places, placesFrom, count, lines);
      }
      long readable = 0;
      for (int i = 0; i < count; i++) {
        long word = getLong(nodes, places[placesFrom + i]);
        room.read[i] = word;
        readable |= Versions.isReadable(word) ? 1L << i : 0;
      }
      right &= readable & unchanged(nodes, count, room);
      System.arraycopy(room.read, 0, room.words, 0, count);
      for (long failed = all & ~right; failed != 0; failed &= failed - 1) {
        places[placesFrom + Long.numberOfTrailingZeros(failed)] = rootNode;
      }
    }
    return right;
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

  /**
   * Returns the value of a key, after storing a computed value if the key is absent. The function
   * is called with the key, at most once, and no latch is held meanwhile; if another thread inserts
   * the key first, the computed value is dropped.
   *
   * @return the existing value, or the one that was stored
   */
  public long computeIfAbsent(long key, LongUnaryOperator function) {
    Objects.requireNonNull(function, "function");
    boolean isComputed = false;
    long computed = 0;
    for (long absent = missingValue; ; absent = ~absent) {
      long value = look(key, absent, null);
      if (value != absent) {
        return value;
      }
      // The key is not there, or has the very value that says so: then the insertion finds it.
      if (!isComputed) {
        if (containsKey(key)) {
          continue;
        }
        computed = function.applyAsLong(key);
        isComputed = true;
      }
      if (writer.insert(key, computed)) {
        return computed;
      }
    }
  }

  /**
   * Combines the value of a key with another value, and stores the result; an absent key gets the
   * other value itself. The function is given the old value first, and then the other. No latch is
   * held while it is called, and it is called again if another thread has changed the value
   * meanwhile.
   *
   * @return the value that was stored
   */
  public long merge(long key, long value, LongBinaryOperator function) {
    Objects.requireNonNull(function, "function");
    for (long absent = value; ; absent = ~absent) {
      long before = look(key, absent, null);
      if (before == absent) {
        if (writer.insert(key, value)) {
          return value;
        }
      } else {
        long merged = function.applyAsLong(before, value);
        if (writer.replace(key, before, merged)) {
          return merged;
        }
      }
    }
  }

  /**
   * Atomically adds to the value of a key; an absent key counts as 0. The sum wraps around like
   * that of two {@code long} values.
   *
   * @return the value that was stored
   */
  public long addAndGet(long key, long delta) {
    return merge(key, delta, Long::sum);
  }
}
