// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.support.Torn;
import dev.espalier.tree.IndexStructure;
import dev.espalier.tree.MemoryTree;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one CSB+-tree and what changes them once a leaf has been found: inserting and
 * removing, with the splits and merges that follow. How a leaf is found, the hot part, is the
 * tree's.
 */
final class CsbPlusStructure extends MemoryTree {
  /* Overview
   *
   * A B+-tree whose siblings lie side by side. All children of an inner node are its node group, in
   * one segment (full CSB+-tree) or in up to n (segmented); the node has one reference to each
   * segment in place of one to each child, and so room for twice as many separators.
   *
   *              [ g | s0 s1 . . . . . ]                    root: segments, separators
   *                |
   *                v
   *              [ g | s0 . . ][ g | s0 s1 . ][ g | s0 . ]  its node group
   *                |              |              |
   *                v              v              v
   *              [leaf][leaf]   [leaf][leaf][leaf]   ...
   *
   * With separators s0 .. s(c-2) a node has children 0 .. c-1, and
   *
   *     keys below child 0 <= s0 < keys below child 1 <= s1 < ... < keys below child c-1
   *
   * so the way to key k goes through child number (separators smaller than k), as in BPlusStructure.
   * NodeGroups moves the nodes of a group when one comes or goes.
   *
   * Insert: a leaf that is full, and whose parent is not, splits. If inner nodes above it are full,
   *         they split first, from the top down, one by one. After each step the tree is sound, so a
   *         memory that is full between two steps changes no entry. A split at the right edge keeps
   *         the left node full.
   * Delete: a leaf below its minimum merges with a sibling, or shares its entries evenly. An inner
   *         node with few children merges with a sibling if both fit into one without new memory.
   *
   * Invariants, checked by CsbPlusVerifier:
   *   I1  Keys in a leaf ascend strictly; so do separators in an inner node.
   *   I2  Keys below child i are above separator i-1 and not above separator i, at every level.
   *   I3  Every path from the root to a leaf has the same length, the height.
   *   I4  A leaf has from 1 entry to its capacity, but the root leaf may be empty. An inner node has
   *       from 1 child to the most that its separators divide; the root has two at least.
   *   I5  A leaf holds at least half its capacity, but for the root, the last, and an only child.
   *   I6  The size is the number of entries in the leaves.
   *   I7  The segments of an inner node that have children come before those that have none, which
   *       have no memory. Each has room for its children, and for the most children at most.
   *   I8  Unused separator and key slots, and those that pad keys to whole lines, hold the padding.
   *   I9  Node groups, with all that they have room for, lie within the memory given out, on line
   *       boundaries, and no two share a line.
   *   I10 The bytes of the node groups are the bytes that the memory has given out and not taken
   *       back.
   *
   * Deviations from thesis 3.5:
   *   D1  No node refers to its neighbours. Cursors step by the path from the root (LeafPath): within
   *       a node group the next leaf is the next in memory, and a reference to a node would have to
   *       follow it whenever its group is shifted.
   *   D2  The right-edge split above.
   *   D3  References are 32-bit line numbers, 256 GiB of reach, in one word with the number of
   *       children and the room.
   *   D4  Segments that lose a child keep the room and use it for the next. So deletes need no
   *       memory, and cannot fail.
   *   D5  Inner nodes are merged, but do not share children otherwise: that would move whole nodes,
   *       and in a segmented tree need memory. An inner node may have fewer children than half.
   *   D6  Full nodes split before their children do, not after.
   *   D7  The first node group of a level grows to the room for the most siblings by doubling, so
   *       that small trees are small; so does a group that is made when memory is nearly full.
   */

  /** Two inner nodes side by side have three children together: 1.5 to this is beyond all lines. */
  static final int MAX_HEIGHT = 64;

  /** More merges than one delete can cause, unless the tree is damaged. */
  private static final int MOST_MERGES = 4 * MAX_HEIGHT;

  final CsbLeafNode leaf;
  final CsbInnerNode inner;
  final NodeGroups groups;

  /** Leaves that a range scan fetches ahead. */
  private final int prefetchDistance;

  /** Nodes for which there is room where the root lies: it may have been one of many. */
  int rootRoom;

  int height;

  /** The way to the leaf that is about to be changed. */
  final LeafPath path = new LeafPath();

  CsbPlusStructure(
      IndexOptions options, CsbLeafNode leaf, CsbInnerNode inner, int prefetchDistance) {
    super(options, MAX_HEIGHT);
    this.prefetchDistance = prefetchDistance;
    this.leaf = leaf;
    this.inner = inner;
    this.groups = new NodeGroups(this);
    plant();
  }

