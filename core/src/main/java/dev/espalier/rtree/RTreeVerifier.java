// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import dev.espalier.support.LineSet;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;

/**
 * Checks the invariants I1 to I9 of {@link RTreeStructure}, in one pass. Built to survive any
 * damage: it follows no offset that it has not checked, and visits no line twice.
 */
final class RTreeVerifier {
  private final RTreeStructure tree;
  private final MemorySegment nodes;
  private final ProgressListener listener;

  /** The lines of all nodes visited so far. */
  private final LineSet lines = new LineSet();

  /**
   * Where the memory given out ends; what is reserved behind it may be a thousand times as much.
   */
  private final long end;

  private long entries;
  private long bytes;

  private RTreeVerifier(RTreeStructure tree, ProgressListener listener) {
    this.tree = tree;
    this.nodes = tree.nodes;
    this.listener = listener;
    this.end = Math.min(tree.memory.endOffset(), nodes.byteSize());
  }

  static void verify(RTreeStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new RTreeVerifier(tree, listener).run();
  }

  private void run() {
    check(
        tree.height >= 1 && tree.height <= RTreeStructure.MAX_HEIGHT,
        "I3",
        "the height is %d",
        tree.height);
    visit(tree.root, tree.height - 1);
    check(
        entries == tree.size, "I6", "the size is %d, but there are %d entries", tree.size, entries);
    check(
        bytes == tree.memory.usedBytes(),
        "I9",
        "the nodes have %d bytes, but %d were given out",
        bytes,
        tree.memory.usedBytes());
  }

  /** Visits a node and what is below it; returns the bounds of its rectangles. */
  private Bounds visit(long node, int level) {
    RTreeNode layout = tree.layout(level);
    checkPlace(layout, node);
    int count = layout.count(nodes, node);
    checkCount(layout, node, level, count);
    Bounds bounds = new Bounds();
    bounds.reset();
    for (int slot = 0; slot < layout.slots; slot++) {
      if (slot < count) {
        checkRectangle(layout, node, level, slot);
        bounds.add(layout, nodes, node, slot);
      } else {
        checkPadding(layout, node, level, slot);
      }
    }
    if (level == 0) {
      report(count);
    } else {
      visitChildren(node, level, count);
    }
    return bounds;
  }

  private void visitChildren(long node, int level, int count) {
    RTreeInner inner = tree.inner;
    for (int slot = 0; slot < count; slot++) {
      long child = inner.child(nodes, node, slot);
      Bounds below = visit(child, level - 1);
      check(
          inner.isAt(nodes, node, slot, below.minX, below.minY, below.maxX, below.maxY),
          "I2",
          "the node @%d of level %d has another rectangle for its child @%d than that has itself",
          node,
          level,
          child);
    }
  }

  private void checkPlace(RTreeNode layout, long node) {
    check(
        node > 0 && node % CacheLine.BYTES == 0 && node + layout.bytes <= end,
        "I8",
        "a node would lie @%d, but nodes end @%d",
        node,
        end);
    for (long line = node >>> CacheLine.SHIFT, after = line + layout.width; line < after; line++) {
      check(lines.add(line), "I8", "the node @%d overlaps another", node);
    }
    bytes += layout.bytes;
  }

  private void checkCount(RTreeNode layout, long node, int level, int count) {
    boolean isRoot = level == tree.height - 1;
    int least = level > 0 ? 2 : isRoot ? 0 : 1;
    check(
        count >= least && count <= layout.capacity,
        "I4",
        "the node @%d of level %d has count %d, not from %d to %d",
        node,
        level,
        count,
        least,
        layout.capacity);
    check(
        isRoot || count >= layout.minimum,
        "I5",
        "the node @%d of level %d has count %d, less than %d",
        node,
        level,
        count,
        layout.minimum);
  }

  private void checkRectangle(RTreeNode layout, long node, int level, int slot) {
    double minX = layout.minX(nodes, node, slot);
    double minY = layout.minY(nodes, node, slot);
    double maxX = layout.maxX(nodes, node, slot);
    double maxY = layout.maxY(nodes, node, slot);
    check(
        minX <= maxX && minY <= maxY,
        "I1",
        "in the node @%d of level %d, slot %d has no rectangle: x from %s to %s, y from %s to %s",
        node,
        level,
        slot,
        minX,
        maxX,
        minY,
        maxY);
  }

  private void checkPadding(RTreeNode layout, long node, int level, int slot) {
    check(
        Double.isNaN(layout.minX(nodes, node, slot))
            && Double.isNaN(layout.minY(nodes, node, slot))
            && Double.isNaN(layout.maxX(nodes, node, slot))
            && Double.isNaN(layout.maxY(nodes, node, slot)),
        "I7",
        "in the node @%d of level %d, the unused slot %d is not padded",
        node,
        level,
        slot);
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
