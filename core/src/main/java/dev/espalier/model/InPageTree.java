// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The largest tree that fits into a page of the disk-first fpB+-tree (fpB+ 3.1.1, thesis 3.7): all
 * leaves are of one width, all inner nodes of another, and every inner node may be full.
 *
 * @param leaves its leaves; L in the thesis
 * @param levels its height, 1 if it is a single leaf
 */
public record InPageTree(int leaves, int levels) {

  /**
   * Returns the tree with the most leaves that fits into so many lines. Takes microseconds.
   *
   * @param lines lines of the page, without its header
   * @param innerWidth lines of an inner node
   * @param innerCapacity the most children of an inner node, two at least
   * @param leafWidth lines of a leaf, at most {@code lines}
   */
  public static InPageTree largest(int lines, int innerWidth, int innerCapacity, int leafWidth) {
    checkWidth("innerWidth", innerWidth, Integer.MAX_VALUE);
    checkWidth("leafWidth", leafWidth, lines);
    int leaves = lines / leafWidth;
    while ((long) leaves * leafWidth + (long) innerNodes(leaves, innerCapacity) * innerWidth
        > lines) {
      leaves--;
    }
    return new InPageTree(leaves, CostModel.height(innerCapacity, leaves));
  }

  /** Returns the tree of equation 3.7 of the thesis, whose nodes are all of one width. */
  static InPageTree largest(ModelParameters parameters, int width) {
    checkWidth("width", width, parameters.linesPerPage());
    return largest(parameters.linesPerPage(), width, width * parameters.entriesPerLine(), width);
  }

  /**
   * Returns the least number of inner nodes over so many leaves: the sum of k(i, L) of the thesis
   * over the levels above the leaves.
   *
   * @param leaves number of leaves, one at least
   * @param innerCapacity the most children of an inner node, two at least
   */
  public static int innerNodes(int leaves, int innerCapacity) {
    if (leaves < 1) {
      throw new IllegalArgumentException("leaves is " + leaves + "; it must be positive");
    }
    if (innerCapacity < 2) {
      throw new IllegalArgumentException(
          "innerCapacity is " + innerCapacity + "; it must be at least 2");
    }
    int sum = 0;
    for (int nodes = leaves; nodes > 1; ) {
      nodes = Math.ceilDiv(nodes, innerCapacity);
      sum += nodes;
    }
    return sum;
  }

  private static void checkWidth(String name, int width, int most) {
    if (width < 1 || width > most) {
      throw new IllegalArgumentException(
          name + " is " + width + " lines; it must be from 1 to " + most);
    }
  }
}
