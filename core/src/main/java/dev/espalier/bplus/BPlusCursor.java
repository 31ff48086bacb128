// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;

/**
 * A cursor over the leaves. It steps from leaf to leaf through their parents, which are chained,
 * and prefetches the leaf that lies {@code prefetchDistance} ahead in either direction: the
 * internal jump-pointer array of thesis 3.6. Distance 0 prefetches nothing.
 */
final class BPlusCursor implements LongCursor {
  private enum State {
    /** On no entry; {@code next} goes to the first, {@code previous} to the last. */
    NOWHERE,
    /** On the entry in {@code slot}. */
    ON_ENTRY,
    /** Between the entries in {@code slot - 1} and {@code slot}: the current key has no entry. */
    BETWEEN
  }

  private static final int FORWARD = 1;
  private static final int BACKWARD = -1;

  private final BPlusStructure tree;
  private final LeafNode leaf;
  private final InnerNode inner;
  private final int prefetchDistance;

  private State state = State.NOWHERE;

  /** The current leaf's parent, or 0 if the leaf is the root, and the leaf's place in it. */
  private long parent;

  private int parentSlot;
  private long node;
  private int count;
  private int slot;

  /** The key of the entry, by which the cursor finds its place again after a change. */
  private long currentKey;

  /** Whether the entry was removed through this cursor, which is then on none until it moves. */
  private boolean removed;

  private long modifications;

  /**
   * Direction of the leaves asked for so far, 0 for none, and the place of the furthest of them.
   */
  private int aheadDirection;

  private long aheadParent;
  private int aheadSlot;

  /** Leaves asked for and not yet reached. */
  private int leavesAhead;

  /** The nodes for reading only, as they were when {@code runBase} was their address. */
  private MemorySegment runSegment = MemorySegment.NULL;

  private long runBase;

