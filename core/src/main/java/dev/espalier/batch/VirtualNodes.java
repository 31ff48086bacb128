// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How the levels of a tree are grouped into virtual nodes (buffering paper, section 5): every one
 * of them but the root has a buffer.
 *
 * @param heights levels of the virtual nodes, from the root's down to the leaves'
 */
public record VirtualNodes(List<Integer> heights) {

  /** Most children of a virtual node: more would make its table larger than any cache. */
  static final int MOST_CHILDREN = 1 << 17;

  /** Copies the list and checks that every virtual node has a level. */
  public VirtualNodes {
    heights = List.copyOf(heights);
    if (heights.isEmpty() || heights.stream().anyMatch(height -> height < 1)) {
      throw new IllegalArgumentException(
          "heights is " + heights + "; every virtual node has one level at least");
    }
  }

  /** Returns virtual nodes of these heights, the root's first. */
  public static VirtualNodes of(Integer... heights) {
    return new VirtualNodes(List.of(heights));
  }

  /** Returns the number of levels of all virtual nodes of a path together. */
  public int treeHeight() {
    return heights.stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns the number of times that a probe waits in a buffer. */
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
   * Returns a bound of the numbers of the children of virtual nodes number {@code i}.
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
              + " children; the most is "
              + MOST_CHILDREN);
    }
    return (int) children;
  }

  /**
   * Takes probes from the top of the virtual node number {@code i} at {@code place} to its
   * children.
   */
  void descend(int i, TreeLevels tree, Probes probes, long place) {
    Arrays.fill(probes.places, 0, probes.count, place);
    Arrays.fill(probes.slots, 0, probes.count, 0);
    int top = topLevel(i);
    for (int level = top; level > top - heights.get(i); level--) {
      tree.descend(level, probes.keys, probes.places, probes.slots, probes.count);
    }
  }

  /** As the paper writes it: (2,1,4). */
  @Override
  public String toString() {
    return heights.stream().map(String::valueOf).collect(Collectors.joining(",", "(", ")"));
  }
}
