// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getLong;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryUse;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.Wanted;
import dev.espalier.tree.IndexStructure;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The nodes of a {@link ConcurrentPbPlusTree} as they were at one moment. */
final class SnapshotStructure extends IndexStructure {
  /* Overview
   *
   * A snapshot is a root, a size, and the nodes of the tree that nobody has changed since. While it
   * was taken nobody wrote, so the nodes were whole, and no two had the same entries.
   *
   * A writer copies a node that it has latched before it changes it for the first time since, or
   * frees it (NodeCopies). So a node is what it was when the snapshot was taken as long as it has no
   * copy, and a reader finds out in this order:
   *
   *     1. the word of the node   2. has it a copy?   3. the bytes of the node   4. the word again
   *
   * If there is a copy, it is what counts, and it never changes. If there was none after the word was
   * read, the word is one from before the first change, and so are the bytes if it is still the same.
   * A writer that is stopped while the node changes stops no reader: there is a copy by then.
   *
   * When the tree begins anew in other memory, clear leaves the memory to the snapshots, and the nodes
   * in it never change again. Readers look at the end whether the snapshot is still open, for otherwise
   * no more copies are made.
   *
   * Invariants, checked by SnapshotVerifier: I1, I2, I4, I6 and I9 of ConcurrentStructure.
   */

  private final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;
  final NodeCopies copies;
  final long root;
  final int rootLevel;
  private final long size;

  /** The end of the memory in which nodes were. */
  final long end;

  /** The memory in which the nodes are if the tree has left it. */
  Snapshots.@Nullable FormerMemory former;

  private volatile boolean isReleased;

  final ChangeCount changes = new ChangeCount();

  /** Run between the reading of a node and the check that it is still the same. */
  Runnable beforeCheck = () -> {};

