// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getLongAcquire;
import static dev.espalier.memory.Words.putLong;
import static dev.espalier.memory.Words.putLongRelease;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntryRanges;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryUse;
import dev.espalier.tree.IndexStructure;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a {@link ConcurrentPbPlusTree}: how a node is found and latched, and all that
 * concerns the whole. What is done to a leaf is {@link LeafWriter}'s, splits are {@link
 * NodeSplit}'s, nodes that have become too small {@link NodeRefill}'s.
 */
final class ConcurrentStructure extends IndexStructure {
  /* Overview
   *
   * The B+-tree of BPlusStructure, with optimistic lock coupling (Leis and others, 2016). The first
   * word of each node has its version and its latch (Versions).
   *
   *   Search. Readers latch nothing and write nothing. They read the word of a node, then what they
   *   need of the node, and look whether the word is still the same; if not, they begin again at the
   *   root. They look again after they have read the child's word, so that parent and child were read
   *   as they were together. The offset of the child may be nonsense then, and beyond the memory:
   *   that is one more way to fail. Writers also look before they follow it. Whoever has begun again
   *   too often takes latches on the way down, one after the other.
   *   Inner nodes seldom change. So the first attempt does without all that: it reads how many changes of
   *   inner nodes there were, goes down, reads the leaf's word, and looks whether there was another
   *   change, or one under way at the beginning. If not, the inner nodes are as they were all the
   *   time, and when the word was read, the leaf was the key's. That costs an inner node nothing.
   *   Insert. A writer goes down like a reader, and latches the leaf by exchanging its word, which
   *   fails if that has changed. If the leaf is full, NodeSplit latches the parent and the leaf. A
   *   full parent is split first, so a split never climbs with latches.
   *   Delete. If a leaf falls below its minimum, NodeRefill latches the parent, the leaf and a sibling
   *   and merges the two, or shares their entries evenly. Then comes the parent, in the same way.
   *
   * A change of several nodes is made in steps, each of one node, and the tree is right after each:
   * first entries get to where they will be, then the parent says so, then they leave where they
   * were. What is in two nodes meanwhile is the same in both, as both are latched. So a writer that is
   * stopped between two steps stops no reader:
   *
   *     split       [a b c d]            [a b c d] [c d]         [a b c d] [c d]        [a b] [c d]
   *     parent      ... d ...             ... d ...               ... b d ...            ... b d ...
   *
   * Latches are taken from parents to children, and from left to right on a level.
   *
   * The word of the root is in the first line of the memory: the root's offset, and in its lower bits
   * its level. Beside it is the count of changes of inner nodes and of the root, and how many of these
   * are under way.
   *
   *   Append. Beside the root's word is also where the last leaf is, and a key from which on all keys
   *   belong to it. Both change only while that leaf is latched. So a writer of such a key needs no
   *   descent: it reads the leaf's word, looks whether that leaf is still the last, and latches it if
   *   the word has not changed since.
   *
   * A node that leaves the tree is marked as gone, and may be used again at once: its version goes on.
   * Snapshots share the nodes with the tree: a node that they need is copied before it is changed or
   * freed (SnapshotStructure).
   *
   * What replaces the whole tree, or moves its memory, keeps writers out (WriterGate). Readers come
   * upon memory that was freed, which throws, and begin again in the new one.
   *
   * Invariants, checked by ConcurrentVerifier while nobody writes:
   *   I1  Keys in a leaf ascend strictly; so do separators in an inner node.
   *   I2  Keys below child i are above separator i-1 and not above separator i, at every level.
   *   I3  The level of the root is from 0 to the most there can be.
   *   I4  A node's count is from 0 to its capacity; only the root leaf may be empty, and every inner
   *       node has a separator.
   *   I5  A leaf holds at least half its capacity, and an inner node half of one less, but for the
   *       root and the last node of a level. Where a merge was refused for lack of memory to keep nodes
   *       for a snapshot, nodes may be thinner, and leaves empty (hasThinNodes), until all is rebuilt.
   *   I6  The size is the number of entries in the leaves.
   *   I7  No node is latched, being changed or gone, and no change is counted as under way.
   *   I8  Unused key slots, and those that pad a key array to whole lines, hold the padding.
   *   I9  Nodes lie within the memory given out, on line boundaries, and no two share a line.
   *   I10 The bytes of the nodes are the bytes that the pool has given out and not taken back.
   *   I11 LAST_LEAF is the last leaf, and no key from LAST_LEAF_FROM on belongs to another.
   *
   * Deviations:
   *   D1  Optimistic lock coupling has one lock, which keeps readers off. Here the latch is for
   *       writers, and readers wait only while the bytes of one node change.
   *   D2  Full inner nodes on the way are split only when a node below them has to be.
   *   D3  Inner nodes are not chained, unlike those of BPlusStructure: a chain would have to be changed
   *       in nodes that are not latched.
   */

