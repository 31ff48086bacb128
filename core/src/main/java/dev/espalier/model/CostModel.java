// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.util.function.IntToDoubleFunction;
import java.util.function.LongToIntFunction;

/**
 * The cache performance of the in-memory indexes, as chapter 3 of the thesis models it: the time
 * that one lookup waits for memory, in units of one full miss latency.
 *
 * <p>Trees are full and wholly in memory, nothing of them is cached, nodes are aligned to lines,
 * and work in the processor costs nothing. Leaves hold keys only, as in the thesis. Every method
 * takes the number of entries, which must be positive; all are pure functions and take microseconds
 * at most.
 *
 * @param parameters the machine, the keys and the page size
 */
public record CostModel(ModelParameters parameters) {
  /* Overview: how equations are read where the thesis leaves it open
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

  /** The widest node that is considered, in lines, where no page bounds it. */
  public static final int MAX_WIDTH = 64;

  /**
   * Height of a tree with leaves, in levels: H(b, L) (equation 3.1).
   *
   * @param branchFactor children per inner node, two at least
   * @param leaves number of leaves, one at least
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
   * Average height at which a node of a full binary tree lies, the root at 1: D(h) (equation 3.2).
   * That many steps a binary search takes on average.
   *
   * @param height levels of the tree, from 1 to 62
   */
  public static double averageDepth(int height) {
    if (height < 1 || height > 62) {
      throw new IllegalArgumentException("height is " + height + "; it must be from 1 to 62");
    }
    double nodesBelow = 1L << height;
    return ((height - 1) * nodesBelow + 1) / (nodesBelow - 1);
  }

  /** The B+-tree with nodes of the size of a page (equation 3.3). */
  public double bPlusTree(long entries) {
    return bPlusTreeHeight(entries) * averageDepth(ceilLog2(parameters.linesPerPage()));
  }

  /** The B+-tree as figure 3.6 draws it: every step of a binary search misses. */
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

  /** The T-tree with nodes of one line (equation 3.4). */
  public double tTree(long entries) {
    return averageDepth(height(2, leaves(entries, parameters.keysPerLine())));
  }

  /** The CSS-tree (equation 3.5). */
  public double cssTree(long entries) {
    int keys = parameters.keysPerLine();
    return height(keys, leaves(entries, keys));
  }

  /** The CSB+-tree; its branch factor is but slightly smaller than the CSS-tree's (3.5). */
  public double csbPlusTree(long entries) {
    return cssTree(entries);
  }

  /** The pB+-tree with nodes of the best width (equation 3.6). */
  public double pbPlusTree(long entries) {
    return pbPlusTree(entries, pbPlusWidth(entries));
  }

  /** The pB+-tree with nodes of {@code width} lines (equation 3.6, before the minimum). */
  public double pbPlusTree(long entries, int width) {
    checkPositive("width", width);
    return wideNodes(entries, width, parameters.entriesPerLine());
  }

  /** Returns the width that {@link #pbPlusTree(long)} is best with, in lines. */
  public int pbPlusWidth(long entries) {
    return bestWidth(width -> pbPlusTree(entries, width), MAX_WIDTH);
  }

  /** The prefetching CSB+-tree with nodes of the best width (3.8). */
  public double pcsbPlusTree(long entries) {
    return pcsbPlusTree(entries, pcsbPlusWidth(entries));
  }

  /** The prefetching CSB+-tree with nodes of {@code width} lines (3.8). */
  public double pcsbPlusTree(long entries, int width) {
    checkPositive("width", width);
    return wideNodes(entries, width, parameters.keysPerLine());
  }

  /** Returns the width that {@link #pcsbPlusTree(long)} is best with, in lines. */
  public int pcsbPlusWidth(long entries) {
    return bestWidth(width -> pcsbPlusTree(entries, width), MAX_WIDTH);
  }

  private double wideNodes(long entries, int width, int branchesPerLine) {
    long leaves = leaves(entries, (long) width * parameters.keysPerLine());
    return height((long) width * branchesPerLine, leaves) * latencies(width);
  }

  /** The disk-first fpB+-tree with in-page nodes of the best width (equation 3.7). */
  public double fpbPlusTree(long entries) {
    return fpbPlusTree(entries, fpbPlusWidth(entries));
  }

  /**
   * The disk-first fpB+-tree with in-page nodes of {@code width} lines (equation 3.7).
   *
   * @param width at most the lines of a page
   */
  public double fpbPlusTree(long entries, int width) {
    InPageTree page = InPageTree.largest(parameters, width);
    long nodeLines = (long) page.leaves() * width;
    long pages = leaves(entries, nodeLines * parameters.keysPerLine());
    int height = height(nodeLines * parameters.entriesPerLine(), pages);
    return height * page.levels() * latencies(width);
  }

  /** Returns the width that {@link #fpbPlusTree(long)} is best with, in lines. */
  public int fpbPlusWidth(long entries) {
    return bestWidth(width -> fpbPlusTree(entries, width), parameters.linesPerPage());
  }

  /**
   * Returns the average of the widths that are best for 10<sup>n</sup> entries, for every n between
   * two magnitudes: a width that is adequate for trees of all these sizes (thesis 3.6).
   *
   * @param widthOfEntries such as {@link #pbPlusWidth}
   */
  public static double averageWidth(LongToIntFunction widthOfEntries, int least, int greatest) {
    if (least < 0 || greatest > 18 || least > greatest) {
      throw new IllegalArgumentException(
          "magnitudes are from " + least + " to " + greatest + "; they must ascend within 0 to 18");
    }
    double sum = 0;
    for (int magnitude = least; magnitude <= greatest; magnitude++) {
      sum += widthOfEntries.applyAsInt(Math.powExact(10L, magnitude));
    }
    return sum / (greatest - least + 1);
  }

  /** The time to fetch a node of {@code width} lines, in units of one latency. */
  private double latencies(int width) {
    return parameters.times().ofLines(width) / parameters.times().t1();
  }

  /** The width, among equals the narrowest, with the least cost. */
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
