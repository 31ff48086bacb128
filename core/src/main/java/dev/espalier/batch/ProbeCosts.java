// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.memory.CacheLine;
import dev.espalier.model.MemoryTimes;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a probe by each method, in nanoseconds, depending on the number of probes (buffering
 * paper, 6.6): measured by {@link BatchLookup#calibrate}, or else computed from the shape of the
 * tree and the latencies of memory.
 *
 * @param shape the levels of the tree
 * @param times latencies of this machine's memory
 * @param prefetches whether the tree prefetches for groups of probes
 * @param nodes the virtual nodes of buffered probes
 * @param measured what was measured; null if nothing was
 */
public record ProbeCosts(
    CacheAnalysis shape,
    MemoryTimes times,
    boolean prefetches,
    VirtualNodes nodes,
    @Nullable MeasuredCosts measured) {

  /** Searching a cached node: one search at a time, or many that do not wait for one another. */
  private static final double SEARCH_ALONE = 25;

  private static final double SEARCH_AMONG_OTHERS = 8;

  /** Copying a probe into a buffer and out of it. */
  private static final double BUFFER = 20;

  /**
   * Storing an answer at the place of its probe; the second is added if that place is not cached.
   */
  private static final double SCATTER = 2;

  private static final double SCATTER_FAR = 22;

  /** Creating the table of buffers and scanning it, for each child of the root's virtual node. */
  private static final double TABLE = 4;

  /** Visiting a buffer of the leaves' virtual nodes and starting on its first probes. */
  private static final double VISIT = 150;

  /**
   * Sorting a key and its place in the cache; the second is added for what does not fit into it.
   */
  private static final double SORT = 35;

  private static final double SORT_FAR = 25;

  /** A search of a node touches no more lines than this, however wide it is. */
  private static final int MOST_LINES = 8;

  ProbeCosts with(VirtualNodes measuredNodes, MeasuredCosts nanos) {
    return new ProbeCosts(shape, times, prefetches, measuredNodes, nanos);
  }

  /** Returns the expected time of one of {@code count} uniformly random probes, in nanoseconds. */
  public double nanos(ProbeMethod method, long count) {
    if (method == ProbeMethod.AUTO) {
      return Math.min(
          Math.min(nanos(ProbeMethod.SINGLE, count), nanos(ProbeMethod.GROUP, count)),
          Math.min(nanos(ProbeMethod.SORTED, count), nanos(ProbeMethod.BUFFERED, count)));
    }
    return measured == null ? computed(method, count) : measured.nanos(method, count);
  }

  private double computed(ProbeMethod method, long count) {
    long together = Math.min(count, BatchLookup.ROUND);
    return switch (method) {
      case SINGLE -> single();
      case GROUP -> prefetches ? group() : single();
      case SORTED -> sort(together) + scatter(together) + fetchedOnce(together, true);
      case BUFFERED ->
          nodes.buffers() * BUFFER
              + scatter(together)
              + fetchedOnce(together, false)
              + buffersVisited(together) * VISIT
              + shape.children(0, nodes.heights().getFirst()) * TABLE / count;
      case AUTO -> throw new IllegalArgumentException("method is AUTO; it has no time of its own");
    };
  }

  private static double sort(long count) {
    return SORT + CacheAnalysis.uncached(count * Long.BYTES) * SORT_FAR;
  }

  private static double scatter(long count) {
    return SCATTER + CacheAnalysis.uncached(count * Long.BYTES) * SCATTER_FAR;
  }

  /**
   * Returns the time of a single lookup. A prefetching tree waits once for all lines of a node;
   * others wait for each line.
   */
  private double single() {
    double sum = 0;
    for (int level = 0; level < height(); level++) {
      double waiting = prefetches ? times.ofLines(lines(level)) : lines(level) * times.t1();
      sum += SEARCH_ALONE + (shape.isCached(level) ? 0 : waiting);
    }
    return sum;
  }

  private double group() {
    double sum = 0;
    for (int level = 0; level < height(); level++) {
      sum += SEARCH_AMONG_OTHERS + (shape.isCached(level) ? 0 : lines(level) * times.tnext());
    }
    return sum;
  }

  /**
   * Returns the time if each node is fetched for the first probe that needs it, and then stays in
   * the cache. If probes come in key order, the processor prefetches nodes that lie close together
   * by itself.
   */
  private double fetchedOnce(long count, boolean inOrder) {
    double search = prefetches ? SEARCH_AMONG_OTHERS : SEARCH_ALONE;
    double apart = prefetches ? times.tnext() : (times.t1() + times.tnext()) / 2;
    double sum = 0;
    for (int level = 0; level < height(); level++) {
      double nodes = shape.children(0, level);
      double close = inOrder ? count / (count + nodes) : 0;
      double line = close * times.tnext() + (1 - close) * apart;
      sum += search + (shape.isCached(level) ? 0 : distinct(nodes, count) * lines(level) * line);
    }
    return sum;
  }

  /** Returns the number of visits per probe to buffers of the leaves' virtual nodes. */
  private double buffersVisited(long count) {
    int level = height() - nodes.heights().getLast();
    return level == 0 ? 0 : distinct(shape.children(0, level), count);
  }

  private int height() {
    return shape.levels().size();
  }

  /**
   * Returns how many lines of a node a search touches. In a leaf, half of the lines hold keys, and
   * all of these are searched; one more line holds the value.
   */
  private int lines(int level) {
    double nodeLines = shape.levels().get(level).effectiveBytes() / CacheLine.BYTES;
    boolean isLeaf = level == height() - 1;
    double lines = isLeaf ? Math.ceil(nodeLines / 2) + 1 : Math.ceil(nodeLines / 1.5);
    return (int) Math.clamp(lines, 1, MOST_LINES);
  }

  /**
   * Returns how many distinct nodes, of {@code nodes}, are met per probe by {@code count} random
   * probes.
   */
  private static double distinct(double nodes, long count) {
    return nodes / count * -Math.expm1(-count / nodes);
  }
}