  /** More levels than 2^32 lines of nodes with two children can have. */
  static final int MAX_HEIGHT = 36;

  /** Where the root's word is: no node lies in the first lines of the memory. */
  static final long ROOT = 0;

  /** Where the changes of inner nodes are counted: beside the root's word, which is read anyway. */
  static final long CHANGES = Long.BYTES;

  /** Where the place of the last leaf is; changes only with that leaf's latch. */
  static final long LAST_LEAF = 2 * Long.BYTES;

  /** Where a key is from which on all keys belong to the last leaf; changes likewise. */
  static final long LAST_LEAF_FROM = 3 * Long.BYTES;

  /** The bits of the root's word that are its level: those that are 0 in the offset of a line. */
  static final long LEVEL_MASK = CacheLine.BYTES - 1;

  /** How often an operation begins again before it latches its way. */
  static final int OPTIMISTIC_TRIES = 16;

  /** What {@link #latch} returns if the tree has no such level. */
  static final long NO_SUCH_LEVEL = 0;

  /** In what {@link #latch} returns: the node is the last of its level. */
  static final long LAST_OF_LEVEL = 1;

  private static final long AGAIN = -1;

  final IndexOptions options;
  final VersionedLeaf leaf;
  final VersionedInner inner;
  final NodePool pool;
  final WriterGate gate;
  final NodeSplit splits;
  final NodeRefill refills;
  final Snapshots snapshots;

  /** Told before each step of a change of several nodes. */
  Runnable beforeStep = () -> {};

  /** Told before a search for the nearest entry goes on to the next leaf. */
  Runnable beforeNeighbour = () -> {};

  /** The nodes. May be those of memory that has been freed since; then reading them throws. */
  MemorySegment nodes;

  /** Address of the nodes' first byte, for prefetching. */
  long base;

  /** Counts how often all nodes were replaced. */
  volatile long replacements;

  final LongAdder size = new LongAdder();

  /**
   * Whether nodes may have less than their minimum, because there was no memory to keep what a
   * snapshot needs of their siblings.
   */
  volatile boolean hasThinNodes;

  /** Whether there was ever a cursor, which wants to know of its thread's changes. */
  private boolean hasCursors;

  private final ThreadLocal<long[]> ownChanges = ThreadLocal.withInitial(() -> new long[1]);

  ConcurrentStructure(IndexOptions options, int innerWidth, int leafWidth) {
    this.options = Objects.requireNonNull(options, "options");
    this.leaf = new VersionedLeaf(leafWidth);
    this.inner = new VersionedInner(innerWidth);
    this.pool = new NodePool(options);
    this.gate = new WriterGate(this::isClosed);
    this.splits = new NodeSplit(this);
    this.refills = new NodeRefill(this);
    this.snapshots = new Snapshots(this);
    this.nodes = pool.segment();
    plant();
  }

  /** Makes the empty tree in memory without nodes. */
  private void plant() {
    long node = pool.takeOrMove(leaf.width);
    leaf.initialize(pool.segment(), node);
    Versions.unlatch(pool.segment(), node);
    setRoot(pool.segment(), node, 0);
    setLastLeaf(pool.segment(), node, Long.MIN_VALUE);
    followMemory();
  }

  /** Lets everybody see where the nodes are now, and what they are. */
  void followMemory() {
    VarHandle.releaseFence();
    base = pool.segment().address();
    nodes = pool.segment();
  }

  /** Takes a latched node, for a thread that has the tree alone; the memory may move. */
  long takeOrMove(int width) {
    long node = pool.takeOrMove(width);
    followMemory();
    return node;
  }

  /**
   * Adds a node of a width to those that are free, unless the width is 0; from outside a write. A
   * split may need two, and comes back for the second.
   */
  void makeRoom(int width) {
    if (width == NodeSplit.ROOM) {
      return;
    }
    gate.alone(
        () -> {
          pool.add(width);
          followMemory();
        });
  }

  // ---------------------------------------------------------------- root

  void setRoot(MemorySegment memory, long node, int level) {
    Versions.countBegin(memory, CHANGES);
    putLongRelease(memory, ROOT, node | level);
    Versions.countEnd(memory, CHANGES);
  }

  /** Notes the last leaf, for a thread that has it and the one before latched, or is alone. */
  void setLastLeaf(MemorySegment memory, long node, long from) {
    putLong(memory, LAST_LEAF, node);
    putLong(memory, LAST_LEAF_FROM, from);
  }

  /** Tells whether a latched node is the last leaf. */
  static boolean isLastLeaf(MemorySegment memory, long node) {
    return getLong(memory, LAST_LEAF) == node;
  }