  /** Takes a tree as it is while nobody writes. */
  SnapshotStructure(ConcurrentStructure tree) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.copies = new NodeCopies(tree.pool);
    long word = getLong(tree.nodes, ConcurrentStructure.ROOT);
    this.root = ConcurrentStructure.nodeOf(word);
    this.rootLevel = ConcurrentStructure.levelOf(word);
    this.size = tree.size();
    this.end = tree.pool.memory().endOffset();
  }

  // ---------------------------------------------------------------- read

  /** Returns the memory in which the nodes are, which the tree may leave at any moment. */
  private MemorySegment home() {
    MemorySegment nodes = tree.nodes;
    Versions.endReads(); // Whoever sees the tree's other memory sees that it has left this one.
    Snapshots.FormerMemory left = former;
    return left == null ? nodes : left.segment();
  }

  /**
   * Tells whether what was read of a node without a copy is what it was when the snapshot was
   * taken.
   *
   * @param word its word, read before anything else
   */
  private boolean isRight(MemorySegment nodes, long node, long word) {
    beforeCheck.run();
    return Versions.isStill(nodes, node, word) && !isReleased;
  }

  /**
   * Returns the child of a node that covers a key.
   *
   * @param bounds the lowest and the highest key of the node, and then of the child; may be null
   */
  long child(long node, long key, long @Nullable [] bounds) {
    for (int tries = 0; ; tries++) {
      try {
        MemorySegment nodes = home();
        long word = Versions.read(nodes, node);
        long copied = copies.placeOf(node);
        if (copied != NodeCopies.NONE) {
          nodes = copies.memoryOf(copied);
          return childIn(nodes, NodeCopies.offsetOf(copied), key, bounds);
        }
        if (Versions.isReadable(word)) {
          int slot = inner.search(nodes, node, key);
          long child = inner.child(nodes, node, slot);
          long low = slot > 0 ? inner.key(nodes, node, slot - 1) + 1 : Long.MIN_VALUE;
          boolean isLast = slot >= inner.count(nodes, node);
          long high = isLast ? Long.MAX_VALUE : inner.key(nodes, node, slot);
          if (isRight(nodes, node, word)) {
            narrow(bounds, low, high);
            return child;
          }
        }
      } catch (IllegalStateException | IndexOutOfBoundsException _) {
        checkOpen(); // The memory has moved, or what was read of a node is nonsense.
      }
      pause(tries);
    }
  }

  private long childIn(MemorySegment nodes, long node, long key, long @Nullable [] bounds) {
    int slot = inner.search(nodes, node, key);
    if (bounds != null) {
      boolean isLast = slot >= inner.count(nodes, node);
      narrow(
          bounds,
          slot > 0 ? inner.key(nodes, node, slot - 1) + 1 : Long.MIN_VALUE,
          isLast ? Long.MAX_VALUE : inner.key(nodes, node, slot));
    }
    return inner.child(nodes, node, slot);
  }

  private static void narrow(long @Nullable [] bounds, long low, long high) {
    if (bounds != null) {
      bounds[0] = Math.max(bounds[0], low);
      bounds[1] = Math.min(bounds[1], high);
    }
  }

  /**
   * Returns the value of a key, or the default value.
   *
   * @param wanted what is {@linkplain Wanted asked for}
   */
  long look(long key, long defaultValue, long @Nullable [] wanted) {
    checkOpen();
    long node = root;
    for (int level = rootLevel; level > 0; level--) {
      node = child(node, key, null);
    }
    for (int tries = 0; ; tries++) {
      try {
        MemorySegment nodes = home();
        long word = Versions.read(nodes, node);
        long copied = copies.placeOf(node);
        if (copied != NodeCopies.NONE) {
          nodes = copies.memoryOf(copied);
          return lookIn(nodes, NodeCopies.offsetOf(copied), key, defaultValue, wanted);
        }
        if (Versions.isReadable(word)) {
          long value = lookIn(nodes, node, key, defaultValue, wanted);
          if (isRight(nodes, node, word)) {
            return value;
          }
        }
      } catch (IllegalStateException | IndexOutOfBoundsException _) {
        checkOpen(); // The memory has moved, or what was read of a node is nonsense.
      }
      pause(tries);
    }
  }

  private long lookIn(
      MemorySegment nodes, long node, long key, long defaultValue, long @Nullable [] wanted) {
    int slot = leaf.search(nodes, node, key);
    if (!leaf.holds(nodes, node, slot, key)) {
      return defaultValue;
    }
    return Wanted.answer(leaf.value(nodes, node, slot), wanted);
  }

  /** Copies a node into memory of its size. */
  void read(long node, int width, MemorySegment image) {
    checkOpen();
    long bytes = (long) width << CacheLine.SHIFT;
    for (int tries = 0; ; tries++) {
      try {
        MemorySegment nodes = home();
        long word = Versions.read(nodes, node);
        long copied = copies.placeOf(node);
        if (copied != NodeCopies.NONE) {
          copy(copies.memoryOf(copied), NodeCopies.offsetOf(copied), image, 0, bytes);
          return;
        }
        if (Versions.isReadable(word)) {
          copy(nodes, node, image, 0, bytes);
          if (isRight(nodes, node, word)) {
            return;
          }
        }
      } catch (IllegalStateException _) {
        checkOpen(); // The memory has moved.
      }
      pause(tries);
    }
  }

  private void pause(int tries) {
    checkOpen();
    Versions.pause(tries);
  }

  VersionedLeaf leaf() {
    return leaf;
  }

  VersionedInner inner() {
    return inner;
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public long size() {
    return size;
  }

  @Override
  public void clear() {
    throw refusal();
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    throw refusal();
  }

  /** Returns what every write ends in, unless the snapshot is closed. */
  RuntimeException refusal() {
    checkOpen();
    return new UnsupportedOperationException("a snapshot takes no changes");
  }

  @Override
  public LongCursor cursor() {
    return new SnapshotCursor(this);
  }

  @Override
  public void verify(ProgressListener listener) {
    checkOpen();
    SnapshotVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    return view(root, rootLevel);
  }

  private NodeView view(long node, int level) {
    int width = level == 0 ? leaf.width : inner.width;
    MemorySegment image = MemorySegment.ofArray(new long[width * CacheLine.LONGS]);
    read(node, width, image);
    if (level == 0) {
      int count = NodeView.checkedCount("I4", node, 0, leaf.count(image, 0), 0, leaf.capacity);
      return NodeView.leaf(
          node,
          leaf.bytes,
          count,
          leaf.capacity,
          i -> leaf.key(image, 0, i),
          i -> leaf.value(image, 0, i));
    }
    int count = NodeView.checkedCount("I4", node, level, inner.count(image, 0), 0, inner.capacity);
    return NodeView.inner(
        node,
        inner.bytes,
        level,
        count,
        inner.capacity,
        i -> inner.key(image, 0, i),
        i -> view(inner.child(image, 0, i), level - 1));
  }

  /** Returns the memory of the copies. */
  @Override
  public MemoryUse memory() {
    return MemoryUse.of(copies.usedBytes(), copies.blockBytes(), false);
  }

  @Override
  public boolean isClosed() {
    return isReleased || tree.isClosed();
  }

  @Override
  public void close() {
    if (!isReleased) {
      tree.snapshots.close(this);
    }
  }

  /** Frees the copies, and lets cursors know. */
  void release() {
    isReleased = true;
    copies.close();
    changes.countClose();
  }
}
