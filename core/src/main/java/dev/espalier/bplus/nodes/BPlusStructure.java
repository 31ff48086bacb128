// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.support.ClosedRange;
import dev.espalier.support.Torn;
import dev.espalier.tree.IndexStructure;
import dev.espalier.tree.MemoryTree;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one B+-tree, and what is done to the whole of them. What a writer does to them is a
 * {@link BPlusChange}. Shared by all B+-trees in memory; how a leaf is found, the hot part, is
 * theirs.
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
   * Before a tree inserts or removes it descends, and notes in its change, for every level above the
   * leaf, the inner node and which child it went to. Splits and merges climb that path; there are no
   * parent pointers.
   *
   * Split:  [a b c d] + e    ->  [a b] | s | [c d e]      s = last key of the left half
   *         at the right edge of the tree:
   *         [a b c d] + e    ->  [a b c d] | s | [e]      so ascending inserts leave full nodes
   * Delete: a node below its minimum merges with a sibling if both fit in one node; else the two
   *         share their entries evenly. The last node of a level may stay below its minimum.
   *
   * Range:  the nodes between the ways to the two ends of a range go as a whole; the nodes on the ways
   *         are cut, and merge or share as above, from the root down.
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
   *   I11 The last leaf is known.
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

  /** The leaf with the greatest keys, where keys in ascending order go without a descent. */
  long lastLeaf;

  /** The change that is made to the tree; there is one writer at a time. */
  public final BPlusChange change;

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
    this.listener = listener.apply(this);
    this.change = new BPlusChange(this);
    plant();
  }

  @Override
  protected void plant() {
    root = allocate(leaf.width);
    leaf.initialize(nodes, root);
    lastLeaf = root;
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

  /**
   * Jump-pointer arrays outside the tree would have to move as well: with them there is no twin.
   */
  @Override
  protected @Nullable IndexStructure twin(long limit) {
    IndexOptions twins = listener.equals(LeafListener.NONE) ? twinOptions(limit) : null;
    return twins == null ? null : new BPlusStructure(twins, leaf, inner);
  }

  @Override
  protected void adopt(IndexStructure twin) {
    super.adopt(twin);
    height = ((BPlusStructure) twin).height;
    lastLeaf = ((BPlusStructure) twin).lastLeaf;
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

  // ---------------------------------------------------------------- ranges

  /**
   * Removes the entries between two keys by whole nodes, of a tree to whose leaves nobody listens.
   *
   * @return how many there were
   * @throws IllegalArgumentException if {@code from} is greater than {@code to}
   */
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    ClosedRange range = ClosedRange.of(from, fromInclusive, to, toInclusive);
    checkOpen();
    return range.isEmpty() ? 0 : change.removeRange(range);
  }

  // ---------------------------------------------------------------- search

  /**
   * Tells whether {@code slot} of a leaf, found by a lowerBound for {@code key}, holds that key.
   */
  public boolean holds(long node, int slot, long key) {
    return leaf.key(nodes, node, slot) == key && slot < leaf.count(nodes, node);
  }

  /** Finds the last leaf anew, after changes to the whole. */
  void findLastLeaf() {
    long node = root;
    for (int level = height - 1; level > 0; level--) {
      node = inner.child(nodes, node, innerCount(node));
    }
    lastLeaf = node;
  }

  /**
   * Reads the count of a leaf that is about to be changed. Where threads have torn the tree it may
   * be anything, and entries would be moved through all of the address space.
   */
  int leafCount(long node) {
    return checkCount(node, leaf.count(nodes, node), leaf.capacity);
  }

  /** Reads the count of an inner node that is about to be changed, as {@link #leafCount}. */
  int innerCount(long node) {
    return checkCount(node, inner.count(nodes, node), inner.capacity);
  }

  private static int checkCount(long node, int count, int capacity) {
    return Torn.checkedCount("node", node, count, 0, capacity);
  }
}
