// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The levels of a tree of pages, the root first, of which as much as there is memory for is in
 * memory, from the root down.
 */
final class BufferedLevels {
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

  /** Returns for each level what part of its nodes is not among so many pages of memory. */
  double[] misses(double memoryPages) {
    double[] misses = new double[nodes.length];
    double left = Math.max(memoryPages, 0);
    for (int level = 0; level < nodes.length; level++) {
      double pages = nodes[level] * (level == leafLevel() ? leafPages : 1);
      misses[level] = 1 - Math.min(left / pages, 1);
      left = Math.max(left - pages, 0);
    }
    return misses;
  }
}
