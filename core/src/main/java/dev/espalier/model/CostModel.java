// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.util.function.IntToDoubleFunction;
import java.util.function.LongToIntFunction;

/**
 * The cache performance of indexes in memory, as modelled in chapter 3 of the thesis: the time that
 * a lookup waits for memory, in units of one full cache miss (T1).
 *
 * <p>The model assumes that trees are full, in memory, and not cached at all, that nodes are
 * aligned to lines, and that computation costs nothing. Leaves hold keys only, as in the thesis.
 * Methods that take a number of entries throw {@link IllegalArgumentException} if it is not
 * positive. All methods are pure functions and take microseconds.
 *
 * @param parameters the machine, the keys and the page size
 */
public record CostModel(ModelParameters parameters) {
  /* Overview: how the equations are read where the thesis leaves them open
   *
   *   3.3  H(bp, N/t) is taken as H(bp, N/(bt)): a leaf of the B+-tree is a page of b lines, as a
   *        leaf of the pB+-tree in 3.6 is w lines.
   *   3.3  D(log2 b), as printed, counts lines: about 6 misses per page of 128 lines. The text of
   *        3.9 and its statement that the T-tree does better come from another count, of keys: every
   *        step of the binary search misses, D(H(2, bt)) = 11, and an inner node takes one miss more
   *        for the child pointer, 12. bPlusTree is as printed, bPlusTreeAsDrawn as in 3.9.
   *   3.5  The branch factor 2p, "since the size of pointers and keys are assumed to be the same", is
   *        what fits into a line without pointers: t. So other sizes of pointers can be given.
   *   3.7  Inner pages hold L leaves of wp entries, leaf pages L leaves of wt keys, as in 3.6. A search
   *        in a page visits one node on each level of the in-page tree.
   *   3.8  "Doubling the branch factor" of 3.6 is wt, by the same reason as in 3.5.
   */

  /** The widest node that is considered, in lines, unless a page limits it further. */
  public static final int MAX_WIDTH = 64;

  /**
   * Returns the height of a tree with the given number of leaves, in levels: H(b, L) (equation
   * 3.1).
   *
   * @param branchFactor number of children of an inner node, at least 2
   * @param leaves number of leaves, at least 1
   */
  public static int height(long branchFactor, long leaves) {
    if (branchFactor < 2) {
      throw new IllegalArgumentException(
          "branchFactor is " + branchFactor + "; it must be at least 2");
    }
    checkPositive("leaves", leaves);
    int height = 1;
    for (long nodes = leaves; nodes > 1; nodes = Math.ceilDiv(nodes, branchFactor)) {
      height++;
    }
    return height;
  }

  /**
   * Returns the average depth of a node in a full binary tree, the root being at depth 1: D(h)
   * (equation 3.2). This is the average number of steps of a binary search.
   *
   * @param height number of levels of the tree, from 1 to 62
   */
  public static double averageDepth(int height) {
    if (height < 1 || height > 62) {
      throw new IllegalArgumentException("height is " + height + "; it must be from 1 to 62");
    }
    double nodesBelow = 1L << height;
    return ((height - 1) * nodesBelow + 1) / (nodesBelow - 1);
  }

  /** Returns the cost of the B+-tree with nodes as large as a page (equation 3.3). */
  public double bPlusTree(long entries) {
    return bPlusTreeHeight(entries) * averageDepth(ceilLog2(parameters.linesPerPage()));
  }

  /**
   * Returns the cost of the B+-tree as in figure 3.6, where every step of a binary search misses
   * the cache.
   */
  public double bPlusTreeAsDrawn(long entries) {
    double leaf = averageDepth(height(2, keysPerPage()));
    return leaf + (bPlusTreeHeight(entries) - 1) * (leaf + 1);
  }

  private int bPlusTreeHeight(long entries) {
    long branchFactor = (long) parameters.linesPerPage() * parameters.entriesPerLine();
    return height(branchFactor, leaves(entries, keysPerPage()));
  }

  private long keysPerPage() {
    return (long) parameters.linesPerPage() * parameters.keysPerLine();
  }

  /** Returns the cost of the T-tree with nodes of one line (equation 3.4). */
  public double tTree(long entries) {
    return averageDepth(height(2, leaves(entries, parameters.keysPerLine())));
  }

  /** Returns the cost of the CSS-tree (equation 3.5). */
  public double cssTree(long entries) {
    int keys = parameters.keysPerLine();
    return height(keys, leaves(entries, keys));
  }

  /**
   * Returns the cost of the CSB+-tree, whose branch factor is only slightly smaller than that of
   * the CSS-tree (3.5).
   */
  public double csbPlusTree(long entries) {
    return cssTree(entries);
  }