  @Override
  protected void plant() {
    root = allocate(leaf.width);
    rootRoom = 1;
    leaf.initialize(nodes, root);
    height = 1;
    size = 0;
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public LongCursor cursor() {
    return new CsbPlusCursor(this, prefetchDistance);
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    new CsbPlusBulkload(this, fillFactor).load(entries, total, listener);
  }

  @Override
  protected @Nullable IndexStructure twin(long limit) {
    IndexOptions twins = twinOptions(limit);
    return twins == null ? null : new CsbPlusStructure(twins, leaf, inner, prefetchDistance);
  }

  @Override
  protected void adopt(IndexStructure twin) {
    super.adopt(twin);
    CsbPlusStructure other = (CsbPlusStructure) twin;
    rootRoom = other.rootRoom;
    height = other.height;
  }

  @Override
  public void verify(ProgressListener listener) {
    CsbPlusVerifier.verify(this, listener);
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
    int separators = inner.children(nodes, node) - 1;
    NodeView.checkedCount("I4", node, level, separators, 0, inner.capacity);
    return NodeView.inner(
        node,
        inner.bytes,
        level,
        separators,
        inner.capacity,
        i -> inner.key(nodes, node, i),
        i -> view(inner.child(nodes, node, i, childBytes(level)), level - 1));
  }

  /** Returns the lines of a node on that level. */
  int widthOf(int level) {
    return level == 0 ? leaf.width : inner.width;
  }

  /** Returns the bytes of a child of a node on that level. */
  int childBytes(int level) {
    return level == 1 ? leaf.bytes : inner.bytes;
  }

  // ---------------------------------------------------------------- search

  /** Counts the separators of an inner node that are smaller than {@code key}. */
  int searchInner(long node, long key) {
    return Keys.lowerBoundBehindHeader(nodes, node, inner.segments, inner.slots, key);
  }

  /** Goes down to the leaf where {@code key} is or belongs, and notes the path. */
  long findPath(long key, LeafPath found) {
    long node = root;
    for (int level = height - 1; level > 0; level--) {
      int slot = searchInner(node, key);
      found.node[level] = node;
      found.slot[level] = slot;
      node = inner.child(nodes, node, slot, childBytes(level));
    }
    return node;
  }

  /**
   * Tells whether {@code slot} of a leaf, found by a lowerBound for {@code key}, holds that key.
   */
  boolean holds(long node, int slot, long key) {
    return leaf.key(nodes, node, slot) == key && slot < leaf.count(nodes, node);
  }

  /**
   * Reads the count of a leaf that is about to be changed. Where threads have torn the tree it may
   * be anything, and entries would be moved through all of the address space.
   */
  private int leafCount(long node) {
    return Torn.checkedCount("leaf", node, leaf.count(nodes, node), 0, leaf.capacity);
  }

  private int children(long node) {
    return inner.children(nodes, node);
  }

  private long child(int level, long node, int slot) {
    return inner.child(nodes, node, slot, childBytes(level));
  }

  // ---------------------------------------------------------------- insert

  /**
   * Inserts an entry before {@code slot} of {@code node}, to which the path leads.
   *
   * @throws MemoryLimitException if a split finds no memory; no entry has changed then
   */
  void insertAt(long node, int slot, long key, long value) {
    int count = leafCount(node);
    modifications.changes++;
    if (count < leaf.capacity) {
      insertIntoLeaf(node, slot, count, key, value);
    } else {
      splitAndInsert(slot, key, value);
    }
    size++;
  }

  private void insertIntoLeaf(long node, int slot, int count, long key, long value) {
    MemorySegment to = nodes;
    Slots.openGap(to, node, slot, count);
    Slots.openGap(to, node + leaf.valuesOffset, slot, count);
    leaf.key(to, node, slot, key);
    leaf.value(to, node, slot, value);
    leaf.count(to, node, count + 1);
  }

  private void splitAndInsert(int slot, long key, long value) {
    boolean atRightEdge = isAtRightEdge(slot);
    try {
      splitFullParents(key, atRightEdge);
      splitLeaf(slot, key, value, atRightEdge);
    } finally {
      lowerRoot();
    }
  }

  /** Tells whether the path leads to the very last slot of the tree. */
  private boolean isAtRightEdge(int slot) {
    if (slot < leaf.capacity) {
      return false;
    }
    for (int level = 1; level < height; level++) {
      if (path.slot[level] < children(path.node[level]) - 1) {
        return false;
      }
    }
    return true;
  }

  /** Sees to it that the parent of the path's leaf can have one child more. */
  private void splitFullParents(long key, boolean atRightEdge) {
    for (int splits = 0; splits <= MAX_HEIGHT; splits++) {
      int level = 1;
      while (level < height && children(path.node[level]) >= inner.maxChildren) {
        level++;
      }
      if (level == height) {
        raiseRoot();
      }
      if (level == 1) {
        return;
      }
      splitInner(level - 1, atRightEdge);
      findPath(key, path);
    }
    throw Torn.torn("nodes stay full when split");
  }

  /** Puts a new root with one child above the old one. */
  void raiseRoot() {
    long newRoot = allocate(inner.width);
    inner.initialize(nodes, newRoot);
    inner.segment(nodes, newRoot, 0, root, 1, rootRoom);
    for (int segment = 1; segment < inner.segments; segment++) {
      inner.segment(nodes, newRoot, segment, 0, 1, 0);
    }
    levelChanges.changed(height);
    path.node[height] = newRoot;
    path.slot[height] = 0;
    root = newRoot;
    rootRoom = 1;
    height++;
  }

  /** Takes away the root while it has one child only. */
  private void lowerRoot() {
    while (height > 1 && children(root) == 1) {
      levelChanges.changed(height);
      long child = inner.group(nodes, root, 0);
      int room = inner.room(nodes, root, 0);
      memory.free(root, rootRoom * inner.width);
      root = child;
      rootRoom = room;
      height--;
    }
  }

  /** Splits the path's node on {@code level}, which is full; its parent is not. */
  private void splitInner(int level, boolean atRightEdge) {
    levelChanges.changed(level + 1);
    long parent = path.node[level + 1];
    int slot = path.slot[level + 1];
    int kept = atRightEdge ? inner.maxChildren - 1 : inner.maxChildren / 2;
    int childWidth = widthOf(level - 1);
    long separator = inner.key(nodes, path.node[level], kept - 1);
    groups.allocateNewSegments(inner.maxChildren - kept, childWidth);
    long right;
    try {
      right = groups.insertChild(parent, slot, separator, inner.width);
    } catch (MemoryLimitException limit) {
      groups.freeNewSegments(childWidth);
      throw limit;
    }
    groups.moveToNewSibling(child(level + 1, parent, slot), kept, right, childWidth);
  }

  private void splitLeaf(int slot, long key, long value, boolean atRightEdge) {
    levelChanges.changed(1);
    long parent = path.node[1];
    int leftSlot = path.slot[1];
    long right = groups.insertChild(parent, leftSlot, key, leaf.width);
    long left = child(1, parent, leftSlot);
    leaf.initialize(nodes, right);
    int capacity = leaf.capacity;
    int kept = atRightEdge ? capacity : (capacity + 1) / 2;
    if (slot < kept) {
      moveEntries(left, kept - 1, capacity, right);
      insertIntoLeaf(left, slot, kept - 1, key, value);
    } else {
      moveEntries(left, kept, capacity, right);
      insertIntoLeaf(right, slot - kept, capacity - kept, key, value);
    }
    inner.key(nodes, parent, leftSlot, leaf.key(nodes, left, kept - 1));
  }

  /** Moves a leaf's last entries, from slot {@code from} on, to an empty leaf. */
  private void moveEntries(long left, int from, int count, long right) {
    leaf.copyEntries(nodes, left, from, right, 0, count - from);
    leaf.count(nodes, right, count - from);
    leaf.clearKeys(nodes, left, from);
    leaf.count(nodes, left, from);
  }

  // ---------------------------------------------------------------- delete

  /** Removes {@code key} if it is there. */
  void remove(long key) {
    long node = findPath(key, path);
    int slot = Keys.lowerBound(nodes, node, leaf.keySlots, key);
    if (holds(node, slot, key)) {
      removeAt(node, slot, key);
    }
  }

  /** Removes the entry of {@code key} in {@code slot} of {@code node}, to which the path leads. */
  void removeAt(long node, int slot, long key) {
    MemorySegment in = nodes;
    int count = leafCount(node);
    Slots.closeGap(in, node, slot, count);
    Slots.closeGap(in, node + leaf.valuesOffset, slot, count);
    leaf.key(in, node, count - 1, Keys.PADDING);
    leaf.count(in, node, count - 1);
    size--;
    modifications.changes++;
    if (count - 1 < leaf.minimum && height > 1) {
      giveBackSpace(count - 1, key);
    }
  }

  /** Merges what can be merged along the path, whose leaf has fallen below its minimum. */
  private void giveBackSpace(int count, long key) {
    int level = 1;
    if (count == 0 && children(path.node[1]) == 1) {
      level = removeEmptyBranch();
      findPath(key, path);
    } else {
      refillLeaf(path.node[1], path.slot[1]);
    }
    for (int merges = 0; level < height - 1 && merges < MOST_MERGES; ) {
      if (children(path.node[level]) < inner.minChildren && mergeInner(level)) {
        findPath(key, path); // the nodes below have moved
        merges++;
      } else {
        level++;
      }
    }
    lowerRoot();
  }

  /**
   * Removes the path's leaf, which is empty, with all nodes above it that have no other child.
   * Returns the level of the node that has.
   */
  private int removeEmptyBranch() {
    int level = 1;
    while (level < height - 1 && children(path.node[level]) == 1) {
      groups.freeAll(path.node[level], widthOf(level - 1));
      level++;
    }
    int slot = path.slot[level];
    levelChanges.changed(level);
    groups.removeChild(path.node[level], slot, Math.max(slot - 1, 0), widthOf(level - 1));
    return level;
  }

  /** Brings a leaf back to its minimum, with the help of a sibling; an only child has none. */
  private void refillLeaf(long parent, int slot) {
    if (children(parent) == 1 || leafCount(child(1, parent, slot)) >= leaf.minimum) {
      return;
    }
    levelChanges.changed(1);
    int leftSlot = Math.max(slot - 1, 0);
    long left = child(1, parent, leftSlot);
    long right = child(1, parent, leftSlot + 1);
    int leftCount = leafCount(left);
    int rightCount = leafCount(right);
    if (leftCount + rightCount <= leaf.capacity) {
      leaf.copyEntries(nodes, right, 0, left, leftCount, rightCount);
      leaf.count(nodes, left, leftCount + rightCount);
      groups.removeChild(parent, leftSlot + 1, leftSlot, leaf.width);
    } else {
      shareEntries(left, leftCount, right, rightCount);
      long separator = leaf.key(nodes, left, leaf.count(nodes, left) - 1);
      inner.key(nodes, parent, leftSlot, separator);
    }
  }

  private void shareEntries(long left, int leftCount, long right, int rightCount) {
    int newLeft = (leftCount + rightCount) / 2;
    int newRight = leftCount + rightCount - newLeft;
    if (newLeft < leftCount) {
      int moved = leftCount - newLeft;
      leaf.copyEntries(nodes, right, 0, right, moved, rightCount);
      leaf.copyEntries(nodes, left, newLeft, right, 0, moved);
      leaf.clearKeys(nodes, left, newLeft);
    } else {
      int moved = newLeft - leftCount;
      leaf.copyEntries(nodes, right, 0, left, leftCount, moved);
      leaf.copyEntries(nodes, right, moved, right, 0, newRight);
      leaf.clearKeys(nodes, right, newRight);
    }
    leaf.count(nodes, left, newLeft);
    leaf.count(nodes, right, newRight);
  }

  /** Merges the path's inner node with the sibling before it, or with the one behind it. */
  private boolean mergeInner(int level) {
    long parent = path.node[level + 1];
    int slot = path.slot[level + 1];
    return (slot > 0 && mergeWithNext(level, parent, slot - 1))
        || (slot + 1 < children(parent) && mergeWithNext(level, parent, slot));
  }

  private boolean mergeWithNext(int level, long parent, int leftSlot) {
    long left = child(level + 1, parent, leftSlot);
    long right = child(level + 1, parent, leftSlot + 1);
    int seam = children(left);
    long separator = inner.key(nodes, parent, leftSlot);
    if (!groups.merge(left, separator, right, widthOf(level - 1))) {
      return false;
    }
    levelChanges.changed(level + 1);
    if (level == 1) {
      refillOnlyChildren(left, seam);
    }
    groups.removeChild(parent, leftSlot + 1, leftSlot, inner.width);
    return true;
  }

  /** Refills leaves beside the seam of a merge: an only child may have been below its minimum. */
  private void refillOnlyChildren(long parent, int seam) {
    refillLeaf(parent, seam - 1);
    if (seam < children(parent)) {
      refillLeaf(parent, seam);
    }
  }
}
