// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import dev.espalier.support.LineSet;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;

/**
 * Checks the invariants I1 to I10 of {@link TTreeStructure}, in one pass in key order. Built to
 * survive any damage: it follows no offset that it has not checked, visits no line twice, and goes
 * no deeper than heights, which it checks on the way down, allow.
 */
final class TTreeVerifier {
  private final TTreeStructure tree;
  private final MemorySegment nodes;
  private final TTreeNode layout;
  private final ProgressListener listener;

  /** The lines of all nodes visited so far. */
  private final LineSet lines = new LineSet();

  /**
   * Where the memory given out ends; what is reserved behind it may be a thousand times as much.
   */
  private final long end;

  private long entries;
  private long bytes;

  private TTreeVerifier(TTreeStructure tree, ProgressListener listener) {
    this.tree = tree;
    this.nodes = tree.nodes;
    this.layout = tree.layout;
    this.listener = listener;
    this.end = Math.min(tree.memory.endOffset(), nodes.byteSize());
  }

  static void verify(TTreeStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new TTreeVerifier(tree, listener).run();
  }

  private void run() {
    visit(tree.root, 0, TTreeStructure.MAX_HEIGHT, Long.MIN_VALUE, Long.MAX_VALUE);
    check(
        entries == tree.size, "I6", "the size is %d, but there are %d entries", tree.size, entries);
    check(
        bytes == tree.memory.usedBytes(),
        "I10",
        "the nodes have %d bytes, but %d were given out",
        bytes,
        tree.memory.usedBytes());
  }

  /**
   * Visits a subtree whose keys are from {@code low} to {@code high}, both included, and whose
   * height is {@code mostHeight} at most. Returns its height.
   */
  private int visit(long node, long parent, int mostHeight, long low, long high) {
    checkPlace(node);
    int height = layout.height(nodes, node);
    check(
        height >= 1 && height <= mostHeight,
        "I3",
        "the node @%d has height %d, not from 1 to %d",
        node,
        height,
        mostHeight);
    check(
        layout.parent(nodes, node) == parent,
        "I7",
        "the node @%d has the parent @%d, not @%d",
        node,
        layout.parent(nodes, node),
        parent);
    long left = layout.child(nodes, node, LEFT);
    long right = layout.child(nodes, node, RIGHT);
    int count = layout.count(nodes, node);
    checkCount(node, count, left, right);
    checkKeys(node, count, low, high);
    report(count);
    int leftHeight = 0;
    int rightHeight = 0;
    if (left != 0) {
      long least = layout.key(nodes, node, 0);
      check(least > low, "I2", "the node @%d leaves no key for its left subtree", node);
      leftHeight = visit(left, node, height - 1, low, least - 1);
    }
    if (right != 0) {
      long greatest = layout.key(nodes, node, count - 1);
      check(greatest < high, "I2", "the node @%d leaves no key for its right subtree", node);
      rightHeight = visit(right, node, height - 1, greatest + 1, high);
    }
    check(
        height == 1 + Math.max(leftHeight, rightHeight) && Math.abs(leftHeight - rightHeight) <= 1,
        "I3",
        "the node @%d of height %d has children of heights %d and %d",
        node,
        height,
        leftHeight,
        rightHeight);
    return height;
  }

  private void checkPlace(long node) {
    check(
        node > 0 && node % CacheLine.BYTES == 0 && node + layout.bytes <= end,
        "I9",
        "a node would lie @%d, but nodes end @%d",
        node,
        end);
    for (long line = node >>> CacheLine.SHIFT, after = line + layout.width; line < after; line++) {
      check(lines.add(line), "I9", "the node @%d overlaps another", node);
    }
    bytes += layout.bytes;
  }

  private void checkCount(long node, int count, long left, long right) {
    boolean isOnlyNode = node == tree.root && left == 0 && right == 0;
    check(
        count >= (isOnlyNode ? 0 : 1) && count <= layout.capacity,
        "I4",
        "the node @%d has count %d of %d",
        node,
        count,
        layout.capacity);
    check(
        left == 0 || right == 0 || count >= layout.minimum,
        "I5",
        "the internal node @%d has count %d, less than %d",
        node,
        count,
        layout.minimum);
  }

  private void checkKeys(long node, int count, long low, long high) {
    for (int i = 0; i < count; i++) {
      long key = layout.key(nodes, node, i);
      boolean ascends = i == 0 || layout.key(nodes, node, i - 1) < key;
      checkKey(ascends, "I1", node, i, key, "not above its predecessor");
      checkKey(key >= low && key <= high, "I2", node, i, key, "outside its ancestors' bounds");
    }
    if (count > 0) {
      long greatest = layout.greatest(nodes, node);
      boolean repeats = layout.key(nodes, node, count - 1) == greatest;
      checkKey(repeats, "I8", node, count - 1, greatest, "in the header, but not the last in use");
    }
  }

  private static void checkKey(
      boolean holds, String invariant, long node, int slot, long key, String wrong) {
    if (!holds) {
      throw new InvariantViolationException(
          invariant, "in the node @%d, key %d of slot %d is %s".formatted(node, key, slot, wrong));
    }
  }

  private void report(int count) {
    long before = entries;
    entries += count;
    if (before >>> 16 != entries >>> 16 && !listener.onProgress(entries, tree.size)) {
      throw new CancellationException("verify cancelled after " + entries + " entries");
    }
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of users
  private static void check(boolean holds, String invariant, String format, Object... arguments) {
    if (!holds) {
      throw new InvariantViolationException(invariant, String.format(format, arguments));
    }
  }
}
