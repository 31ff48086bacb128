// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.putInt;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.tree.MemoryTree;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;
import java.util.function.Function;

/**
 * The nodes of one B+-tree and what changes them: inserting into and removing from a leaf that has
 * been found, with the splits, redistributions and merges that follow. Shared by the trees of this
 * package; how a leaf is found, the hot part, is theirs.
 */
public final class BPlusStructure extends MemoryTree {
  /* Overview
   *
   * A level is a row of nodes; level 0 are the leaves, the highest level is the root alone. An inner
   * node with separators s0 .. s(c-1) has children 0 .. c, and
   *
   *     keys below child 0 <= s0 < keys below child 1 <= s1 < ... < keys below child c
   *
   * so the way to key k goes through child number (separators smaller than k): a lowerBound in every
   * node, inner or leaf. A separator stays a valid bound when the key it was made from is removed.
   *
   * Before a tree inserts or removes it descends, and notes in `pathNode` and `pathSlot`, for every
   * level above the leaf, the inner node and which child it went to. Splits and merges climb that
   * path; there are no parent pointers.
   *
   * Split:  [a b c d] + e    ->  [a b] | s | [c d e]      s = last key of the left half
   *         at the right edge of the tree:
   *         [a b c d] + e    ->  [a b c d] | s | [e]      so ascending inserts leave full nodes
   * Delete: a node below its minimum merges with a sibling if both fit in one node; else the two
   *         share their entries evenly. The last node of a level may stay below its minimum.
   *
   * Splits and merges of leaves are told to a LeafListener, which may list the leaves outside the
   * tree. The trees of this library need none.
   *
   * Invariants, checked by BPlusVerifier:
   *   I1  Keys in a leaf ascend strictly; so do separators in an inner node.
   *   I2  Keys below child i are above separator i-1 and not above separator i, at every level.
   *   I3  Every path from the root to a leaf has the same length, the height.
   *   I4  A node's count is from 0 to its capacity; only the root leaf may be empty, and every inner
   *       node has a separator.
   *   I5  A node holds at least half its capacity, but for the root and the last node of a level.
   *   I6  The size is the number of entries in the leaves.
   *   I7  next and previous chain the inner nodes of each level in order, both ways, and end in none.
   *   I8  Unused key slots, and those that pad a key array to whole lines, hold the padding.
   *   I9  Nodes lie within the memory given out, on line boundaries, and no two share a line.
   *   I10 The bytes of the nodes are the bytes that the memory has given out and not taken back.
   *
   * Deviations from thesis 3.2 and 3.6:
   *   D1  Leaves have no sibling pointers. Scans find the next leaf in its parent, and the next parent
   *       in the chain: the jump-pointer array that prefetching needs serves both.
   *   D2  The right-edge split above.
   *   D3  Children are 32-bit line numbers: twice the fan-out of pointers, 256 GiB of reach.
   *   D4  Key arrays are padded to whole lines, and the count lies behind them: a search reads only
   *       keys (see Keys).
   */

  /** More levels than 2^32 lines of nodes with two children can have. */
  public static final int MAX_HEIGHT = 36;

  public final LeafNode leaf;
  public final InnerNode inner;

  public int height;

  /** For each level from 1 on, the inner node on the way to the leaf, and the child taken there. */
  public final long[] pathNode = new long[MAX_HEIGHT];

  public final int[] pathSlot = new int[MAX_HEIGHT];

  private final long[] scratchKeys;
  private final int[] scratchChildren;
  private final long[] spare = new long[MAX_HEIGHT + 1];

  /** Told of leaves that come and go. */
  public final LeafListener listener;

  /** Makes an empty tree to whose leaves nobody listens. */
  public BPlusStructure(IndexOptions options, LeafNode leaf, InnerNode inner) {
    this(options, leaf, inner, tree -> LeafListener.NONE);
  }

