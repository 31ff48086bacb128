// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The levels of a tree of pages, the root first, of which what was used last is in memory, beside a
 * queue of pages that searches look into as well.
 */
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
   */
  double[] misses(double memoryPages) {
    return misses(memoryPages, 0);
  }

  /**
   * Returns for each level how likely a search does not find its node, and behind the levels how
   * likely it does not find its page of the queue, among so many pages of memory, of which those
   * used last stay (LRU).
   *
   * <p>By the approximation of Che, Tung and Wang: a page stays for a time that is the same for
   * all. Within it, t searches come by; a level's nodes are all as likely to be met, so of n of
   * them one is not met with e<sup>-t/n</sup>. The pages that are met fill the memory, which gives
   * t.
   *
   * @param queuePages pages of the queue, of which a search meets one; 0 if there is no queue
   */
  double[] misses(double memoryPages, int queuePages) {
    double[] misses = new double[nodes.length + 1];
    double most = 1;
    while (pagesMet(most, queuePages) < memoryPages && most < MOST_SEARCHES) {
      most *= 2;
    }
    if (pagesMet(most, queuePages) < memoryPages) {
      return misses; // Everything is in memory.
    }
    double least = 0;
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (least + most) / 2;
      if (pagesMet(middle, queuePages) < memoryPages) {
        least = middle;
      } else {
        most = middle;
      }
    }
    for (int level = 0; level < nodes.length; level++) {
      misses[level] = Math.exp(-most / nodes[level]);
    }
    misses[nodes.length] = queuePages == 0 ? 0 : Math.exp(-most / queuePages);
    return misses;
  }

  /** Returns how many pages so many searches meet. */
  private double pagesMet(double searches, int queuePages) {
    double pages = met(queuePages, searches);
    for (int level = 0; level < nodes.length; level++) {
      pages += met(nodes[level], searches) * (level == leafLevel() ? leafPages : 1);
    }
    return pages;
  }

  /** Returns how many of so many nodes some searches meet, each of them one. */
  private static double met(double nodes, double searches) {
    return nodes == 0 ? 0 : nodes * -Math.expm1(-searches / nodes);
  }
}
