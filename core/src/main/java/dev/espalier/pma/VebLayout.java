// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

/**
 * Where the nodes of a complete binary tree are in van Emde Boas order: the upper half of its
 * levels first, as a tree of its own, then the trees below that from left to right, and each of all
 * these in the same way.
 *
 * <pre>
 *  height 4, numbered level by level:  1 2 3 | 4 8 9 | 5 10 11 | 6 12 13 | 7 14 15
 * </pre>
 *
 * Every depth but the root's is the first of the bottom trees of one division. Of that division the
 * tables have the size of the top tree, that of each bottom tree, and the depth where the top tree
 * begins; so a position is a sum over the few divisions that lead to a node (Brodal, Fagerberg and
 * Jacob's tables; theirs are for a descent that keeps the positions of the whole path).
 */
final class VebLayout {
  /** Number of levels; 0 for a tree without nodes. */
  final int height;

  /** By depth: nodes of the top tree, of a bottom tree, and depth of the top tree's root. */
  final long[] top;

  final long[] bottom;
  final int[] topDepth;

  VebLayout(int height) {
    this.height = height;
    top = new long[height];
    bottom = new long[height];
    topDepth = new int[height];
    divide(height, 0);
  }

  private void divide(int levels, int depth) {
    if (levels <= 1) {
      return;
    }
    int below = bottomHeight(levels);
    int first = depth + levels - below;
    top[first] = (1L << (levels - below)) - 1;
    bottom[first] = (1L << below) - 1;
    topDepth[first] = depth;
    divide(levels - below, depth);
    divide(below, first);
  }

  /** Returns the height of the bottom trees of a tree of that height. */
  static int bottomHeight(int levels) {
    return levels / 2;
  }

  /** Returns the number of nodes. */
  long nodes() {
    return (1L << height) - 1;
  }

  /**
   * Returns the position of a node, from 0 on.
   *
   * @param node its number level by level: 1 for the root, children 2i and 2i + 1
   * @param depth of the node, 0 for the root
   */
  long position(long node, int depth) {
    long position = 0;
    long above = node;
    for (int at = depth; at > 0; ) {
      // The bits of the path below the top tree's root are the bottom tree's number.
      position += top[at] + (above & top[at]) * bottom[at];
      above >>>= at - topDepth[at];
      at = topDepth[at];
    }
    return position;
  }
}
