// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.support.Torn;
import dev.espalier.tree.IndexStructure;
import dev.espalier.tree.MemoryTree;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one T-tree and what changes them: inserting into and removing from a node that has
 * been found. How it is found, the hot part, is in {@link TTree}.
 */
final class TTreeStructure extends MemoryTree {
  /* Overview
   *
   * A balanced binary tree, as an AVL tree, but every node holds several entries, sorted:
   *
   *                     | k0 k1 .. kc-1 |               the node bounds a key from k0 to kc-1
   *                    /                 \
   *        keys below k0                  keys above kc-1
   *
   * By its children a node is internal (two), a half-leaf (one, which is then a leaf) or a leaf. The
   * greatest lower bound of an internal node is the greatest key of its left subtree; the node that
   * holds it has no right child.
   *
   * Insert: into the bounding node. If that is full, its least entry makes room and moves to the
   *         node with the greatest lower bound, or where that is full, to a new leaf below it.
   *         Without a bounding node, into the last node of the search path or a new leaf below that.
   * Delete: an internal node below its minimum borrows the greatest lower bound. A half-leaf merges
   *         with its leaf as soon as both fit into one node. A leaf without entries goes.
   * After a node has come or gone, TTreeBalance goes up and rotates.
   *
   * Invariants, checked by TTreeVerifier:
   *   I1  Keys in a node ascend strictly.
   *   I2  Keys of the left subtree are below the node's least key, those of the right subtree above
   *       its greatest.
   *   I3  A node's height is one more than the greater of its children's, whose heights differ by
   *       one at most; no child has height 0.
   *   I4  A node's count is from 1 to its capacity; only a root without children may be empty.
   *   I5  An internal node holds at least half its capacity.
   *   I6  The size is the number of entries in the nodes.
   *   I7  A node is the parent of its children; the root has none.
   *   I8  The header repeats the last key in use.
   *   I9  Nodes lie within the memory given out, on line boundaries, and no two share a line.
   *   I10 The bytes of the nodes are the bytes that the memory has given out and not taken back.
   *
   * Deviations from thesis 3.3 and from Lehman and Carey, who it takes the tree from:
   *   D1  Nodes know their parents: a cursor's steps and the way back up need no stack. References
   *       are 32-bit line numbers.
   *   D2  The header repeats the greatest key, so that a descent reads one line of a node however
   *       wide it is.
   *   D3  The minimum is half the capacity, where Lehman and Carey leave one or two slots free: a
   *       bulkload may fill nodes by half.
   *   D4  Whichever rotation makes a node internal that is below the minimum, it is filled from its
   *       greatest lower bounds; Lehman and Carey do so for one entry after LR and RL rotations.
   */

  /** More levels than a balanced binary tree of 2^32 nodes has, which is 1.44 times 32. */
  static final int MAX_HEIGHT = 48;

  final TTreeNode layout;
  private final TTreeBalance balance;

  TTreeStructure(IndexOptions options, TTreeNode layout) {
    super(options, MAX_HEIGHT);
    this.layout = layout;
    this.balance = new TTreeBalance(this);
    plant();
  }

  @Override
  protected void plant() {
    root = allocate();
    layout.initialize(nodes, root, 0);
    size = 0;
  }

