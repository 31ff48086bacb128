// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/**
 * Checks the invariants I9 to I15 of {@link InPageTrees} for one page, in one pass from left to
 * right. Built to survive any damage: it reads no node that is not wholly in the page, and none
 * twice.
 */
public final class InPageTreeVerifier {
  private final InPageTrees trees;
  private final MemorySegment pages;
  private final long page;
  private final int number;
  private final boolean isLeafPage;
  private final InPageLeaf leaf;
  private final BitSet taken = new BitSet();

  /** The leaf and the node above leaves that were visited last, 0 for none. */
  private int lastLeaf;

  private int lastParent;
  private int entries;

  private InPageTreeVerifier(InPageTrees trees, MemorySegment pages, long page, int number) {
    this.trees = trees;
    this.pages = pages;
    this.page = page;
    this.number = number;
    this.isLeafPage = PagePrefix.isLeaf(pages, page);
    this.leaf = trees.leafOf(pages, page);
  }

  public static void verify(InPageTrees trees, MemorySegment pages, long page, int number) {
    new InPageTreeVerifier(trees, pages, page, number).run();
  }

  private void run() {
    int root = trees.header.root(pages, page);
    check(
        root == trees.rootLine(number),
        "I15",
        "the root is at line %d, not %d",
        root,
        trees.rootLine(number));
    visit(root, trees.levels - 1, Long.MIN_VALUE, Long.MAX_VALUE, false);
    checkLeavesChained(lastLeaf, 0);
    if (trees.levels > 1) {
      checkParentsChained(lastParent, 0);
    }
    int last = trees.header.lastLeaf(pages, page);
    check(last == lastLeaf, "I13", "the last leaf is %d, not %d", lastLeaf, last);
    int count = PagePrefix.count(pages, page);
    check(entries == count, "I12", "the count is %d, but leaves have %d entries", count, entries);
    checkLines(root);
  }

  /** Visits a node whose keys are from {@code low} to {@code high}, both included. */
  private void visit(int line, int level, long low, long high, boolean hasSeparator) {
    int width = level == 0 ? leaf.width : trees.inner.width;
    check(
        line > 0 && line + width <= trees.pageLines,
        "I9",
        "a node of %d lines at line %d is not in the page",
        width,
        line);
    check(
        taken.nextSetBit(line) < 0 || taken.nextSetBit(line) >= line + width,
        "I9",
        "the node at line %d shares lines with another",
        line);
    taken.set(line, line + width);
    if (level == 0) {
      visitLeaf(line, low, high, hasSeparator);
    } else {
      visitInner(line, level, low, high, hasSeparator);
    }
  }

  private void visitInner(int line, int level, long low, long high, boolean hasSeparator) {
    InPageInnerNode inner = trees.inner;
    long node = node(line);
    checkLevel(line, level, inner.level(pages, node));
    int count = inner.count(pages, node);
    checkCount(line, count, 1, inner.capacity);
    checkKeys(line, count - 1, inner.keySlots, low, high);
    if (level == 1) {
      checkParentsChained(lastParent, line);
      lastParent = line;
    }
    long childLow = low;
    for (int i = 0; i < count; i++) {
      boolean isLast = i + 1 == count;
      long childHigh = isLast ? high : inner.key(pages, node, i);
      check(isLast || childHigh < high, "I11", "no key fits into the last child of line %d", line);
      visit(inner.child(pages, node, i), level - 1, childLow, childHigh, !isLast || hasSeparator);
      childLow = childHigh + 1;
    }
  }

  private void visitLeaf(int line, long low, long high, boolean hasSeparator) {
    long node = node(line);
    checkLevel(line, 0, leaf.level(pages, node));
    int count = leaf.count(pages, node);
    boolean mayBeEmpty = isLeafPage || PagePrefix.count(pages, page) == 0;
    checkCount(line, count, mayBeEmpty ? 0 : 1, leaf.capacity);
    checkKeys(line, count, leaf.keySlots, low, high);
    if (!isLeafPage && hasSeparator) {
      long last = leaf.key(pages, node, count - 1);
      check(
          last == high, "I11", "the last key of leaf %d is %d, not its bound %d", line, last, high);
    }
    entries += count;
    checkLeavesChained(lastLeaf, line);
    lastLeaf = line;
  }

  private void checkLevel(int line, int level, int itsLevel) {
    check(
        itsLevel == level, "I10", "the node at line %d of level %d says %d", line, level, itsLevel);
  }

  private void checkCount(int line, int count, int least, int most) {
    check(
        count >= least && count <= most,
        "I12",
        "the node at line %d has count %d, not from %d to %d",
        line,
        count,
        least,
        most);
  }

  private void checkKeys(int line, int count, int slots, long low, long high) {
    long node = node(line);
    for (int i = 0; i < count; i++) {
      long key = leaf.key(pages, node, i);
      check(
          key >= low && key <= high,
          "I11",
          "key %d of the node at line %d is not from %d to %d",
          key,
          line,
          low,
          high);
      check(
          i == 0 || leaf.key(pages, node, i - 1) < key,
          "I11",
          "key %d of the node at line %d is not above its predecessor",
          key,
          line);
    }
    for (int i = Math.max(count, 0); i < slots; i++) {
      long key = leaf.key(pages, node, i);
      check(key == Keys.PADDING, "I14", "slot %d of the node at line %d holds %d", i, line, key);
    }
  }

  /** Checks that two leaves are neighbours; 0 stands for the end. */
  private void checkLeavesChained(int left, int right) {
    int next = left == 0 ? trees.header.firstLeaf(pages, page) : leaf.next(pages, node(left));
    int previous = right == 0 ? left : leaf.previous(pages, node(right));
    checkChained(left, right, next, previous);
  }

  /** Checks that two nodes above leaves are neighbours; 0 stands for the end. */
  private void checkParentsChained(int left, int right) {
    InPageInnerNode inner = trees.inner;
    int next = left == 0 ? right : inner.next(pages, node(left));
    int previous = right == 0 ? left : inner.previous(pages, node(right));
    checkChained(left, right, next, previous);
  }

  private void checkChained(int left, int right, int next, int previous) {
    check(
        next == right && previous == left,
        "I13",
        "the nodes at lines %d and %d are not chained to each other",
        left,
        right);
  }

  /** Checks that the lines given out are those of the nodes. */
  private void checkLines(int root) {
    int above = trees.header.above(pages, page);
    int below = trees.header.below(pages, page);
    BitSet givenOut = new BitSet();
    givenOut.set(1, Math.clamp(below, 1, root));
    givenOut.set(root, Math.clamp(above, root, trees.pageLines));
    check(
        below >= 1 && below <= root && above <= trees.pageLines && taken.equals(givenOut),
        "I15",
        "the lines given out, up to %d and up to %d, are not those of the nodes %s",
        below,
        above,
        taken);
  }

  private long node(int line) {
    return page + ((long) line << CacheLine.SHIFT);
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of users
  private void check(boolean holds, String invariant, String message, Object... arguments) {
    if (!holds) {
      throw new InvariantViolationException(
          invariant, "in page " + number + ", " + String.format(message, arguments));
    }
  }
}
