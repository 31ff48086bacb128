// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;

/**
 * Checks the invariants I1 to I10 of {@link BPlusStructure}, in one pass from left to right, and
 * along with it those of the tree's {@link LeafListener}. Built to survive any damage: it follows
 * no offset that it has not checked, and visits no line twice.
 */
final class BPlusVerifier {
  private final BPlusStructure tree;
  private final MemorySegment nodes;
  private final LeafNode leaf;
  private final InnerNode inner;
  private final ProgressListener listener;

  private final LineClaims claims;
  private final LeafListener.Inspection leaves;

  /** The node last visited on each level, 0 for none. */
  private final long[] last;

  private long entries;

  private BPlusVerifier(BPlusStructure tree, ProgressListener listener) {
    this.tree = tree;
    this.nodes = tree.nodes;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.listener = listener;
    this.claims = new LineClaims(Math.min(tree.memory.endOffset(), nodes.byteSize()));
    this.leaves = tree.listener.inspect(claims);
    this.last = new long[Math.max(tree.height, 1)];
  }

  static void verify(BPlusStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new BPlusVerifier(tree, listener).run();
  }

  private void run() {
    check(
        tree.height >= 1 && tree.height <= BPlusStructure.MAX_HEIGHT,
        "I3",
        "the height is %d",
        tree.height);
    visit(tree.root, tree.height - 1, Long.MIN_VALUE, Long.MAX_VALUE, true);
    for (int level = tree.height - 1; level > 0; level--) {
      check(
          inner.next(nodes, last[level]) == 0,
          "I7",
          "the last node @%d of level %d has a next @%d",
          last[level],
          level,
          inner.next(nodes, last[level]));
    }
    check(
        entries == tree.size, "I6", "the size is %d, but there are %d entries", tree.size, entries);
    leaves.end();
    check(
        claims.bytes() == tree.memory.usedBytes(),
        "I10",
        "the nodes have %d bytes, but %d were given out",
        claims.bytes(),
        tree.memory.usedBytes());
  }

  /** Visits a node whose keys are from {@code low} to {@code high}, both included. */
  private void visit(long node, int level, long low, long high, boolean lastOfLevel) {
    claims.claim(node, level == 0 ? leaf.width : inner.width, level == 0 ? "leaf" : "inner node");
    if (level == 0) {
      visitLeaf(node, low, high, lastOfLevel);
    } else {
      visitInner(node, level, low, high, lastOfLevel);
    }
  }

  private void visitLeaf(long node, long low, long high, boolean lastOfLevel) {
    int count = leaf.count(nodes, node);
    boolean isRoot = tree.height == 1;
    checkCount(node, 0, count, leaf.capacity, isRoot ? 0 : 1);
    checkFill(node, 0, count, leaf.minimum, isRoot || lastOfLevel);
    checkKeys(node, 0, count, leaf.keySlots, low, high);
    leaves.visit(node);
    long before = entries;
    entries += count;
    if (before >>> 16 != entries >>> 16 && !listener.onProgress(entries, tree.size)) {
      throw new CancellationException("verify cancelled after " + entries + " entries");
    }
  }

  private void visitInner(long node, int level, long low, long high, boolean lastOfLevel) {
    int count = inner.count(nodes, node);
    boolean isRoot = level == tree.height - 1;
    checkCount(node, level, count, inner.capacity, 1);
    checkFill(node, level, count, inner.minimum, isRoot || lastOfLevel);
    checkKeys(node, level, count, inner.keySlots, low, high);
    checkChain(node, level);
    long childLow = low;
    for (int i = 0; i < count; i++) {
      long separator = inner.key(nodes, node, i);
      checkKey(separator < high, "I2", node, level, i, separator, "not below its parent's bound");
      visit(inner.child(nodes, node, i), level - 1, childLow, separator, false);
      childLow = separator + 1;
    }
    visit(inner.child(nodes, node, count), level - 1, childLow, high, lastOfLevel);
  }

  private void checkCount(long node, int level, int count, int capacity, int least) {
    check(
        count >= least && count <= capacity,
        "I4",
        "the node @%d of level %d has count %d, not from %d to %d",
        node,
        level,
        count,
        least,
        capacity);
  }

  private void checkFill(long node, int level, int count, int minimum, boolean exempt) {
    check(
        exempt || count >= minimum,
        "I5",
        "the node @%d of level %d has count %d, less than %d",
        node,
        level,
        count,
        minimum);
  }

  /** I1, I2 and I8: the same for leaves and inner nodes, whose key arrays both start the node. */
  private void checkKeys(long node, int level, int count, int slots, long low, long high) {
    for (int i = 0; i < slots; i++) {
      long key = leaf.key(nodes, node, i);
      if (i >= count) {
        checkKey(key == Keys.PADDING, "I8", node, level, i, key, "in an unused slot");
      } else {
        boolean ascends = i == 0 || leaf.key(nodes, node, i - 1) < key;
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

  private void checkChain(long node, int level) {
    long before = last[level];
    check(
        inner.previous(nodes, node) == before && (before == 0 || inner.next(nodes, before) == node),
        "I7",
        "the nodes @%d and @%d of level %d are not chained to each other",
        before,
        node,
        level);
    last[level] = node;
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of users
  private static void check(boolean holds, String invariant, String format, Object... arguments) {
    if (!holds) {
      throw new InvariantViolationException(invariant, String.format(format, arguments));
    }
  }
}