  /** Allocates a node and follows the memory if it has moved. */
  long allocate() {
    return allocate(layout.width);
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public LongCursor cursor() {
    return new TTreeCursor(this);
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    new TTreeBulkload(this, fillFactor).load(entries, total, listener);
  }

  @Override
  protected @Nullable IndexStructure twin(long limit) {
    IndexOptions twins = twinOptions(limit);
    return twins == null ? null : new TTreeStructure(twins, layout);
  }

  @Override
  public void verify(ProgressListener listener) {
    TTreeVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    int height = layout.height(nodes, root);
    if (height < 1 || height > MAX_HEIGHT) {
      throw new InvariantViolationException("I3", "the height is " + height);
    }
    return view(root, height - 1);
  }

  /** A node's level is its subtree's height less one. */
  private NodeView view(long node, int level) {
    int count =
        NodeView.checkedCount("I4", node, level, layout.count(nodes, node), 0, layout.capacity);
    long left = layout.child(nodes, node, LEFT);
    long right = layout.child(nodes, node, RIGHT);
    return NodeView.withEntries(
            node,
            layout.bytes,
            level,
            count,
            layout.capacity,
            i -> layout.key(nodes, node, i),
            i -> layout.value(nodes, node, i))
        .over(
            (left == 0 ? 0 : 1) + (right == 0 ? 0 : 1),
            i -> viewChild(node, level, i == 0 && left != 0 ? left : right));
  }

  /** A walk ends on any damage: a child that has another parent, or is no less high, is refused. */
  private NodeView viewChild(long node, int level, long child) {
    if (layout.child(nodes, node, LEFT) == layout.child(nodes, node, RIGHT)
        || layout.parent(nodes, child) != node) {
      throw new InvariantViolationException(
          "I7", "the node @%d is not the parent of its child @%d alone".formatted(node, child));
    }
    int height = layout.height(nodes, child);
    if (height < 1 || height > level) {
      throw new InvariantViolationException(
          "I3", "the node @%d of height %d is below height %d".formatted(child, height, level + 1));
    }
    return view(child, height - 1);
  }

  // ---------------------------------------------------------------- search

  /** Returns the node that bounds {@code key}, or else the last on the way to where it belongs. */
  long findNode(long key) {
    MemorySegment in = nodes;
    long node = root;
    for (int levels = 0; levels < MAX_HEIGHT; levels++) {
      long next;
      if (key < layout.least(in, node)) {
        next = layout.child(in, node, LEFT);
      } else if (key > layout.greatest(in, node)) {
        next = layout.child(in, node, RIGHT);
      } else {
        return node;
      }
      if (next == 0) {
        return node;
      }
      node = next;
    }
    throw tooDeep();
  }

  /**
   * Returns the slot of a node that holds {@code key}, or if there is none, -1 - the slot where it
   * belongs.
   */
  int findSlot(long node, long key) {
    int count = layout.count(nodes, node);
    int slot = Keys.lowerBoundBinary(nodes, node + TTreeNode.KEYS_OFFSET, count, key);
    return slot < count && layout.key(nodes, node, slot) == key ? slot : -1 - slot;
  }

  /** Returns the number of levels, 1 for an empty tree. */
  int height() {
    return layout.height(nodes, root);
  }

  /**
   * Tells to which side of a node a buffered probe is sent, a bounded one with those that go to
   * whichever side is not the only child's: so there is one key, the greatest or else the least, on
   * which it depends.
   */
  boolean goesRight(long node, long left, long right, long key) {
    if (right != 0) {
      return key > layout.greatest(nodes, node);
    }
    return left != 0 && key >= layout.least(nodes, node);
  }

  /** Tells whether buffered probes are divided by the key in a slot of a node. */
  private boolean divides(long node, int slot, int count) {
    return layout.child(nodes, node, RIGHT) != 0
        ? slot == count - 1
        : slot == 0 && layout.child(nodes, node, LEFT) != 0;
  }

  /** Notes that other keys lead to other children of a node, 0 for what is above the root. */
  private void changed(long node) {
    if (node == 0) {
      levelChanges.changedAll();
    } else {
      levelChanges.changed(levelOf(node));
    }
  }

  private int levelOf(long node) {
    int level = Math.min(height(), MAX_HEIGHT) - 1;
    for (long at = layout.parent(nodes, node); at != 0; at = layout.parent(nodes, at)) {
      if (--level < 0) {
        throw tooDeep();
      }
    }
    return level;
  }

  /** Returns the outermost node on one side of a subtree. */
  long outermost(long subtree, int side) {
    long node = subtree;
    for (int levels = 0; levels < MAX_HEIGHT; levels++) {
      long next = layout.child(nodes, node, side);
      if (next == 0) {
        return node;
      }
      node = next;
    }
    throw tooDeep();
  }

  static ConcurrentModificationException tooDeep() {
    return Torn.torn("a path is longer than any tree is high");
  }

  /**
   * Reads the count of a node that is about to be changed. Where threads have torn the tree it may
   * be anything, and entries would be moved through all of the address space.
   */
  private int checkedCount(long node) {
    return Torn.checkedCount("node", node, layout.count(nodes, node), 0, layout.capacity);
  }

  // ---------------------------------------------------------------- insert

  /**
   * Inserts an entry before {@code slot} of {@code node}, which {@link #findNode} gave.
   *
   * @throws MemoryLimitException if a new leaf finds no memory; nothing has changed then
   */
  void insertAt(long node, int slot, long key, long value) {
    int count = checkedCount(node);
    if (count < layout.capacity) {
      insertInto(node, slot, count, key, value);
    } else if (slot == 0) {
      addLeaf(allocate(), node, LEFT, key, value);
    } else if (slot == count) {
      addLeaf(allocate(), node, RIGHT, key, value);
    } else {
      insertIntoFull(node, slot, key, value);
    }
    size++;
    modifications.changes++;
  }

  private void insertInto(long node, int slot, int count, long key, long value) {
    Slots.openGap(nodes, node + TTreeNode.KEYS_OFFSET, slot, count);
    Slots.openGap(nodes, node + layout.valuesOffset, slot, count);
    layout.entry(nodes, node, slot, key, value);
    layout.count(nodes, node, count + 1);
  }

  /** Makes a new node a leaf with one entry, where {@code parent} has no child yet. */
  private void addLeaf(long leaf, long parent, int side, long key, long value) {
    changed(parent);
    layout.initialize(nodes, leaf, parent);
    insertInto(leaf, 0, 0, key, value);
    layout.child(nodes, parent, side, leaf);
    balance.goUp(parent);
  }

  /**
   * Inserts into the bounding node: its least entry, which is below the new one, makes room and
   * becomes the greatest lower bound of what stays.
   */
  private void insertIntoFull(long node, int slot, long key, long value) {
    long left = layout.child(nodes, node, LEFT);
    long lower = left == 0 ? node : outermost(left, RIGHT);
    int lowerCount = checkedCount(lower);
    long leaf = lowerCount == layout.capacity ? allocate() : 0;
    if (divides(node, 0, layout.capacity)) {
      changed(node);
    }
    long least = layout.key(nodes, node, 0);
    long leastValue = layout.value(nodes, node, 0);
    layout.copyEntries(nodes, node, 1, node, 0, slot - 1);
    layout.entry(nodes, node, slot - 1, key, value);
    if (leaf == 0) {
      insertInto(lower, lowerCount, lowerCount, least, leastValue);
    } else {
      addLeaf(leaf, lower, left == 0 ? LEFT : RIGHT, least, leastValue);
    }
  }

  // ---------------------------------------------------------------- delete

  /** Removes {@code key} if it is there. */
  void remove(long key) {
    long node = findNode(key);
    int slot = findSlot(node, key);
    if (slot >= 0) {
      removeAt(node, slot);
    }
  }

  /** Removes the entry in {@code slot} of {@code node}. */
  void removeAt(long node, int slot) {
    int count = checkedCount(node);
    if (divides(node, slot, count)) {
      changed(node);
    }
    Slots.closeGap(nodes, node + TTreeNode.KEYS_OFFSET, slot, count);
    Slots.closeGap(nodes, node + layout.valuesOffset, slot, count);
    layout.count(nodes, node, count - 1);
    size--;
    modifications.changes++;
    long changed = mend(node);
    if (changed != 0) {
      balance.goUp(changed);
    }
  }

  /**
   * Mends a node that may have too few entries for its kind. Returns the lowest node whose children
   * have changed by that, from which the tree is to be balanced, or 0.
   */
  long mend(long node) {
    long left = layout.child(nodes, node, LEFT);
    long right = layout.child(nodes, node, RIGHT);
    int count = checkedCount(node);
    if (left != 0 && right != 0) {
      return count < layout.minimum ? borrow(node, count, outermost(left, RIGHT)) : 0;
    }
    if (left != 0 || right != 0) {
      return merge(node, count, left, right);
    }
    return count == 0 && node != root ? unlink(node) : 0;
  }

  /** Fills an internal node up to its minimum, if {@code lower}, below it, has that many. */
  private long borrow(long node, int count, long lower) {
    int lowerCount = checkedCount(lower);
    int moved = Math.min(layout.minimum - count, lowerCount);
    layout.copyEntries(nodes, node, 0, node, moved, count);
    layout.copyEntries(nodes, lower, lowerCount - moved, node, 0, moved);
    layout.count(nodes, node, count + moved);
    layout.count(nodes, lower, lowerCount - moved);
    return mend(lower);
  }

  /** Takes all entries of a half-leaf's only child, if they fit. */
  private long merge(long node, int count, long left, long right) {
    long leaf = left != 0 ? left : right;
    int leafCount = checkedCount(leaf);
    if (count + leafCount > layout.capacity) {
      return 0;
    }
    changed(node);
    if (left != 0) {
      layout.copyEntries(nodes, node, 0, node, leafCount, count);
      layout.copyEntries(nodes, leaf, 0, node, 0, leafCount);
    } else {
      layout.copyEntries(nodes, leaf, 0, node, count, leafCount);
    }
    layout.count(nodes, node, count + leafCount);
    layout.child(nodes, node, left != 0 ? LEFT : RIGHT, 0);
    memory.free(leaf, layout.width);
    return node;
  }

  /** Takes a leaf out of the tree. */
  private long unlink(long leaf) {
    long parent = layout.parent(nodes, leaf);
    replaceChild(parent, leaf, 0);
    memory.free(leaf, layout.width);
    return parent;
  }

  /** Puts a node, or none, where {@code old} was; parent 0 stands for the root. */
  void replaceChild(long parent, long old, long child) {
    changed(parent);
    if (parent == 0) {
      root = child;
    } else {
      layout.child(nodes, parent, layout.child(nodes, parent, LEFT) == old ? LEFT : RIGHT, child);
    }
    if (child != 0) {
      layout.parent(nodes, child, parent);
    }
  }
}