  static int levelOf(long root) {
    return (int) (root & LEVEL_MASK);
  }

  static long nodeOf(long root) {
    return root & ~LEVEL_MASK;
  }

  // ---------------------------------------------------------------- latch

  /**
   * Latches the node of a level that covers a key; within a write.
   *
   * @return the node; {@link #LAST_OF_LEVEL} is added for a level above 0 if that is so; {@link
   *     #NO_SUCH_LEVEL} if the tree is lower
   */
  long latch(int level, long key) {
    for (int tries = 0; ; tries++) {
      long found =
          tries == 0 && level == 0
              ? tryLatchFirst(key)
              : tries < OPTIMISTIC_TRIES ? tryLatch(level, key) : latchOnTheWay(level, key);
      if (found != AGAIN) {
        return found;
      }
      Versions.pause(tries);
    }
  }

  private long tryLatchFirst(long key) {
    long last = tryLatchLast(key);
    return last != AGAIN ? last : tryLatchLeaf(key);
  }

  /** Latches the last leaf, if it is known to cover a key, without a descent. */
  private long tryLatchLast(long key) {
    MemorySegment memory = nodes;
    if (key < getLong(memory, LAST_LEAF_FROM)) {
      return AGAIN;
    }
    long node = getLong(memory, LAST_LEAF);
    long word = Versions.read(memory, node);
    boolean isLast =
        getLong(memory, LAST_LEAF) == node
            && key >= getLong(memory, LAST_LEAF_FROM)
            && Versions.isReadable(word);
    return isLast && Versions.tryLatch(memory, node, word) ? node : AGAIN;
  }

  /** Goes down without a look back, as {@link ConcurrentPbPlusTree} does. */
  private long tryLatchLeaf(long key) {
    MemorySegment memory = nodes;
    try {
      long changes = getLongAcquire(memory, CHANGES);
      long root = getLong(memory, ROOT);
      long node = nodeOf(root);
      for (int level = levelOf(root); level > 0; level--) {
        node = inner.childFor(memory, node, key);
      }
      long word = getLong(memory, node);
      boolean isFound = Versions.noneSince(memory, CHANGES, changes) && Versions.isReadable(word);
      return isFound && Versions.tryLatch(memory, node, word) ? node : AGAIN;
    } catch (IndexOutOfBoundsException _) {
      return AGAIN; // What was read of a node is nonsense.
    }
  }

  private long tryLatch(int level, long key) {
    MemorySegment memory = nodes;
    long root = getLongAcquire(memory, ROOT);
    int at = levelOf(root);
    if (at < level) {
      return NO_SUCH_LEVEL;
    }
    long node = nodeOf(root);
    long word = Versions.read(memory, node);
    if (!Versions.isReadable(word) || getLong(memory, ROOT) != root) {
      return AGAIN;
    }
    long last = level == 0 ? 0 : LAST_OF_LEVEL;
    for (; at > level; at--) {
      int slot = inner.search(memory, node, key);
      if (level > 0 && slot < inner.count(memory, node)) {
        last = 0;
      }
      long child = inner.child(memory, node, slot);
      if (!Versions.isStill(memory, node, word)) {
        return AGAIN;
      }
      long childWord = Versions.read(memory, child);
      if (!Versions.isStill(memory, node, word) || !Versions.isReadable(childWord)) {
        return AGAIN;
      }
      node = child;
      word = childWord;
    }
    return Versions.tryLatch(memory, node, word) ? node | last : AGAIN;
  }

  /** Latches each node on the way, and gives back the one above. */
  private long latchOnTheWay(int level, long key) {
    MemorySegment memory = nodes;
    long root = getLongAcquire(memory, ROOT);
    int at = levelOf(root);
    if (at < level) {
      return NO_SUCH_LEVEL;
    }
    long node = nodeOf(root);
    if (!Versions.latch(memory, node)) {
      return AGAIN;
    }
    if (getLong(memory, ROOT) != root) {
      Versions.unlatch(memory, node);
      return AGAIN;
    }
    long last = level == 0 ? 0 : LAST_OF_LEVEL;
    for (; at > level; at--) {
      int slot = inner.search(memory, node, key);
      if (slot < inner.count(memory, node)) {
        last = 0;
      }
      long child = inner.child(memory, node, slot);
      Versions.latch(memory, child); // It can't be gone while its parent is latched.
      Versions.unlatch(memory, node);
      node = child;
    }
    return node | last;
  }

  // ---------------------------------------------------------------- changes

  /** Begins a step of a change of several nodes, which changes one that is latched. */
  void beginStep(long node) {
    beforeStep.run();
    Versions.beginChange(nodes, node);
  }

  void endStep(long node) {
    Versions.endChange(nodes, node);
  }

