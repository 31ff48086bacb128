// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import dev.espalier.support.LineSet;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;

/**
 * Checks the invariants I1 to I10 of {@link CsbPlusStructure}, in one pass from left to right.
 * Built to survive any damage: it follows no offset that it has not checked, and visits no line
 * twice.
 */
final class CsbPlusVerifier {
  private final CsbPlusStructure tree;
  private final MemorySegment nodes;
  private final CsbLeafNode leaf;
  private final CsbInnerNode inner;
  private final ProgressListener listener;

  /** The lines of all groups seen so far. */
  private final LineSet lines = new LineSet();

  /**
   * Where the memory given out ends; what is reserved behind it may be a thousand times as much.
   */
  private final long end;

  private long entries;
  private long bytes;

  private CsbPlusVerifier(CsbPlusStructure tree, ProgressListener listener) {
    this.tree = tree;
    this.nodes = tree.nodes;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.listener = listener;
    this.end = Math.min(tree.memory.endOffset(), nodes.byteSize());
  }

  static void verify(CsbPlusStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new CsbPlusVerifier(tree, listener).run();
  }

  private void run() {
    check(
        tree.height >= 1 && tree.height <= CsbPlusStructure.MAX_HEIGHT,
        "I3",
        "the height is %d",
        tree.height);
    check(
        tree.rootRoom >= 1 && tree.rootRoom <= inner.maxChildren,
        "I7",
        "the root lies where there is room for %d nodes",
        tree.rootRoom);
    claim(tree.root, tree.rootRoom, tree.height - 1);
    visit(tree.root, tree.height - 1, Long.MIN_VALUE, Long.MAX_VALUE, true, true);
    check(
        entries == tree.size, "I6", "the size is %d, but there are %d entries", tree.size, entries);
    check(
        bytes == tree.memory.usedBytes(),
        "I10",
        "the nodes have %d bytes, but %d were given out",
        bytes,
        tree.memory.usedBytes());
  }

  /** Checks where {@code room} nodes of a level would lie, and that nothing else lies there. */
  private void claim(long group, int room, int level) {
    int claimed = room * tree.widthOf(level);
    long claimedBytes = (long) claimed << CacheLine.SHIFT;
    check(
        group > 0 && group % CacheLine.BYTES == 0 && group + claimedBytes <= end,
        "I9",
        "%d nodes of level %d would lie @%d, but nodes end @%d",
        room,
        level,
        group,
        end);
    for (long line = group >>> CacheLine.SHIFT, after = line + claimed; line < after; line++) {
      check(lines.add(line), "I9", "the nodes @%d of level %d overlap others", group, level);
    }
    bytes += claimedBytes;
  }

  /** Visits a node whose keys are from {@code low} to {@code high}, both included. */
  private void visit(
      long node, int level, long low, long high, boolean lastOfLevel, boolean onlyChild) {
    if (level == 0) {
      visitLeaf(node, low, high, lastOfLevel || onlyChild);
    } else {
      visitInner(node, level, low, high, lastOfLevel);
    }
  }

  private void visitLeaf(long node, long low, long high, boolean mayBeUnderfull) {
    int count = leaf.count(nodes, node);
    checkCount(node, 0, "entries", count, tree.height == 1 ? 0 : 1, leaf.capacity);
    check(
        mayBeUnderfull || count >= leaf.minimum,
        "I5",
        "the leaf @%d has %d entries, less than %d",
        node,
        count,
        leaf.minimum);
    checkKeys(node, 0, 0, count, leaf.keySlots, low, high);
    long before = entries;
    entries += count;
    if (before >>> 16 != entries >>> 16 && !listener.onProgress(entries, tree.size)) {
      throw new CancellationException("verify cancelled after " + entries + " entries");
    }
  }

  private void visitInner(long node, int level, long low, long high, boolean lastOfLevel) {
    int children = inner.children(nodes, node);
    boolean isRoot = level == tree.height - 1;
    checkCount(node, level, "children", children, isRoot ? 2 : 1, inner.maxChildren);
    int separators = children - 1;
    checkKeys(node, inner.keysOffset, level, separators, inner.capacity, low, high);
    checkSegments(node, level);
    long childLow = low;
    for (int i = 0; i < children; i++) {
      boolean isLast = i == separators;
      long childHigh = isLast ? high : inner.key(nodes, node, i);
      checkKey(isLast || childHigh < high, "I2", node, level, i, childHigh, "not below its bound");
      visit(
          inner.child(nodes, node, i, tree.childBytes(level)),
          level - 1,
          childLow,
          childHigh,
          lastOfLevel && isLast,
          children == 1);
      childLow = childHigh + 1;
    }
  }

  private void checkCount(long node, int level, String what, int count, int least, int most) {
    check(
        count >= least && count <= most,
        "I4",
        "the node @%d of level %d has %d %s, not from %d to %d",
        node,
        level,
        count,
        what,
        least,
        most);
  }

  /** I7, and I9 for the segments' places. */
  private void checkSegments(long node, int level) {
    boolean allBeforeUsed = true;
    for (int segment = 0; segment < inner.segments; segment++) {
      int size = inner.size(nodes, node, segment);
      int room = inner.room(nodes, node, segment);
      long group = inner.group(nodes, node, segment);
      boolean isUsed = size > 0;
      check(
          isUsed
              ? allBeforeUsed && room >= size && room <= inner.maxChildren
              : size == 0 && room == 0 && group == 0,
          "I7",
          "segment %d of the node @%d of level %d, @%d, has %d children and room for %d",
          segment,
          node,
          level,
          group,
          size,
          room);
      if (isUsed) {
        claim(group, room, level - 1);
      }
      allBeforeUsed = isUsed;
    }
  }

  /** I1, I2 and I8, which are the same for leaves and inner nodes. */
  private void checkKeys(
      long node, int keysOffset, int level, int count, int slots, long low, long high) {
    long keys = node + keysOffset;
    for (int i = 0; i < slots; i++) {
      long key = leaf.key(nodes, keys, i);
      if (i >= count) {
        checkKey(key == Keys.PADDING, "I8", node, level, i, key, "in an unused slot");
      } else {
        boolean ascends = i == 0 || leaf.key(nodes, keys, i - 1) < key;
        checkKey(ascends, "I1", node, level, i, key, "not above its predecessor");
        checkKey(
            key >= low && key <= high, "I2", node, level, i, key, "outside its parent's bounds");
      }
    }
  }

  private static void checkKey(
      boolean holds, String invariant, long node, int level, int slot, long key, String wrong) {
    if (!holds) {
      throw new InvariantViolationException(
          invariant,
          "in the node @%d of level %d, key %d in slot %d is %s"
              .formatted(node, level, key, slot, wrong));
    }
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of users
  private static void check(boolean holds, String invariant, String format, Object... arguments) {
    if (!holds) {
      throw new InvariantViolationException(invariant, String.format(format, arguments));
    }
  }
}
