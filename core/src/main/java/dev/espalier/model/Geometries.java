// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import dev.espalier.memory.CacheLine;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;

/**
 * Chooses node widths for the trees of this library: those that are fastest with given T1 and
 * Tnext, for single lookups or for batches. All methods are pure functions and take microseconds.
 *
 * <p>Unlike {@link CostModel}, this class uses the real fan-outs, with headers, padding and
 * references of four bytes. Widths are powers of two from 1 to {@value #MAX_WIDTH}: few enough for
 * the search kernels to have straight-line code for each.
 */
public final class Geometries {
  /** The widest node, in lines. */
  public static final int MAX_WIDTH = 64;

  /**
   * How much of the last-level cache an index is assumed to have. Machines often report more, but
   * share it with other programs. The widths chosen for batches are the same for half and for twice
   * as much.
   */
  private static final long CACHE_BYTES = 32L << 20;

  /**
   * The numbers of entries over which batches are averaged: batches pay off for indexes larger than
   * the cache.
   */
  private static final long[] BATCHED_ENTRIES = {10_000_000, 100_000_000, 1_000_000_000};

  /** Number of probes that descend together and share one wait for memory. */
  private static final int GROUP = 64;

  private Geometries() {}

  /**
   * What depends on the width of a node, for inner nodes or for leaves.
   *
   * @param capacityOfWidth returns the most children of an inner node (at least 2) or the most
   *     entries of a leaf (at least 1) of a given width in lines
   * @param linesOfWidth returns how many lines of a node of a given width a lookup touches: those
   *     of the keys, and the one of the child or value found
   */
  public record NodeKind(IntUnaryOperator capacityOfWidth, IntUnaryOperator linesOfWidth) {}

  /**
   * The widths of the two kinds of nodes.
   *
   * @param inner width of an inner node, in lines
   * @param leaf width of a leaf, in lines
   */
  public record Widths(int inner, int leaf) {}

  /**
   * Returns the widths with which single lookups are fastest. The model assumes that nothing is
   * cached, that a node costs {@code T1 + (width - 1) * Tnext}, and that a lookup visits one node
   * on each level (thesis 3.6).
   *
   * <p>For a fixed number of entries, the best widths jump wherever the height changes. The thesis
   * averages over magnitudes; this method does not depend on the number of entries at all, by
   * taking the height as the fraction ln(n) / ln(fan-out) for n leaves. Inner nodes are then chosen
   * for the least time per logarithm of their fan-out; a wider leaf is worth this time for each
   * logarithm of its capacity. The widths grow with T1 / Tnext and depend on nothing else.
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
   * Returns the widths with which batched lookups are fastest, in indexes larger than the cache.
   * The lookups of a batch overlap their latencies, so what counts is the number of uncached lines
   * that they touch.
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
   * Returns the time of one lookup of a batch. The levels fill the cache from the root down; the
   * last one to fit may be cached in part. On each level a lookup takes Tnext for the search, close
   * to what was measured for a cached node (docs/measurements/node-widths.md). If the node is not
   * cached, it also takes Tnext for each line it touches, and its share of the one latency that its
   * group waits for.
   */
  static double timeOfBatchedProbe(
      MemoryTimes times, NodeKind inner, NodeKind leaf, Widths widths, long entries) {
    int fanOut = inner.capacityOfWidth.applyAsInt(widths.inner);
    int capacity = leaf.capacityOfWidth.applyAsInt(widths.leaf);
    if (fanOut < 2 || capacity < 1) {
      throw new IllegalArgumentException(
          "fan-out is "
              + fanOut
              + ", capacity of leaves "
              + capacity
              + "; a tree needs at least 2 and 1");
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

  /** Returns the bytes of all inner nodes above a number of leaves. */
  private static long innerBytes(long leaves, int fanOut, int width) {
    long sum = 0;
    for (long nodes = leaves; nodes > 1; ) {
      nodes = Math.ceilDiv(nodes, fanOut);
      sum += nodes * bytes(width);
    }
    return sum;
  }

  /**
   * Returns the time on a level of {@code nodes} nodes, if the levels above it take {@code
   * bytesAbove}.
   */
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