  BPlusCursor(BPlusStructure tree, int prefetchDistance) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.prefetchDistance = prefetchDistance;
  }

  // ---------------------------------------------------------------- seek

  @Override
  public boolean first() {
    descend(Long.MIN_VALUE);
    slot = 0;
    return settle(slot < count);
  }

  @Override
  public boolean last() {
    MemorySegment nodes = tree.nodes;
    long at = tree.root;
    parent = 0;
    for (int level = tree.height - 1; level > 0; level--) {
      parent = at;
      parentSlot = inner.count(nodes, at);
      at = inner.child(nodes, at, parentSlot);
    }
    enter(nodes, at);
    slot = count - 1;
    return settle(slot >= 0);
  }

  @Override
  public boolean ceiling(long key) {
    descend(key);
    return settle(slot < count || nextLeaf());
  }

  @Override
  public boolean floor(long key) {
    descend(key);
    if (slot < count && leaf.key(tree.nodes, node, slot) == key) {
      return settle(true);
    }
    slot--;
    return settle(slot >= 0 || previousLeaf());
  }

  @Override
  public boolean higher(long key) {
    return key == Long.MAX_VALUE ? nowhere() : ceiling(key + 1);
  }

  @Override
  public boolean lower(long key) {
    return key == Long.MIN_VALUE ? nowhere() : floor(key - 1);
  }

  /** Goes to the leaf and slot where {@code key} is or belongs. */
  private void descend(long key) {
    MemorySegment nodes = tree.nodes;
    long at = tree.root;
    parent = 0;
    for (int level = tree.height - 1; level > 0; level--) {
      parent = at;
      parentSlot = Keys.lowerBound(nodes, at, inner.keySlots, key);
      at = inner.child(nodes, at, parentSlot);
    }
    enter(nodes, at);
    slot = Math.min(Keys.lowerBound(nodes, at, leaf.keySlots, key), count);
  }

  private void enter(MemorySegment nodes, long at) {
    node = at;
    count = Math.min(leaf.count(nodes, at), leaf.capacity);
    modifications = tree.modifications;
    aheadDirection = 0;
  }

  /** Ends a move: on the entry in {@code slot}, or nowhere. */
  private boolean settle(boolean onEntry) {
    if (!onEntry) {
      return nowhere();
    }
    state = State.ON_ENTRY;
    removed = false;
    currentKey = leaf.key(tree.nodes, node, slot);
    return true;
  }

  private boolean nowhere() {
    tree.checkOpen();
    state = State.NOWHERE;
    return false;
  }

  /** Finds the place of the current key again if the tree has changed. */
  private void catchUp() {
    if (modifications == tree.modifications) {
      return;
    }
    descend(currentKey);
    boolean found = slot < count && leaf.key(tree.nodes, node, slot) == currentKey;
    state = found ? State.ON_ENTRY : State.BETWEEN;
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public boolean next() {
    if (state == State.NOWHERE) {
      return first();
    }
    catchUp();
    if (state == State.ON_ENTRY) {
      slot++;
    }
    return settle(slot < count || nextLeaf());
  }

  @Override
  public boolean previous() {
    if (state == State.NOWHERE) {
      return last();
    }
    catchUp();
    slot--;
    return settle(slot >= 0 || previousLeaf());
  }

  @Override
  public boolean nextRun(LongRun run) {
    if (!next()) {
      return false;
    }
    MemorySegment nodes = tree.nodes;
    if (tree.base != runBase || !runSegment.scope().isAlive()) {
      runBase = tree.base;
      runSegment = nodes.asReadOnly();
    }
    long firstKey = node + ((long) slot << 3);
    run.set(runSegment, firstKey, firstKey + leaf.valuesOffset, Long.BYTES, count - slot);
    slot = count - 1;
    currentKey = leaf.key(nodes, node, slot);
    return true;
  }

  /** Goes to the first slot of the leaf after this one, if there is one. */
  private boolean nextLeaf() {
    if (parent == 0) {
      return false;
    }
    MemorySegment nodes = tree.nodes;
    if (prefetchDistance > 0) {
      prefetchAhead(nodes, FORWARD);
    }
    long last = count > 0 ? leaf.key(nodes, node, count - 1) : Long.MIN_VALUE;
    if (parentSlot < inner.count(nodes, parent)) {
      parentSlot++;
    } else {
      parent = inner.next(nodes, parent);
      parentSlot = 0;
      if (parent == 0) {
        return false;
      }
    }
    node = inner.child(nodes, parent, parentSlot);
    count = Math.min(leaf.count(nodes, node), leaf.capacity);
    slot = 0;
    if (count > 0) {
      long first = leaf.key(nodes, node, 0);
      checkOrder(last < first && first <= leaf.key(nodes, node, count - 1));
    }
    return count > 0;
  }

  /** Goes to the last slot of the leaf before this one, if there is one. */
  private boolean previousLeaf() {
    if (parent == 0) {
      return false;
    }
    MemorySegment nodes = tree.nodes;
    if (prefetchDistance > 0) {
      prefetchAhead(nodes, BACKWARD);
    }
    long first = leaf.key(nodes, node, 0);
    if (parentSlot > 0) {
      parentSlot--;
    } else {
      parent = inner.previous(nodes, parent);
      if (parent == 0) {
        return false;
      }
      parentSlot = inner.count(nodes, parent);
    }
    node = inner.child(nodes, parent, parentSlot);
    count = Math.min(leaf.count(nodes, node), leaf.capacity);
    slot = count - 1;
    if (count > 0) {
      long last = leaf.key(nodes, node, slot);
      checkOrder(last < first && leaf.key(nodes, node, 0) <= last);
    }
    return count > 0;
  }

  /** Scans end because keys ascend; a tree that threads have torn may have lost that. */
  private static void checkOrder(boolean ordered) {
    if (!ordered) {
      throw new ConcurrentModificationException(
          "keys are out of order: the index was changed by another thread during a scan");
    }
  }

  /**
   * Asks for the leaves ahead, two with every step until they are {@code prefetchDistance} ahead,
   * so that a short range does not fetch many leaves in vain. Their places are in their parents;
   * when the last of them enters a new parent, the parent after that is asked for too.
   */
  private void prefetchAhead(MemorySegment nodes, int direction) {
    if (aheadDirection != direction) {
      aheadDirection = direction;
      aheadParent = parent;
      aheadSlot = parentSlot;
      leavesAhead = 0;
    }
    leavesAhead = Math.max(leavesAhead - 1, 0);
    for (int i = 0; i < 2 && leavesAhead < prefetchDistance && aheadParent != 0; i++) {
      aheadSlot += direction;
      if (aheadSlot < 0 || aheadSlot > inner.count(nodes, aheadParent)) {
        enterAheadParent(nodes, direction);
      }
      if (aheadParent != 0) {
        long ahead = inner.child(nodes, aheadParent, aheadSlot);
        Words.prefetch(tree.base + ahead, leaf.width, Locality.T1);
        leavesAhead++;
      }
    }
  }

  private void enterAheadParent(MemorySegment nodes, int direction) {
    aheadParent = neighbour(nodes, aheadParent, direction);
    if (aheadParent != 0) {
      aheadSlot = direction == FORWARD ? 0 : inner.count(nodes, aheadParent);
      long after = neighbour(nodes, aheadParent, direction);
      Words.prefetch(tree.base + after, inner.width, Locality.T0);
    }
  }

  private long neighbour(MemorySegment nodes, long innerNode, int direction) {
    return direction == FORWARD ? inner.next(nodes, innerNode) : inner.previous(nodes, innerNode);
  }

  /** Counts the entries from here on whose key is not above {@code to}; the cursor moves there. */
  long countUpTo(long to) {
    if (state != State.ON_ENTRY) {
      return 0;
    }
    MemorySegment nodes = tree.nodes;
    long total = 0;
    while (leaf.key(nodes, node, count - 1) <= to) {
      total += count - slot;
      if (!nextLeaf()) {
        nowhere();
        return total;
      }
    }
    return total + Keys.lowerBound(nodes, node, leaf.keySlots, to + 1) - slot;
  }

  // ---------------------------------------------------------------- entry

  @Override
  public long key() {
    checkOnEntry();
    return leaf.key(tree.nodes, node, slot);
  }

  @Override
  public long value() {
    checkOnEntry();
    return leaf.value(tree.nodes, node, slot);
  }

  @Override
  public void setValue(long value) {
    checkOnEntry();
    leaf.value(tree.nodes, node, slot, value);
  }

  @Override
  public void remove() {
    checkOnEntry();
    tree.remove(currentKey);
    removed = true;
  }

  private void checkOnEntry() {
    if (state != State.NOWHERE) {
      catchUp();
    }
    if (state != State.ON_ENTRY || removed) {
      tree.checkOpen();
      throw new IllegalStateException("the cursor is on no entry");
    }
  }
}
