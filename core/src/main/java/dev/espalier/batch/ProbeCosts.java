// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.memory.CacheLine;
import dev.espalier.model.MemoryTimes;

/**
 * What a probe of an index costs by each method, in nanoseconds, as a function of how many there
 * are (buffering paper, 6.6): computed from the tree's shape and the times of the memory, and
 * corrected by what {@link Calibration} has measured.
 *
 * @param shape the tree's levels
 * @param times of this machine's memory
 * @param prefetches whether the tree prefetches for groups of probes
 * @param nodes the virtual nodes for buffered probes
 * @param corrections measured time by computed time, where measured; else 1
 */
public record ProbeCosts(
    CacheAnalysis shape,
    MemoryTimes times,
    boolean prefetches,
    VirtualNodes nodes,
    Corrections corrections) {

  /** Searching a node in the cache: one after the other, or many that do not wait for another. */
  private static final double SEARCH_ALONE = 25;

  private static final double SEARCH_AMONG_OTHERS = 8;

  /** Copying a probe into a buffer and out of it. */
  private static final double BUFFER = 20;

  /** Putting an answer to its place, among those of all probes, and more where that is far. */
  private static final double SCATTER = 2;

  private static final double SCATTER_FAR = 22;

  /** Making the table of buffers and going through it: for each child of the root's node. */
  private static final double TABLE = 4;

  /** Going to a buffer of the leaves' virtual nodes and beginning with its first probes. */
  private static final double VISIT = 150;

  /** Sorting a key and its place in the cache, and dividing what is too much for it. */
  private static final double SORT = 35;

  private static final double SORT_FAR = 25;

  /** A search of a node touches no more lines than this, however wide it is. */
  private static final int MOST_LINES = 8;

  /**
   * Measured time by computed time, for each method.
   *
   * @param measured whether anything was measured
   */
  public record Corrections(
      double single, double group, double sorted, double buffered, boolean measured) {
    /** Nothing was measured. */
    public static final Corrections NONE = new Corrections(1, 1, 1, 1, false);
  }

  ProbeCosts with(VirtualNodes otherNodes, Corrections otherCorrections) {
    return new ProbeCosts(shape, times, prefetches, otherNodes, otherCorrections);
  }

  /** Returns the time of one of {@code count} uniformly random probes, in nanoseconds. */
  public double nanos(ProbeMethod method, long count) {
    long together = Math.min(count, BatchLookup.ROUND);
    return switch (method) {
      case SINGLE -> corrections.single * single();
      case GROUP -> corrections.group * (prefetches ? group() : single());
      case SORTED ->
          corrections.sorted * (sort(together) + scatter(together) + fetchedOnce(together, true));
      case BUFFERED ->
          corrections.buffered
              * (nodes.buffers() * BUFFER
                  + scatter(together)
                  + fetchedOnce(together, false)
                  + buffersVisited(together) * VISIT
                  + shape.children(0, nodes.heights().getFirst()) * TABLE / count);
      case AUTO ->
          Math.min(
              Math.min(nanos(ProbeMethod.SINGLE, count), nanos(ProbeMethod.GROUP, count)),
              Math.min(nanos(ProbeMethod.SORTED, count), nanos(ProbeMethod.BUFFERED, count)));
    };
  }

  private static double sort(long count) {
    return SORT + CacheAnalysis.uncached(count * Long.BYTES) * SORT_FAR;
  }

  private static double scatter(long count) {
    return SCATTER + CacheAnalysis.uncached(count * Long.BYTES) * SCATTER_FAR;
  }

  /** A prefetching tree waits for a node's lines together, another for each. */
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
   * The time where a node is fetched for the first of the probes that need it, and then kept. In
   * the order of the keys, the processor's own prefetching finds nodes that lie close together.
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

  /** Returns how many buffers of the leaves' virtual nodes are visited, per probe. */
  private double buffersVisited(long count) {
    int level = height() - nodes.heights().getLast();
    return level == 0 ? 0 : distinct(shape.children(0, level), count);
  }

  private int height() {
    return shape.levels().size();
  }

  /** Half of a leaf are keys, which are searched whole, and one line more has the value. */
  private int lines(int level) {
    double nodeLines = shape.levels().get(level).effectiveBytes() / CacheLine.BYTES;
    boolean isLeaf = level == height() - 1;
    double lines = isLeaf ? Math.ceil(nodeLines / 2) + 1 : Math.ceil(nodeLines / 1.5);
    return (int) Math.clamp(lines, 1, MOST_LINES);
  }

  /**
   * Returns how many different ones of {@code nodes} a probe of {@code count} meets, on average.
   */
  private static double distinct(double nodes, long count) {
    return nodes / count * -Math.expm1(-count / nodes);
  }
}
