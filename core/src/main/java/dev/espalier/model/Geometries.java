// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import dev.espalier.memory.CacheLine;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;

/**
 * Chooses node widths for the trees of this library: those that T1 and Tnext make fastest, for
 * single lookups or for batches. Pure functions, which take microseconds.
 *
 * <p>Unlike in {@link CostModel}, fan-outs are the real ones, with headers, padding and references
 * of four bytes. Widths are powers of two from 1 to {@value #MAX_WIDTH}: few enough that the
 * kernels which search a node can have straight-line code for each.
 */
public final class Geometries {
  /** The widest node, in lines. */
  public static final int MAX_WIDTH = 64;

  /**
   * The last-level cache that an index may hope for. More is often reported, and shared with other
   * programs; the widths chosen for batches are the same for half and twice as much.
   */
  private static final long CACHE_BYTES = 32L << 20;

  /** Batches pay off for indexes that are larger than the cache: the sizes that are averaged. */
  private static final long[] BATCHED_ENTRIES = {10_000_000, 100_000_000, 1_000_000_000};

  /** Probes that go down together, and wait for one latency together. */
  private static final int GROUP = 64;

  private Geometries() {}

  /**
   * What the width of a node decides, for inner nodes or for leaves.
   *
   * @param capacityOfWidth the most children of an inner node, two at least, or entries of a leaf,
   *     one at least, of a certain width in lines
   * @param linesOfWidth lines of such a node that a lookup touches: those of the keys, and the one
   *     of the child or value found
   */
  public record NodeKind(IntUnaryOperator capacityOfWidth, IntUnaryOperator linesOfWidth) {}

  /**
   * Widths of the two kinds of nodes.
   *
   * @param inner lines of an inner node
   * @param leaf lines of a leaf
   */
  public record Widths(int inner, int leaf) {}

  /**
   * Returns the widths that make single lookups fastest: nothing is cached, a node costs {@code T1
   * + (width - 1) * Tnext}, and a lookup visits one on each level (thesis 3.6).
   *
   * <p>The best widths for one number of entries jump where the height does. As the thesis does by
   * averaging over magnitudes, this chooses for no number in particular: a tree over n leaves
   * counts as ln(n) / ln(fan-out) levels, a fraction too. Then a level of inner nodes is worth its
   * time per logarithm of its fan-out, and a leaf saves its capacity's logarithm of that. The
   * widths grow with T1 / Tnext and depend on nothing else.
   */
  public static Widths forSingleProbes(MemoryTimes times, NodeKind inner, NodeKind leaf) {
    IntToDoubleFunction timePerLogarithm =
        width -> times.ofLines(width) / Math.log(inner.capacityOfWidth.applyAsInt(width));
    int innerWidth = bestWidth(timePerLogarithm);
    double saved = timePerLogarithm.applyAsDouble(innerWidth);
    int leafWidth =
        bestWidth(
            width ->
                times.ofLines(width) - saved * Math.log(leaf.capacityOfWidth.applyAsInt(width)));
    return new Widths(innerWidth, leafWidth);
  }

  /**
   * Returns the widths that make batched lookups fastest, over indexes that are larger than the
   * cache. The lookups of a batch overlap their latencies, so what counts is how many lines they
   * touch that are not cached: see {@link #timeOfBatchedProbe}.
   */
  public static Widths forBatches(MemoryTimes times, NodeKind inner, NodeKind leaf) {
    Widths best = new Widths(1, 1);
    double least = Double.POSITIVE_INFINITY;
    for (int innerWidth = 1; innerWidth <= MAX_WIDTH; innerWidth *= 2) {
      for (int leafWidth = 1; leafWidth <= MAX_WIDTH; leafWidth *= 2) {
        Widths widths = new Widths(innerWidth, leafWidth);
        double time = 0;
        for (long entries : BATCHED_ENTRIES) {
          time += timeOfBatchedProbe(times, inner, leaf, widths, entries);
        }
        if (time < least) {
          least = time;
          best = widths;
        }
      }
    }
    return best;
  }

  /**
   * Returns the time of one lookup of a batch. The levels fill the cache from the root on, and the
   * last one that finds room in it may be there in part. On each level a lookup takes, once for the
   * search, Tnext, which is near to what a search in a cached node was measured to take
   * (docs/measurements/node-widths.md); and if the node is not cached, Tnext for each line that it
   * touches, and its share of the latency that its group waits for once.
   */
  static double timeOfBatchedProbe(
      MemoryTimes times, NodeKind inner, NodeKind leaf, Widths widths, long entries) {
    int fanOut = inner.capacityOfWidth.applyAsInt(widths.inner);
    int capacity = leaf.capacityOfWidth.applyAsInt(widths.leaf);
    if (fanOut < 2 || capacity < 1) {
      throw new IllegalArgumentException(
          "fan-out is " + fanOut + ", capacity of leaves " + capacity + ": no tree can be built");
    }
    long nodes = Math.ceilDiv(entries, capacity);
    long bytesAbove = innerBytes(nodes, fanOut, widths.inner);
    double time = levelTime(times, leaf, widths.leaf, nodes, bytesAbove);
    while (nodes > 1) {
      nodes = Math.ceilDiv(nodes, fanOut);
      bytesAbove -= nodes * bytes(widths.inner);
      time += levelTime(times, inner, widths.inner, nodes, bytesAbove);
    }
    return time;
  }

  /** The bytes of all inner nodes over a number of leaves. */
  private static long innerBytes(long leaves, int fanOut, int width) {
    long sum = 0;
    for (long nodes = leaves; nodes > 1; ) {
      nodes = Math.ceilDiv(nodes, fanOut);
      sum += nodes * bytes(width);
    }
    return sum;
  }

  /** The time on a level of so many nodes, where the levels above it take {@code bytesAbove}. */
  private static double levelTime(
      MemoryTimes times, NodeKind kind, int width, long nodes, long bytesAbove) {
    double bytes = nodes * bytes(width);
    double uncached = Math.clamp((bytesAbove + bytes - CACHE_BYTES) / bytes, 0, 1);
    int lines = kind.linesOfWidth.applyAsInt(width);
    double ofMiss = lines * times.tnext() + (times.t1() - times.tnext()) / GROUP;
    return times.tnext() + uncached * ofMiss;
  }

  private static long bytes(int width) {
    return (long) width << CacheLine.SHIFT;
  }

  private static int bestWidth(IntToDoubleFunction time) {
    int best = 1;
    for (int width = 2; width <= MAX_WIDTH; width *= 2) {
      if (time.applyAsDouble(width) < time.applyAsDouble(best)) {
        best = width;
      }
    }
    return best;
  }
}
