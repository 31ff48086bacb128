// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Arrays;

/** Where some probes are on each level of a tree, and the numbers of the children they go to. */
final class Descent {
  final int height;

  /** For each level, the places of the probes there. */
  final long[][] places;

  /** For each level but the leaves', the numbers of the children that the probes go to. */
  final int[][] numbers;

  private Descent(int height, int count) {
    this.height = height;
    this.places = new long[height][count];
    this.numbers = new int[height][count];
  }

  /** Takes probes from the root to the leaves. */
  static Descent of(TreeLevels tree, long[] keys) {
    Descent descent = new Descent(tree.height(), keys.length);
    int top = descent.height - 1;
    Arrays.fill(descent.places[top], tree.root());
    for (int level = top; level > 0; level--) {
      descent.places[level - 1] = descent.places[level].clone();
      tree.descend(level, keys, descent.places[level - 1], descent.numbers[level], keys.length);
    }
    return descent;
  }

  /** Tells whether all probes are where they were, and go there by the same numbers. */
  boolean isSameDownTo(int level, Descent other) {
    boolean isSame = Arrays.equals(places[level], other.places[level]);
    for (int above = level + 1; above < height; above++) {
      isSame &= Arrays.equals(numbers[above], other.numbers[above]);
    }
    return isSame;
  }
}
