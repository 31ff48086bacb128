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
 * possible, such that each virtual node fits into the cache together with what is written to the
 * buffers below it.
 *
 * @param levels the levels of the tree, from the root down
 */
public record CacheAnalysis(List<Level> levels) {

  /** The part of the last-level cache, one in so many, that other users of it leave. */
  private static final int LAST_LEVEL_SHARE = 16;

  /** How many nodes of each level to look at. */
  private static final int SAMPLE = 32;

  /**
   * The average node of one level.
   *
   * @param branching number of children; 0 for leaves
   * @param effectiveBytes how many bytes of a node lookups may touch
   * @param childNumbers exclusive upper bound of the numbers that identify a node's children: the
   *     size of the table of their buffers
   */
  public record Level(double branching, double effectiveBytes, int childNumbers) {}

  /**
   * Copies the list.
   *
   * @throws IllegalArgumentException if it is empty
   */
  public CacheAnalysis {
    levels = List.copyOf(levels);
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("levels is empty; a tree has at least one level");
    }
  }

  /** Analyses an index by looking at a few nodes of each level. */
  public static CacheAnalysis of(LongIndex index) {
    TreeLevels tree = BatchLookup.of(index).levels();
    return tree.whileNodesStay(() -> of(index, tree));
  }

  private static CacheAnalysis of(LongIndex index, TreeLevels tree) {
    int height = tree.height();
    SplittableRandom random = new SplittableRandom(height); // The same index, the same answer.
    List<Level> levels = new ArrayList<>();
    List<NodeView> nodes = List.of(index.rootView());
    for (int level = height - 1; level > 0; level--) {
      levels.add(average(nodes, levels, tree.maxChildren(level)));
      nodes = someChildren(nodes, random);
    }
    levels.add(average(nodes, levels, 0));
    return new CacheAnalysis(levels);
  }

  /**
   * Returns the average of a level. If no path of the sample is that long, assumes that its nodes
   * are like those above.
   */
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
   * Returns virtual nodes for the caches of this machine. If a tree waits for each cache miss, they
   * are sized for half the second-level cache; the other half is for the probes that pass through.
   * If misses overlap, because probes are prefetched in groups, a part of the last-level cache does
   * as well and takes fewer buffers.
   *
   * @param missesOverlap whether the tree prefetches for groups of probes
   */
  public VirtualNodes virtualNodesOfThisMachine(boolean missesOverlap) {
    return virtualNodes(
        missesOverlap
            ? Math.max(Machine.SECOND_LEVEL_BYTES, Machine.LAST_LEVEL_BYTES / LAST_LEVEL_SHARE)
            : Machine.SECOND_LEVEL_BYTES / 2);
  }

  /** Returns whether a level and all above it stay in this machine's last-level cache. */
  boolean isCached(int level) {
    return nodesBytes(0, level + 1) <= (double) Machine.LAST_LEVEL_BYTES / 4;
  }

  /**
   * Returns the share of {@code bytes} that does not fit into this machine's second-level cache.
   */
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
   * Returns virtual nodes for a cache. Those of the leaves are as high as fits into the cache;
   * above them there are as few as fit, all of about the same height. A level that is too large for
   * the cache by itself becomes a virtual node of its own.
   *
   * @param cacheBytes size of the cache, in bytes
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
   * Divides the levels above {@code end} into {@code parts} virtual nodes, the higher ones first;
   * empty if they do not fit.
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
   * Returns the branching factor of a virtual node of {@code height} levels from level {@code top}.
   */
  double children(int top, int height) {
    double children = 1;
    for (int level = top; level < top + height; level++) {
      children *= levels.get(level).branching;
    }
    return children;
  }

  /**
   * Returns how much cache, in bytes, a virtual node without leaves needs: for its nodes, and for
   * one line of its buffer and of the buffer of each child.
   *
   * @param top the first level of the virtual node, the root being level 0
   */
  double innerBytes(int top, int height) {
    return nodesBytes(top, height) + (children(top, height) + 1) * CacheLine.BYTES;
  }

  /** Returns how much cache, in bytes, a virtual node of all levels from {@code top} down needs. */
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