  /** As {@link #beginStep}, of an inner node. */
  void beginInnerStep(long node) {
    beforeStep.run();
    Versions.countBegin(nodes, CHANGES);
    Versions.beginChange(nodes, node);
  }

  void endInnerStep(long node) {
    Versions.endChange(nodes, node);
    Versions.countEnd(nodes, CHANGES);
  }

  /** Counts a change that the cursors of this thread are to see. */
  void noteOwnChange() {
    if (hasCursors) {
      ownChanges.get()[0]++;
    }
  }

  /** Returns the count of the changes that this thread has made since there was a cursor. */
  long[] ownChanges() {
    return ownChanges.get();
  }

  // ---------------------------------------------------------------- the whole

  /** A removal may be counted before the insert that it undoes. */
  @Override
  public long size() {
    return Math.max(0, size.sum());
  }

  /** Looks for an entry if there seems to be none: the counts of threads are read one by one. */
  @Override
  public boolean isEmpty() {
    return size() == 0 && !new ConcurrentCursor(this).first();
  }

  @Override
  public void clear() {
    checkOpen();
    gate.alone(this::clearAlone);
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread has the tree alone.
  void clearAlone() {
    if (snapshots.areAttached()) {
      snapshots.takeMemory();
    } else {
      pool.clear();
    }
    size.reset();
    hasThinNodes = false;
    plant();
    replacements++;
    noteOwnChange();
  }

  @Override
  public LongCursor cursor() {
    hasCursors = true;
    return new ConcurrentCursor(this);
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread has the tree alone.
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    checkOpen();
    gate.alone(
        () -> {
          ConcurrentBulkload bulkload = new ConcurrentBulkload(this, fillFactor);
          beginAnew();
          bulkload.load(entries, total, listener);
          replacements++;
          noteOwnChange();
        });
  }

  /** As {@code bulkload}, with several threads, in new memory. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread has the tree alone.
  void bulkload(
      LongEntryRanges entries, double fillFactor, int threads, ProgressListener listener) {
    checkOpen();
    gate.alone(
        () -> {
          ConcurrentBulkload bulkload = new ConcurrentBulkload(this, fillFactor);
          clearAlone();
          bulkload.load(entries, threads, listener);
          replacements++;
          noteOwnChange();
        });
  }

  /** Gives an empty tree one leaf, and no nodes that a snapshot needs. */
  private void beginAnew() {
    if (hasThinNodes || snapshots.areAttached()) {
      clearAlone();
    }
  }

  @Override
  public void verify(ProgressListener listener) {
    checkOpen();
    gate.alone(() -> ConcurrentVerifier.verify(this, listener));
  }

  @Override
  public long shrink(ProgressListener listener) {
    checkOpen();
    long[] given = new long[1];
    gate.alone(() -> given[0] = snapshots.areAttached() ? 0 : super.shrink(listener));
    return given[0];
  }

  @Override
  protected long memoryLimit() {
    return pool.memory().limit();
  }

  @Override
  protected @Nullable IndexStructure twin(long limit) {
    return limit < IndexOptions.MIN_MEMORY_LIMIT
        ? null
        : new ConcurrentStructure(options.withMemoryLimit(limit), inner.width, leaf.width);
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread has the tree alone.
  protected void adopt(IndexStructure twin) {
    pool.adopt(((ConcurrentStructure) twin).pool);
    hasThinNodes = false;
    followMemory();
    replacements++;
    noteOwnChange();
  }

  @Override
  public <T> T whileNodesStay(Supplier<T> look) {
    checkOpen();
    List<T> seen = new ArrayList<>(1);
    gate.alone(() -> seen.add(look.get()));
    return seen.getFirst();
  }

  @Override
  public NodeView rootView() {
    long root = getLongAcquire(nodes, ROOT);
    return view(nodeOf(root), levelOf(root));
  }

  private NodeView view(long node, int level) {
    if (level == 0) {
      int count = NodeView.checkedCount("I4", node, 0, leaf.count(nodes, node), 0, leaf.capacity);
      return NodeView.leaf(
          node,
          leaf.bytes,
          count,
          leaf.capacity,
          i -> leaf.key(nodes, node, i),
          i -> leaf.value(nodes, node, i));
    }
    int count =
        NodeView.checkedCount("I4", node, level, inner.count(nodes, node), 0, inner.capacity);
    return NodeView.inner(
        node,
        inner.bytes,
        level,
        count,
        inner.capacity,
        i -> inner.key(nodes, node, i),
        i -> view(inner.child(nodes, node, i), level - 1));
  }

  @Override
  public MemoryUse memory() {
    return pool;
  }

  @Override
  public boolean isClosed() {
    return pool.memory().isClosed();
  }

  @Override
  public void close() {
    pool.memory().close();
    snapshots.closeAll();
  }
}
