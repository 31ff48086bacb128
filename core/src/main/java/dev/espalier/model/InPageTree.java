// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The tree within a page of the disk-first fpB+-tree (thesis 3.7).
 *
 * @param leaves its leaves; L in the thesis
 * @param levels its height
 */
record InPageTree(int leaves, int levels) {

  /** Returns the tree with the most leaves that fits into a page (equation 3.7). */
  static InPageTree largest(ModelParameters parameters, int width) {
    if (width < 1 || width > parameters.linesPerPage()) {
      throw new IllegalArgumentException(
          "width is " + width + " lines; it must be from 1 to " + parameters.linesPerPage());
    }
    int room = parameters.linesPerPage() / width;
    int branchFactor = width * parameters.entriesPerLine();
    int leaves = room;
    while (nodes(leaves, branchFactor) > room) {
      leaves--;
    }
    return new InPageTree(leaves, CostModel.height(branchFactor, leaves));
  }

  /** The sum over all levels of k(i, L). */
  private static int nodes(int leaves, int branchFactor) {
    int sum = leaves;
    for (int level = leaves; level > 1; ) {
      level = Math.ceilDiv(level, branchFactor);
      sum += level;
    }
    return sum;
  }
}
