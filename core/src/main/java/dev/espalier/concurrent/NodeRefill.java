// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * Brings nodes back to their minimum: one that has less merges with a sibling under the same
 * parent, if both fit in one node, or else takes from it.
 */
final class NodeRefill {
  private final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;

  NodeRefill(ConcurrentStructure tree) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
  }

  /**
   * Goes on until the node of a level that covers a key has its minimum, or is the root; within a
   * write.
   *
   * @return false if it stays as it is, because there is no memory to keep nodes for a snapshot
   */
  boolean refill(int level, long key) {
    while (true) {
      long found = tree.latch(level + 1, key);
      if (found == ConcurrentStructure.NO_SUCH_LEVEL) {
        return level == 0 || collapseRoot(level, key);
      }
      MemorySegment nodes = tree.nodes;
      long parent = ConcurrentStructure.nodeOf(found);
      int siblings = inner.count(nodes, parent);
      if (siblings == 0) {
        Versions.unlatch(nodes, parent);
        // An only child gets siblings by that, or becomes the root.
        if (!refill(level + 1, key)) {
          return false;
        }
        continue;
      }
      int slot = inner.search(nodes, parent, key);
      int leftSlot = Math.max(slot - 1, 0);
      long left = inner.child(nodes, parent, leftSlot);
      long right = inner.child(nodes, parent, leftSlot + 1);
      Versions.latch(nodes, left);
      Versions.latch(nodes, right);
      int count = count(nodes, level, slot == leftSlot ? left : right);
      int width = level == 0 ? leaf.width : inner.width;
      boolean isDone = count >= (level == 0 ? leaf.minimum : inner.minimum);
      boolean isAllowed = isDone || keep(parent, left, right, width);
      boolean merged = false;
      if (!isDone && isAllowed) {
        merged =
            level == 0
                ? refillLeaf(nodes, parent, leftSlot, left, right)
                : refillInner(nodes, parent, leftSlot, left, right);
      }
      Versions.unlatch(nodes, left);
      if (merged) {
        tree.pool.free(right, width);
      } else {
        Versions.unlatch(nodes, right);
      }
      Versions.unlatch(nodes, parent);
      if (isDone || !isAllowed) {
        return isDone;
      }
      if (merged && siblings - 1 < inner.minimum) {
        refill(level + 1, key);
      }
    }
  }

  /** Keeps the nodes of a change for snapshots, or notes that it could not be made. */
  private boolean keep(long parent, long left, long right, int width) {
    boolean isKept =
        tree.snapshots.keep(left, width)
            && tree.snapshots.keep(right, width)
            && tree.snapshots.keep(parent, inner.width);
    if (!isKept) {
      tree.hasThinNodes = true;
    }
    return isKept;
  }

  private int count(MemorySegment nodes, int level, long node) {
    return level == 0 ? leaf.count(nodes, node) : inner.count(nodes, node);
  }

  /** Makes the only child of the root the root. */
  private boolean collapseRoot(int level, long key) {
    long found = tree.latch(level, key);
    if (found == ConcurrentStructure.NO_SUCH_LEVEL) {
      return true;
    }
    MemorySegment nodes = tree.nodes;
    long node = ConcurrentStructure.nodeOf(found);
    boolean isRoot = getLong(nodes, ConcurrentStructure.ROOT) == (node | level);
    if (!isRoot || inner.count(nodes, node) > 0) {
      Versions.unlatch(nodes, node);
      return true;
    }
    if (!tree.snapshots.keep(node, inner.width)) {
      tree.hasThinNodes = true;
      Versions.unlatch(nodes, node);
      return false;
    }
    tree.beforeStep.run();
    tree.setRoot(nodes, inner.child(nodes, node, 0), level - 1);
    tree.pool.free(node, inner.width);
    return true;
  }

  // ---------------------------------------------------------------- leaves

  /** Merges two leaves, or shares their entries; tells whether they were merged. */
  private boolean refillLeaf(MemorySegment nodes, long parent, int slot, long left, long right) {
    int leftCount = leaf.count(nodes, left);
    int rightCount = leaf.count(nodes, right);
    int sum = leftCount + rightCount;
    if (sum <= leaf.capacity) {
      tree.beginStep(left);
      appendEntries(nodes, left, leftCount, right, rightCount);
      tree.endStep(left);
      removeRight(nodes, parent, slot);
      if (ConcurrentStructure.isLastLeaf(nodes, right)) {
        // All keys from the same one on belong to what is now the last leaf.
        putLong(nodes, ConcurrentStructure.LAST_LEAF, left);
      }
      return true;
    }
    if (leftCount < sum / 2) {
      shareToLeft(nodes, parent, slot, left, right);
    } else {
      shareToRight(nodes, parent, slot, left, right);
    }
    return false;
  }

  private void appendEntries(MemorySegment nodes, long left, int leftCount, long right, int more) {
    for (int i = 0; i < more; i++) {
      leaf.copyEntry(nodes, right, i, left, leftCount + i);
    }
    leaf.count(nodes, left, leftCount + more);
  }

  private void removeRight(MemorySegment nodes, long parent, int slot) {
    tree.beginInnerStep(parent);
    inner.remove(nodes, parent, slot);
    tree.endInnerStep(parent);
    tree.beforeStep.run();
  }

  private void separate(MemorySegment nodes, long parent, int slot, long separator) {
    tree.beginInnerStep(parent);
    inner.key(nodes, parent, slot, separator);
    tree.endInnerStep(parent);
  }

  /** Separates two leaves anew. */
  private void separateLeaves(
      MemorySegment nodes, long parent, int slot, long separator, long right) {
    separate(nodes, parent, slot, separator);
    if (ConcurrentStructure.isLastLeaf(nodes, right)) {
      tree.setLastLeaf(nodes, right, separator + 1);
    }
  }

  private void shareToLeft(MemorySegment nodes, long parent, int slot, long left, long right) {
    int leftCount = leaf.count(nodes, left);
    int rightCount = leaf.count(nodes, right);
    int moved = (leftCount + rightCount) / 2 - leftCount;
    tree.beginStep(left);
    appendEntries(nodes, left, leftCount, right, moved);
    tree.endStep(left);
    separateLeaves(nodes, parent, slot, leaf.key(nodes, right, moved - 1), right);
    tree.beginStep(right);
    int rest = rightCount - moved;
    for (int i = 0; i < rest; i++) {
      leaf.copyEntry(nodes, right, i + moved, right, i);
    }
    leaf.clearKeys(nodes, right, rest);
    leaf.count(nodes, right, rest);
    tree.endStep(right);
  }

  private void shareToRight(MemorySegment nodes, long parent, int slot, long left, long right) {
    int leftCount = leaf.count(nodes, left);
    int rightCount = leaf.count(nodes, right);
    int kept = (leftCount + rightCount) / 2;
    int moved = leftCount - kept;
    tree.beginStep(right);
    for (int i = rightCount - 1; i >= 0; i--) {
      leaf.copyEntry(nodes, right, i, right, i + moved);
    }
    for (int i = 0; i < moved; i++) {
      leaf.copyEntry(nodes, left, kept + i, right, i);
    }
    leaf.count(nodes, right, rightCount + moved);
    tree.endStep(right);
    separateLeaves(nodes, parent, slot, leaf.key(nodes, left, kept - 1), right);
    tree.beginStep(left);
    leaf.clearKeys(nodes, left, kept);
    leaf.count(nodes, left, kept);
    tree.endStep(left);
  }

  // ---------------------------------------------------------------- inner nodes

  /** Merges two inner nodes, or shares their children; tells whether they were merged. */
  private boolean refillInner(MemorySegment nodes, long parent, int slot, long left, long right) {
    int leftCount = inner.count(nodes, left);
    int rightCount = inner.count(nodes, right);
    long separator = inner.key(nodes, parent, slot);
    if (leftCount + 1 + rightCount <= inner.capacity) {
      tree.beginInnerStep(left);
      appendChildren(nodes, left, separator, right, rightCount + 1);
      tree.endInnerStep(left);
      removeRight(nodes, parent, slot);
      return true;
    }
    int kept = (leftCount + rightCount) / 2;
    if (leftCount < kept) {
      int moved = kept - leftCount;
      tree.beginInnerStep(left);
      appendChildren(nodes, left, separator, right, moved);
      tree.endInnerStep(left);
      separate(nodes, parent, slot, inner.key(nodes, right, moved - 1));
      tree.beginInnerStep(right);
      dropChildren(nodes, right, moved);
      tree.endInnerStep(right);
    } else {
      int moved = leftCount - kept;
      tree.beginInnerStep(right);
      prependChildren(nodes, right, separator, left, moved);
      tree.endInnerStep(right);
      separate(nodes, parent, slot, inner.key(nodes, left, kept));
      tree.beginInnerStep(left);
      inner.clearKeys(nodes, left, kept);
      inner.count(nodes, left, kept);
      tree.endInnerStep(left);
    }
    return false;
  }

  /** Adds the first children of {@code right}, which the separator divides from those of left. */
  private void appendChildren(
      MemorySegment nodes, long left, long separator, long right, int children) {
    int count = inner.count(nodes, left);
    inner.key(nodes, left, count, separator);
    for (int i = 0; i < children; i++) {
      inner.copyChild(nodes, right, i, left, count + 1 + i);
      if (i < children - 1) {
        inner.key(nodes, left, count + 1 + i, inner.key(nodes, right, i));
      }
    }
    inner.count(nodes, left, count + children);
  }

  /** Adds the last children of {@code left}, which the separator divides from those of right. */
  private void prependChildren(
      MemorySegment nodes, long right, long separator, long left, int children) {
    int count = inner.count(nodes, right);
    int leftCount = inner.count(nodes, left);
    for (int i = count; i >= 0; i--) {
      inner.copyChild(nodes, right, i, right, i + children);
      if (i < count) {
        inner.key(nodes, right, i + children, inner.key(nodes, right, i));
      }
    }
    inner.key(nodes, right, children - 1, separator);
    for (int i = 0; i < children; i++) {
      inner.copyChild(nodes, left, leftCount - children + 1 + i, right, i);
      if (i < children - 1) {
        inner.key(nodes, right, i, inner.key(nodes, left, leftCount - children + 1 + i));
      }
    }
    inner.count(nodes, right, count + children);
  }

  /** Removes the first children of a node. */
  private void dropChildren(MemorySegment nodes, long node, int children) {
    int count = inner.count(nodes, node);
    for (int i = 0; i < children; i++) {
      Slots.closeGap(nodes, node + VersionedInner.KEYS_OFFSET, 0, count - i);
    }
    for (int i = children; i <= count; i++) {
      inner.copyChild(nodes, node, i, node, i - children);
    }
    inner.clearKeys(nodes, node, count - children);
    inner.count(nodes, node, count - children);
  }
}
