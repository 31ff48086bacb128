// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongIndex;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;
import dev.espalier.model.CacheSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Chooses virtual nodes by the size of the cache (buffering paper, 5.1): as few buffers as
 * possible, while each virtual node stays in the cache with what is written below it.
 *
 * @param levels the tree's levels, the root's first
 */
public record CacheAnalysis(List<Level> levels) {

  /** The second-level cache where the system does not tell. */
  private static final long TYPICAL_CACHE_BYTES = 1 << 20;

  /** Nodes that are looked at on each level. */
  private static final int SAMPLE = 32;

  /**
   * The nodes of one level, on average.
   *
   * @param branching children of a node; 0 of leaves
   * @param effectiveBytes bytes of a node that lookups may touch
   */
  public record Level(double branching, double effectiveBytes) {}

  /** Copies the list. */
  public CacheAnalysis {
    levels = List.copyOf(levels);
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("levels is empty; a tree has one level at least");
    }
  }

  /** Looks at some nodes of each level of an index. */
  public static CacheAnalysis of(LongIndex index) {
    int height = index.levels().height();
    SplittableRandom random = new SplittableRandom(height); // The same index, the same answer.
    List<Level> levels = new ArrayList<>();
    List<NodeView> nodes = List.of(index.rootView());
    while (levels.size() < height) {
      levels.add(average(nodes, levels));
      nodes = someChildren(nodes, random);
    }
    return new CacheAnalysis(levels);
  }

  /** Where no path of the sample is so long, nodes are taken to be like those above. */
  private static Level average(List<NodeView> nodes, List<Level> above) {
    if (nodes.isEmpty()) {
      return above.getLast();
    }
    double children = 0;
    double bytes = 0;
    for (NodeView node : nodes) {
      children += node.children();
      bytes += (double) node.bytes() * node.count() / Math.max(1, node.capacity());
    }
    return new Level(children / nodes.size(), bytes / nodes.size());
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

  /** Chooses virtual nodes for the second-level cache of this machine. */
  public VirtualNodes virtualNodes() {
    return virtualNodes(cacheBytes());
  }

  /** Returns the bytes of this machine's second-level cache. */
  static long cacheBytes() {
    return Machine.CACHE_BYTES;
  }

  /** A holder, so that the system is asked once. */
  private static final class Machine {
    static final long CACHE_BYTES =
        CacheSizes.ofThisMachine().caches().stream()
            .filter(cache -> cache.level() == 2)
            .mapToLong(CacheSizes.Cache::bytes)
            .findFirst()
            .orElse(TYPICAL_CACHE_BYTES);
  }

  /**
   * Chooses virtual nodes for a cache: from the root down, each as high as the cache allows, and
   * the leaves' as soon as all that is left fits.
   */
  public VirtualNodes virtualNodes(long cacheBytes) {
    List<Integer> heights = new ArrayList<>();
    int top = 0;
    while (leavesBytes(top) > cacheBytes && top < levels.size() - 1) {
      int height = 1;
      while (top + height + 1 < levels.size()
          && innerBytes(top, height + 1) <= cacheBytes
          && childrenOf(top, height + 1) <= VirtualNodes.MOST_CHILDREN) {
        height++;
      }
      heights.add(height);
      top += height;
    }
    heights.add(levels.size() - top);
    return new VirtualNodes(heights);
  }

  /** Returns the branching factor of a virtual node. */
  private double childrenOf(int top, int height) {
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
    return nodesBytes(top, height) + (childrenOf(top, height) + 1) * CacheLine.BYTES;
  }

  /** Returns the cache that a virtual node of all levels from {@code top} on needs. */
  double leavesBytes(int top) {
    return nodesBytes(top, levels.size() - top) + 2 * CacheLine.BYTES;
  }

  private double nodesBytes(int top, int height) {
    double bytes = 0;
    for (int level = 0; level < height; level++) {
      bytes += childrenOf(top, level) * levels.get(top + level).effectiveBytes;
    }
    return bytes;
  }
}
