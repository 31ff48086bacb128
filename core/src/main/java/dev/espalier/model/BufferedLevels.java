// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/** The levels of a tree of pages, the root first, of which what was used last is in memory. */
final class BufferedLevels {
  /** More than any level has nodes, so that all are met. */
  private static final double MOST_SEARCHES = 1e18;

  private static final int BISECTIONS = 100;

  private final double[] nodes;
  private final int leafPages;

  private BufferedLevels(double[] nodes, int leafPages) {
    this.nodes = nodes;
    this.leafPages = leafPages;
  }

  /**
   * Returns the levels of a tree.
   *
   * @param perLeaf entries of an average leaf
   * @param children children of an average inner node, above 1
   * @param least the least number of levels
   */
  static BufferedLevels of(
      double entries, double perLeaf, int leafPages, double children, int least) {
    double[] upwards = new double[Long.SIZE];
    int height = 0;
    for (double nodes = Math.max(Math.ceil(entries / perLeaf), 1); ; nodes /= children) {
      upwards[height++] = Math.ceil(nodes);
      if (nodes <= 1 && height >= least) {
        break;
      }
    }
    double[] nodes = new double[height];
    for (int level = 0; level < height; level++) {
      nodes[level] = upwards[height - 1 - level];
    }
    return new BufferedLevels(nodes, leafPages);
  }

  /** Returns how many nodes a level has. */
  double nodes(int level) {
    return nodes[level];
  }

  /** Returns how many pages a leaf has; inner nodes have one. */
  int leafPages() {
    return leafPages;
  }

  int leafLevel() {
    return nodes.length - 1;
  }

  /**
   * Returns for each level how likely a search does not find its node among so many pages of
   * memory, of which those used last stay (LRU).
   *
   * <p>By the approximation of Che, Tung and Wang: a page stays for a time that is the same for
   * all. Within it, t searches come by; a level's nodes are all as likely to be met, so of n of
   * them one is not met with e<sup>-t/n</sup>. The pages that are met fill the memory, which gives
   * t.
   */
  double[] misses(double memoryPages) {
    double[] misses = new double[nodes.length];
    double most = 1;
    while (pagesMet(most) < memoryPages && most < MOST_SEARCHES) {
      most *= 2;
    }
    if (pagesMet(most) < memoryPages) {
      return misses; // Everything is in memory.
    }
    double least = 0;
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (least + most) / 2;
      if (pagesMet(middle) < memoryPages) {
        least = middle;
      } else {
        most = middle;
      }
    }
    for (int level = 0; level < nodes.length; level++) {
      misses[level] = Math.exp(-most / nodes[level]);
    }
    return misses;
  }

  /** Returns how many pages so many searches meet. */
  private double pagesMet(double searches) {
    double pages = 0;
    for (int level = 0; level < nodes.length; level++) {
      double met = nodes[level] * -Math.expm1(-searches / nodes[level]);
      pages += met * (level == leafLevel() ? leafPages : 1);
    }
    return pages;
  }
}