  /** Returns the cost of the pB+-tree with nodes of the best width (equation 3.6). */
  public double pbPlusTree(long entries) {
    return pbPlusTree(entries, pbPlusWidth(entries));
  }

  /**
   * Returns the cost of the pB+-tree with nodes of {@code width} lines (equation 3.6, before the
   * minimum is taken).
   */
  public double pbPlusTree(long entries, int width) {
    checkPositive("width", width);
    return wideNodes(entries, width, parameters.entriesPerLine());
  }

  /** Returns the width, in lines, with which {@link #pbPlusTree(long, int)} is least. */
  public int pbPlusWidth(long entries) {
    return bestWidth(width -> pbPlusTree(entries, width), MAX_WIDTH);
  }

  /** Returns the cost of the prefetching CSB+-tree with nodes of the best width (3.8). */
  public double pcsbPlusTree(long entries) {
    return pcsbPlusTree(entries, pcsbPlusWidth(entries));
  }

  /** Returns the cost of the prefetching CSB+-tree with nodes of {@code width} lines (3.8). */
  public double pcsbPlusTree(long entries, int width) {
    checkPositive("width", width);
    return wideNodes(entries, width, parameters.keysPerLine());
  }

  /** Returns the width, in lines, with which {@link #pcsbPlusTree(long, int)} is least. */
  public int pcsbPlusWidth(long entries) {
    return bestWidth(width -> pcsbPlusTree(entries, width), MAX_WIDTH);
  }

  private double wideNodes(long entries, int width, int branchesPerLine) {
    long leaves = leaves(entries, (long) width * parameters.keysPerLine());
    return height((long) width * branchesPerLine, leaves) * latencies(width);
  }

  /**
   * Returns the cost of the disk-first fpB+-tree with in-page nodes of the best width (equation
   * 3.7).
   */
  public double fpbPlusTree(long entries) {
    return fpbPlusTree(entries, fpbPlusWidth(entries));
  }

  /**
   * Returns the cost of the disk-first fpB+-tree with in-page nodes of {@code width} lines
   * (equation 3.7).
   *
   * @param width width of a node, at most the number of lines of a page
   */
  public double fpbPlusTree(long entries, int width) {
    InPageTree page = InPageTree.largest(parameters, width);
    long nodeLines = (long) page.leaves() * width;
    long pages = leaves(entries, nodeLines * parameters.keysPerLine());
    int height = height(nodeLines * parameters.entriesPerLine(), pages);
    return height * page.levels() * latencies(width);
  }

  /** Returns the width, in lines, with which {@link #fpbPlusTree(long, int)} is least. */
  public int fpbPlusWidth(long entries) {
    return bestWidth(width -> fpbPlusTree(entries, width), parameters.linesPerPage());
  }

  /**
   * Returns the average of the best widths for 10<sup>n</sup> entries, for all n from {@code least}
   * to {@code greatest}: a width that suits trees of all these sizes (thesis 3.6).
   *
   * @param widthOfEntries returns the best width for a number of entries, such as {@link
   *     #pbPlusWidth}
   * @param least the least n, from 0
   * @param greatest the greatest n, up to 18
   */
  public static double averageWidth(LongToIntFunction widthOfEntries, int least, int greatest) {
    if (least < 0 || greatest > 18 || least > greatest) {
      throw new IllegalArgumentException(
          "least is "
              + least
              + " and greatest is "
              + greatest
              + "; they must ascend within 0 to 18");
    }
    double sum = 0;
    for (int magnitude = least; magnitude <= greatest; magnitude++) {
      sum += widthOfEntries.applyAsInt(Math.powExact(10L, magnitude));
    }
    return sum / (greatest - least + 1);
  }

  /** Returns the time to fetch a node of {@code width} lines, in units of T1. */
  private double latencies(int width) {
    return parameters.times().ofLines(width) / parameters.times().t1();
  }

  /** Returns the width with the least cost, the narrowest if there are several. */
  private static int bestWidth(IntToDoubleFunction cost, int maxWidth) {
    int best = 1;
    double least = cost.applyAsDouble(1);
    for (int width = 2; width <= maxWidth; width++) {
      double candidate = cost.applyAsDouble(width);
      if (candidate < least) {
        least = candidate;
        best = width;
      }
    }
    return best;
  }

  private static long leaves(long entries, long perLeaf) {
    checkPositive("entries", entries);
    return Math.ceilDiv(entries, perLeaf);
  }

  private static int ceilLog2(int value) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(value - 1);
  }

  private static void checkPositive(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be positive");
    }
  }
}
