// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The largest tree that fits into a page of the disk-first fpB+-tree (fpB+ 3.1.1, thesis 3.7). All
 * leaves have one width, all inner nodes another, and every inner node may be full.
 *
 * @param leaves number of its leaves; L in the thesis
 * @param levels its height; 1 for a single leaf
 */
public record InPageTree(int leaves, int levels) {

  /**
   * Returns the tree with the most leaves that fits into a page. Takes microseconds.
   *
   * @param lines number of lines of the page, without its header
   * @param innerWidth width of an inner node, in lines
   * @param innerCapacity the most children of an inner node, at least 2
   * @param leafWidth width of a leaf, in lines, at most {@code lines}
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

  /** Returns the tree of equation 3.7 of the thesis, whose nodes all have the same width. */
  static InPageTree largest(ModelParameters parameters, int width) {
    checkWidth("width", width, parameters.linesPerPage());
    return largest(parameters.linesPerPage(), width, width * parameters.entriesPerLine(), width);
  }

  /**
   * Returns the least number of inner nodes above the given number of leaves: the sum of the k(i,
   * L) of the thesis over all levels above the leaves.
   *
   * @param leaves number of leaves, at least 1
   * @param innerCapacity the most children of an inner node, at least 2
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
