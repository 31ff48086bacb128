// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongIndex;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;
import dev.espalier.model.CacheSizes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Chooses virtual nodes by the size of the cache (buffering paper, 5.1): as few buffers as
 * possible, while each virtual node stays in the cache with what is written below it.
 *
 * @param levels the tree's levels, the root's first
 */
public record CacheAnalysis(List<Level> levels) {

  /** The share of the last-level cache that other users of it leave. */
  private static final int LAST_LEVEL_SHARE = 16;

  /** Nodes that are looked at on each level. */
  private static final int SAMPLE = 32;

  /**
   * The nodes of one level, on average.
   *
   * @param branching children of a node; 0 of leaves
   * @param effectiveBytes bytes of a node that lookups may touch
   * @param childNumbers bound of the numbers of a node's children, from which the table of their
   *     buffers takes its size
   */
  public record Level(double branching, double effectiveBytes, int childNumbers) {}

  /** Copies the list. */
  public CacheAnalysis {
    levels = List.copyOf(levels);
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("levels is empty; a tree has one level at least");
    }
  }

  /** Looks at some nodes of each level of an index. */
  public static CacheAnalysis of(LongIndex index) {
    TreeLevels tree = BatchLookup.of(index).levels();
    int height = tree.height();
    SplittableRandom random = new SplittableRandom(height); // The same index, the same answer.
    List<Level> levels = new ArrayList<>();
    List<NodeView> nodes = List.of(index.rootView());
    while (levels.size() < height) {
      int level = height - 1 - levels.size();
      levels.add(average(nodes, levels, level == 0 ? 0 : tree.maxChildren(level)));
      nodes = someChildren(nodes, random);
    }
    return new CacheAnalysis(levels);
  }

  /** Where no path of the sample is so long, nodes are taken to be like those above. */
  private static Level average(List<NodeView> nodes, List<Level> above, int childNumbers) {
    if (nodes.isEmpty()) {
      return above.getLast();
    }
    double children = 0;
    double bytes = 0;
    for (NodeView node : nodes) {
      children += node.children();
      bytes += (double) node.bytes() * node.count() / Math.max(1, node.capacity());
    }
    return new Level(children / nodes.size(), bytes / nodes.size(), childNumbers);
  }

  private static List<NodeView> someChildren(List<NodeView> nodes, SplittableRandom random) {
    List<NodeView> parents = nodes.stream().filter(node -> node.children() > 0).toList();
    List<NodeView> children = new ArrayList<>();
    for (int i = 0; i < SAMPLE && !parents.isEmpty(); i++) {
      NodeView parent = parents.get(random.nextInt(parents.size()));
      children.add(parent.child(random.nextInt(parent.children())));
    }
    return children;
  }

  /**
   * Chooses virtual nodes for the caches of this machine: half of the second level for trees that
   * wait for each miss; what passes through has the other half. Where misses overlap, because
   * probes of a buffer are prefetched in groups, a share of the last level is as good, and there
   * are fewer buffers (docs/measurements/buffering.md).
   */
  public VirtualNodes virtualNodesOfThisMachine(boolean missesOverlap) {
    return virtualNodes(
        missesOverlap
            ? Math.max(Machine.SECOND_LEVEL_BYTES, Machine.LAST_LEVEL_BYTES / LAST_LEVEL_SHARE)
            : Machine.SECOND_LEVEL_BYTES / 2);
  }

  /** Tells whether a level and all above it stay in this machine's last-level cache. */
  boolean isCached(int level) {
    return nodesBytes(0, level + 1) <= (double) Machine.LAST_LEVEL_BYTES / 4;
  }

  /** Returns the share of so many bytes that this machine's second-level cache has no room for. */
  static double uncached(long bytes) {
    return Math.max(0, 1 - (double) Machine.SECOND_LEVEL_BYTES / bytes);
  }

  /** A holder, so that the system is asked once. */
  private static final class Machine {
    private static final CacheSizes CACHES = CacheSizes.ofThisMachine();
    static final long SECOND_LEVEL_BYTES = CACHES.secondLevelBytes();

    static final long LAST_LEVEL_BYTES = Math.max(CACHES.lastLevelBytes(), 4 * SECOND_LEVEL_BYTES);
  }

  /**
   * Chooses virtual nodes for a cache: the leaves' as high as the cache allows, and above them as
   * few as it allows, all of about the same height. Levels that are too large for the cache have
   * virtual nodes of their own.
   */
  public VirtualNodes virtualNodes(long cacheBytes) {
    int top = levels.size() - 1;
    while (top > 0 && leavesBytes(top - 1) <= cacheBytes) {
      top--;
    }
    for (int parts = 1; parts < top; parts++) {
      Optional<List<Integer>> upper = upperHeights(top, parts, cacheBytes);
      if (upper.isPresent()) {
        return below(upper.get(), levels.size() - top);
      }
    }
    return below(Collections.nCopies(top, 1), levels.size() - top);
  }

  /**
   * Divides the levels above {@code end} into parts that fit, if they do, the higher ones first.
   */
  private Optional<List<Integer>> upperHeights(int end, int parts, long cacheBytes) {
    List<Integer> heights = new ArrayList<>();
    int top = 0;
    for (int left = parts; left > 0; left--) {
      int height = Math.ceilDiv(end - top, left);
      if (!isBufferable(top, height, cacheBytes)) {
        return Optional.empty();
      }
      heights.add(height);
      top += height;
    }
    return Optional.of(heights);
  }

  private static VirtualNodes below(List<Integer> upper, int leaves) {
    List<Integer> heights = new ArrayList<>(upper);
    heights.add(leaves);
    return new VirtualNodes(heights);
  }

  private boolean isBufferable(int top, int height, long cacheBytes) {
    double numbers = 1;
    for (int level = top; level < top + height; level++) {
      numbers *= levels.get(level).childNumbers;
    }
    return numbers <= VirtualNodes.MOST_CHILDREN && innerBytes(top, height) <= cacheBytes;
  }

  /**
   * Returns the branching factor of a virtual node of so many levels, from level {@code top} on.
   */
  double children(int top, int height) {
    double children = 1;
    for (int level = top; level < top + height; level++) {
      children *= levels.get(level).branching;
    }
    return children;
  }

  /**
   * Returns the cache that a virtual node needs which has no leaves: its nodes, and one line of
   * each child's buffer and of its own.
   *
   * @param top number of the virtual node's first level, the root's being 0
   */
  double innerBytes(int top, int height) {
    return nodesBytes(top, height) + (children(top, height) + 1) * CacheLine.BYTES;
  }

  /** Returns the cache that a virtual node of all levels from {@code top} on needs. */
  double leavesBytes(int top) {
    return nodesBytes(top, levels.size() - top) + 2 * CacheLine.BYTES;
  }

  private double nodesBytes(int top, int height) {
    double bytes = 0;
    for (int level = 0; level < height; level++) {
      bytes += children(top, level) * levels.get(top + level).effectiveBytes;
    }
    return bytes;
  }
}
