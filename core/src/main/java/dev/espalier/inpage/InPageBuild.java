// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import static dev.espalier.inpage.InPageTrees.node;

import java.lang.foreign.MemorySegment;

/** Makes the in-page tree of a page anew, from entries in order. */
final class InPageBuild {
  private final InPageTrees trees;
  private final InPageInnerNode inner;

  InPageBuild(InPageTrees trees) {
    this.trees = trees;
    this.inner = trees.inner;
  }

  /**
   * As {@link InPageTrees#store}.
   *
   * @param least entries of a leaf, if there are so many
   */
  void store(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      long[] keys,
      long[] payloads,
      int from,
      int count,
      int least) {
    trees.prefetch(pages, page);
    boolean isLeafPage = PagePrefix.isLeaf(pages, page);
    InPageLeaf leaf = isLeafPage ? trees.valueLeaf : trees.childLeaf;
    int leaves = Math.clamp(Math.ceilDiv(count, least), 1, trees.mostLeaves);
    int root = trees.header.root(pages, page);
    if (root < 1
        || root > 1 + (trees.mostLeaves - 1) * leaf.width
        || root % leaf.width != 1 % leaf.width) {
      throw InPageTrees.torn(page);
    }
    int innerNodes = innerNodes(leaves);
    trees.header.above(pages, page, root + innerNodes * inner.width);
    trees.header.below(pages, page, 1);
    int previous = 0;
    for (int i = 0; i < leaves; i++) {
      int start = isLeafPage ? share(i, count, leaves) : i * leaf.capacity;
      int end = isLeafPage ? share(i + 1, count, leaves) : Math.min(start + leaf.capacity, count);
      scratch.nodes[i] =
          storeLeaf(pages, page, leaf, previous, keys, payloads, from + start, from + end);
      scratch.bounds[i] = end == 0 ? Long.MAX_VALUE : keys[from + end - 1];
      previous = scratch.nodes[i];
    }
    trees.header.firstLeaf(pages, page, scratch.nodes[0]);
    trees.header.lastLeaf(pages, page, previous);
    int nodes = leaves;
    int firstLine = root + innerNodes * inner.width;
    for (int level = 1; level < trees.levels; level++) {
      int parents = Math.ceilDiv(nodes, inner.capacity);
      firstLine -= parents * inner.width;
      storeInnerLevel(scratch, pages, page, level, nodes, parents, firstLine);
      nodes = parents;
    }
    PagePrefix.count(pages, page, count);
    trees.header.noteStored(pages, page);
  }

  /** Returns where share {@code i} of {@code count} things among {@code takers} begins. */
  private static int share(int i, int count, int takers) {
    return (int) ((long) i * count / takers);
  }

  /** Returns the inner nodes over so many leaves, one on each level at least. */
  private int innerNodes(int leaves) {
    int sum = 0;
    int nodes = leaves;
    for (int level = 1; level < trees.levels; level++) {
      nodes = Math.ceilDiv(nodes, inner.capacity);
      sum += nodes;
    }
    return sum;
  }

  /** Makes the next leaf, behind {@code previous}, and returns its line. */
  private int storeLeaf(
      MemorySegment pages,
      long page,
      InPageLeaf leaf,
      int previous,
      long[] keys,
      long[] payloads,
      int from,
      int end) {
    int line = trees.allocate(pages, page, leaf.width);
    long node = trees.written(page, line, leaf.width);
    leaf.initialize(pages, node, 0);
    leaf.previous(pages, node, previous);
    if (previous != 0) {
      leaf.next(pages, node(page, previous), line);
    }
    for (int i = from; i < end; i++) {
      leaf.key(pages, node, i - from, keys[i]);
      leaf.payload(pages, node, i - from, payloads[i]);
    }
    leaf.count(pages, node, end - from);
    return line;
  }

  /**
   * Makes the inner nodes of a level over the nodes whose lines and bounds are noted, and notes
   * theirs instead.
   */
  private void storeInnerLevel(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      int level,
      int nodes,
      int parents,
      int firstLine) {
    for (int i = 0; i < parents; i++) {
      int start = share(i, nodes, parents);
      int children = share(i + 1, nodes, parents) - start;
      int line = firstLine + i * inner.width;
      long node = node(page, line);
      inner.initialize(pages, node, level);
      for (int child = 0; child < children; child++) {
        inner.child(pages, node, child, scratch.nodes[start + child]);
        if (child + 1 < children) {
          inner.key(pages, node, child, scratch.bounds[start + child]);
        }
      }
      inner.count(pages, node, children);
      if (level == 1) {
        inner.previous(pages, node, i == 0 ? 0 : line - inner.width);
        inner.next(pages, node, i + 1 == parents ? 0 : line + inner.width);
      }
      scratch.nodes[i] = line;
      scratch.bounds[i] = scratch.bounds[start + children - 1];
    }
  }
}