  /**
   * Makes an empty tree.
   *
   * @param listener makes the listener; the structure given has no leaf yet
   */
  public BPlusStructure(
      IndexOptions options,
      LeafNode leaf,
      InnerNode inner,
      Function<? super BPlusStructure, ? extends LeafListener> listener) {
    super(options, MAX_HEIGHT);
    this.leaf = leaf;
    this.inner = inner;
    this.scratchKeys = new long[inner.capacity + 1];
    this.scratchChildren = new int[inner.capacity + 2];
    this.listener = listener.apply(this);
    plant();
  }

  @Override
  protected void plant() {
    root = allocate(leaf.width);
    leaf.initialize(nodes, root);
    height = 1;
    size = 0;
    listener.planted(root);
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public LongCursor cursor() {
    return new BPlusCursor(this);
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    new BPlusBulkload(this, fillFactor).load(entries, total, listener);
  }

  @Override
  public void verify(ProgressListener listener) {
    BPlusVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    return view(root, height - 1);
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

  // ---------------------------------------------------------------- search

  /** Goes down to the leaf where {@code key} is or belongs, and notes the path. */
  public long findPath(long key) {
    MemorySegment in = nodes;
    long node = root;
    for (int level = height - 1; level > 0; level--) {
      int slot = Keys.lowerBound(in, node, inner.keySlots, key);
      pathNode[level] = node;
      pathSlot[level] = slot;
      node = inner.child(in, node, slot);
    }
    return node;
  }

  /**
   * Tells whether {@code slot} of a leaf, found by a lowerBound for {@code key}, holds that key.
   */
  public boolean holds(long node, int slot, long key) {
    return leaf.key(nodes, node, slot) == key && slot < leaf.count(nodes, node);
  }

  /**
   * Reads the count of a leaf that is about to be changed. Where threads have torn the tree it may
   * be anything, and entries would be moved through all of the address space.
   */
  private int leafCount(long node) {
    return checkCount(node, leaf.count(nodes, node), leaf.capacity);
  }

  /** Reads the count of an inner node that is about to be changed, as {@link #leafCount}. */
  private int innerCount(long node) {
    return checkCount(node, inner.count(nodes, node), inner.capacity);
  }

  private static int checkCount(long node, int count, int capacity) {
    if (count < 0 || count > capacity) {
      throw new ConcurrentModificationException(
          "the node @"
              + node
              + " has count "
              + count
              + " of "
              + capacity
              + ": the index was changed by another thread at the same time");
    }
    return count;
  }

  // ---------------------------------------------------------------- insert

  /**
   * Inserts an entry before {@code slot} of {@code node}, to which the path leads.
   *
   * @throws MemoryLimitException if a split finds no memory; nothing has changed then
   */
  public void insertAt(long node, int slot, long key, long value) {
    int count = leafCount(node);
    if (count == leaf.capacity) {
      splitAndInsert(node, slot, key, value);
    } else {
      insertIntoLeaf(node, slot, count, key, value);
    }
    size++;
    modifications.changes++;
  }

  private void insertIntoLeaf(long node, int slot, int count, long key, long value) {
    MemorySegment to = nodes;
    Slots.openGap(to, node, slot, count);
    Slots.openGap(to, node + leaf.valuesOffset, slot, count);
    leaf.key(to, node, slot, key);
    leaf.value(to, node, slot, value);
    leaf.count(to, node, count + 1);
  }

  private void splitAndInsert(long left, int slot, long key, long value) {
    int spares = allocateForSplits(left);
    long right = spare[--spares];
    leaf.initialize(nodes, right);
    int capacity = leaf.capacity;
    int kept = isAtRightEdge(slot) ? capacity : (capacity + 1) / 2;
    if (slot < kept) {
      moveEntries(left, kept - 1, capacity, right, 0);
      insertIntoLeaf(left, slot, kept - 1, key, value);
    } else {
      moveEntries(left, kept, capacity, right, 0);
      insertIntoLeaf(right, slot - kept, capacity - kept, key, value);
    }
    listener.split(left, right);
    addToParent(left, leaf.key(nodes, left, kept - 1), right, spares);
  }

  /** Moves a leaf's last entries, from slot {@code from} on, to an emptier leaf on its right. */
  private void moveEntries(long left, int from, int count, long right, int rightCount) {
    MemorySegment in = nodes;
    for (int i = from; i < count; i++) {
      leaf.key(in, right, rightCount + i - from, leaf.key(in, left, i));
      leaf.value(in, right, rightCount + i - from, leaf.value(in, left, i));
    }
    leaf.count(in, right, rightCount + count - from);
    leaf.clearKeys(in, left, from);
    leaf.count(in, left, from);
  }

  /**
   * Allocates every node that a split of {@code left}, to which the path leads, will need, before
   * anything is changed, into {@code spare}, the leaf last. Returns how many.
   */
  private int allocateForSplits(long left) {
    int level = 1;
    while (level < height && inner.count(nodes, pathNode[level]) == inner.capacity) {
      level++;
    }
    int innerSplits = level == height ? level : level - 1;
    int allocated = 0;
    try {
      listener.splitting(left);
      while (allocated < innerSplits) {
        spare[allocated] = allocate(inner.width);
        allocated++;
      }
      spare[allocated] = allocate(leaf.width);
      return allocated + 1;
    } catch (MemoryLimitException full) {
      while (allocated > 0) {
        memory.free(spare[--allocated], inner.width);
      }
      listener.notSplit();
      throw full;
    }
  }

  /** Tells whether the path leads to the very last slot of the tree. */
  private boolean isAtRightEdge(int slot) {
    if (slot < leaf.capacity) {
      return false;
    }
    for (int level = 1; level < height; level++) {
      if (pathSlot[level] < inner.count(nodes, pathNode[level])) {
        return false;
      }
    }
    return true;
  }

  /**
   * Makes {@code right} the sibling after {@code left}, which the path leads to, level by level.
   */
  private void addToParent(long left, long separator, long right, int spares) {
    long leftNode = left;
    long rightNode = right;
    long up = separator;
    for (int level = 1; ; level++) {
      levelChanges.changed(level);
      if (level == height) {
        growRoot(leftNode, up, rightNode, spare[--spares]);
        return;
      }
      long node = pathNode[level];
      int slot = pathSlot[level];
      int count = innerCount(node);
      if (count < inner.capacity) {
        insertChild(node, slot, count, up, rightNode);
        return;
      }
      boolean atEdge = slot == count && inner.next(nodes, node) == 0;
      long sibling = spare[--spares];
      up = splitInner(node, slot, up, rightNode, sibling, atEdge);
      leftNode = node;
      rightNode = sibling;
    }
  }

  private void growRoot(long left, long separator, long right, long newRoot) {
    inner.initialize(nodes, newRoot);
    inner.key(nodes, newRoot, 0, separator);
    inner.child(nodes, newRoot, 0, left);
    inner.child(nodes, newRoot, 1, right);
    inner.count(nodes, newRoot, 1);
    root = newRoot;
    height++;
  }

  private void insertChild(long node, int slot, int count, long separator, long child) {
    MemorySegment to = nodes;
    Slots.openGap(to, node, slot, count);
    inner.key(to, node, slot, separator);
    for (int i = count; i > slot; i--) {
      copyChild(node, i, node, i + 1);
    }
    inner.child(to, node, slot + 1, child);
    inner.count(to, node, count + 1);
  }

  /** Splits a full node that gets one child more; returns the separator between the halves. */
  private long splitInner(
      long node, int slot, long separator, long child, long sibling, boolean atEdge) {
    int count = inner.capacity;
    long[] keys = scratchKeys;
    int[] children = scratchChildren;
    for (int i = 0, from = 0; i <= count; i++) {
      keys[i] = i == slot ? separator : inner.key(nodes, node, from++);
    }
    for (int i = 0, from = 0; i <= count + 1; i++) {
      children[i] = i == slot + 1 ? (int) (child >>> 6) : childLine(node, from++);
    }
    int kept = atEdge ? count - 1 : count / 2;
    inner.initialize(nodes, sibling);
    store(node, keys, children, 0, kept);
    store(sibling, keys, children, kept + 1, count - kept);
    link(sibling, inner.next(nodes, node));
    link(node, sibling);
    return keys[kept];
  }

  /** Gives a node {@code count} separators from {@code from} on, and one child more. */
  private void store(long node, long[] keys, int[] children, int from, int count) {
    for (int i = 0; i < count; i++) {
      inner.key(nodes, node, i, keys[from + i]);
    }
    for (int i = 0; i <= count; i++) {
      putInt(nodes, node + inner.childrenOffset + ((long) i << 2), children[from + i]);
    }
    inner.clearKeys(nodes, node, count);
    inner.count(nodes, node, count);
  }

  /** Makes {@code right} follow {@code left} in the chain of their level; right may be none. */
  public void link(long left, long right) {
    inner.next(nodes, left, right);
    if (right != 0) {
      inner.previous(nodes, right, left);
    }
  }

  private int childLine(long node, int slot) {
    return getInt(nodes, node + inner.childrenOffset + ((long) slot << 2));
  }

  private void copyChild(long from, int fromSlot, long to, int toSlot) {
    putInt(nodes, to + inner.childrenOffset + ((long) toSlot << 2), childLine(from, fromSlot));
  }

  // ---------------------------------------------------------------- delete

  /** Removes {@code key} if it is there. */
  public void remove(long key) {
    long node = findPath(key);
    int slot = Keys.lowerBound(nodes, node, leaf.keySlots, key);
    if (holds(node, slot, key)) {
      removeAt(node, slot);
    }
  }

  /** Removes the entry in {@code slot} of {@code node}, to which the path leads. */
  public void removeAt(long node, int slot) {
    MemorySegment in = nodes;
    int count = leafCount(node);
    Slots.closeGap(in, node, slot, count);
    Slots.closeGap(in, node + leaf.valuesOffset, slot, count);
    leaf.clearKey(in, node, count - 1);
    leaf.count(in, node, count - 1);
    size--;
    modifications.changes++;
    if (count - 1 < leaf.minimum && height > 1) {
      refillLeaf();
    }
  }

  /**
   * Brings the path's leaf back to its minimum, with the help of a sibling under the same parent.
   */
  private void refillLeaf() {
    levelChanges.changed(1);
    long parent = pathNode[1];
    int leftSlot = Math.max(pathSlot[1] - 1, 0);
    long left = inner.child(nodes, parent, leftSlot);
    long right = inner.child(nodes, parent, leftSlot + 1);
    int leftCount = leafCount(left);
    int rightCount = leafCount(right);
    if (leftCount + rightCount <= leaf.capacity) {
      mergeLeaves(left, leftCount, right, rightCount);
      removeChild(1, parent, leftSlot);
    } else {
      redistributeLeaves(left, leftCount, right, rightCount);
      inner.key(nodes, parent, leftSlot, leaf.key(nodes, left, leaf.count(nodes, left) - 1));
    }
  }

  private void mergeLeaves(long left, int leftCount, long right, int rightCount) {
    MemorySegment in = nodes;
    for (int i = 0; i < rightCount; i++) {
      leaf.key(in, left, leftCount + i, leaf.key(in, right, i));
      leaf.value(in, left, leftCount + i, leaf.value(in, right, i));
    }
    leaf.count(in, left, leftCount + rightCount);
    listener.merged(left, right);
    memory.free(right, leaf.width);
  }

  private void redistributeLeaves(long left, int leftCount, long right, int rightCount) {
    MemorySegment in = nodes;
    int newLeft = (leftCount + rightCount) / 2;
    if (newLeft < leftCount) {
      int moved = leftCount - newLeft;
      for (int i = rightCount - 1; i >= 0; i--) {
        leaf.key(in, right, i + moved, leaf.key(in, right, i));
        leaf.value(in, right, i + moved, leaf.value(in, right, i));
      }
      for (int i = 0; i < moved; i++) {
        leaf.key(in, right, i, leaf.key(in, left, newLeft + i));
        leaf.value(in, right, i, leaf.value(in, left, newLeft + i));
      }
      leaf.clearKeys(in, left, newLeft);
    } else {
      int moved = newLeft - leftCount;
      for (int i = 0; i < moved; i++) {
        leaf.key(in, left, leftCount + i, leaf.key(in, right, i));
        leaf.value(in, left, leftCount + i, leaf.value(in, right, i));
      }
      for (int i = moved; i < rightCount; i++) {
        leaf.key(in, right, i - moved, leaf.key(in, right, i));
        leaf.value(in, right, i - moved, leaf.value(in, right, i));
      }
      leaf.clearKeys(in, right, rightCount - moved);
    }
    leaf.count(in, left, newLeft);
    leaf.count(in, right, leftCount + rightCount - newLeft);
  }

  /**
   * Removes separator {@code slot} and the child after it from the path's node on {@code level}.
   */
  private void removeChild(int level, long node, int slot) {
    levelChanges.changed(level);
    int count = innerCount(node);
    Slots.closeGap(nodes, node, slot, count);
    inner.clearKeys(nodes, node, count - 1);
    for (int i = slot + 1; i < count; i++) {
      copyChild(node, i + 1, node, i);
    }
    inner.count(nodes, node, count - 1);
    if (level == height - 1) {
      if (count == 1) {
        levelChanges.changed(height);
        root = inner.child(nodes, node, 0);
        height--;
        memory.free(node, inner.width);
      }
    } else if (count - 1 < inner.minimum) {
      refillInner(level);
    }
  }

  private void refillInner(int level) {
    long parent = pathNode[level + 1];
    int leftSlot = Math.max(pathSlot[level + 1] - 1, 0);
    long left = inner.child(nodes, parent, leftSlot);
    long right = inner.child(nodes, parent, leftSlot + 1);
    int leftCount = innerCount(left);
    int rightCount = innerCount(right);
    long separator = inner.key(nodes, parent, leftSlot);
    if (leftCount + 1 + rightCount <= inner.capacity) {
      inner.key(nodes, left, leftCount, separator);
      for (int i = 0; i < rightCount; i++) {
        inner.key(nodes, left, leftCount + 1 + i, inner.key(nodes, right, i));
      }
      for (int i = 0; i <= rightCount; i++) {
        copyChild(right, i, left, leftCount + 1 + i);
      }
      inner.count(nodes, left, leftCount + 1 + rightCount);
      link(left, inner.next(nodes, right));
      memory.free(right, inner.width);
      removeChild(level + 1, parent, leftSlot);
    } else {
      levelChanges.changed(level + 1);
      inner.key(
          nodes, parent, leftSlot, shareChildren(left, leftCount, separator, right, rightCount));
    }
  }

  /** Gives two siblings the same number of children; returns the new separator between them. */
  private long shareChildren(long left, int leftCount, long separator, long right, int rightCount) {
    int newLeft = (leftCount + rightCount) / 2;
    long up = separator;
    int from = leftCount;
    int to = rightCount;
    while (from < newLeft) {
      inner.key(nodes, left, from, up);
      copyChild(right, 0, left, from + 1);
      up = inner.key(nodes, right, 0);
      Slots.closeGap(nodes, right, 0, to);
      for (int i = 0; i < to; i++) {
        copyChild(right, i + 1, right, i);
      }
      from++;
      to--;
    }
    while (from > newLeft) {
      Slots.openGap(nodes, right, 0, to);
      for (int i = to; i >= 0; i--) {
        copyChild(right, i, right, i + 1);
      }
      inner.key(nodes, right, 0, up);
      copyChild(left, from, right, 0);
      up = inner.key(nodes, left, from - 1);
      from--;
      to++;
    }
    inner.count(nodes, left, from);
    inner.count(nodes, right, to);
    inner.clearKeys(nodes, left, from);
    inner.clearKeys(nodes, right, to);
    return up;
  }
}
