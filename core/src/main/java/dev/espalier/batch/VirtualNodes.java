// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How the levels of a tree are grouped into virtual nodes (buffering paper, section 5). Each
 * virtual node except the root has a buffer.
 *
 * @param heights number of levels of each virtual node on a path, from the root down to the leaf
 */
public record VirtualNodes(List<Integer> heights) {

  /** The most children of a virtual node: more would make its table larger than any cache. */
  static final int MOST_CHILDREN = 1 << 17;

  /**
   * Copies the list.
   *
   * @throws IllegalArgumentException if the list is empty or a height is below 1
   */
  public VirtualNodes {
    heights = List.copyOf(heights);
    if (heights.isEmpty() || heights.stream().anyMatch(height -> height < 1)) {
      throw new IllegalArgumentException(
          "heights is " + heights + "; there must be at least one, and each must be at least 1");
    }
  }

  /** Returns virtual nodes of the given heights, the root first. */
  public static VirtualNodes of(Integer... heights) {
    return new VirtualNodes(List.of(heights));
  }

  /** Returns the height of the tree: the sum of the heights of all virtual nodes on a path. */
  public int treeHeight() {
    return heights.stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns how often a probe waits in a buffer. */
  public int buffers() {
    return heights.size() - 1;
  }

  /**
   * Returns the level of the topmost nodes in virtual nodes number {@code i}, the root's being 0.
   */
  int topLevel(int i) {
    int below = 0;
    for (int lower = i; lower < heights.size(); lower++) {
      below += heights.get(lower);
    }
    return below - 1;
  }

  /**
   * Returns an upper bound of the numbers of children in virtual nodes number {@code i}.
   *
   * @throws IllegalArgumentException if they are too many to buffer for
   */
  int maxChildren(int i, TreeLevels tree) {
    long children = 1;
    int top = topLevel(i);
    for (int level = top; level > top - heights.get(i); level--) {
      children = Math.min(children * tree.maxChildren(level), Integer.MAX_VALUE);
    }
    if (children > MOST_CHILDREN) {
      throw new IllegalArgumentException(
          "virtual nodes of height "
              + heights.get(i)
              + " below level "
              + top
              + " may have "
              + children
              + " children; at most "
              + MOST_CHILDREN
              + " are supported");
    }
    return (int) children;
  }

  /**
   * Moves probes from the top of virtual node number {@code i}, at {@code place}, to its children.
   */
  void descend(int i, TreeLevels tree, Probes probes, long place) {
    Arrays.fill(probes.places, 0, probes.count, place);
    Arrays.fill(probes.slots, 0, probes.count, 0);
    int top = topLevel(i);
    for (int level = top; level > top - heights.get(i); level--) {
      tree.descend(level, probes.keys, probes.places, probes.slots, probes.count);
    }
  }

  /** Returns the heights in the notation of the paper, such as {@code (2,1,4)}. */
  @Override
  public String toString() {
    return heights.stream().map(String::valueOf).collect(Collectors.joining(",", "(", ")"));
  }
}
