// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.peer.Peers;
import dev.espalier.benchmarks.ratios.Target.Bound;
import dev.espalier.css.CssTree;
import dev.espalier.memory.CacheLine;
import dev.espalier.model.CacheSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** Turns the figures of {@link Family} into its table of targets. */
final class FamilyTable {
  /** The tree that is compared with what the memory allows, and whose JVM measures that. */
  static final String LIMITED = CssTree.VARIANT.name();

  private static final String CSB = "CsbPlusTree";
  private static final String TREE_MAP = Peers.TREE_MAP.name();

  /** What a second-level cache holds where the system does not tell. */
  private static final long USUAL_L2_BYTES = 1 << 20;

  private final Figures figures;
  private final long entries;

  FamilyTable(Figures figures, long entries) {
    this.figures = figures;
    this.entries = entries;
  }

  /** Returns the lines of the table. */
  List<Target> targets() {
    List<Target> targets = new ArrayList<>();
    int uncached = uncachedLines(entries, secondLevelBytes());
    targets.add(
        target(
            LIMITED + ".getAll(128), against " + uncached + " independent lines",
            Bound.AT_MOST,
            1.6,
            scale(
                figures.ratio(LIMITED, Measure.GET_ALL_128, LIMITED, Measure.LINE),
                1.0 / uncached)));
    targets.add(
        target(
            LIMITED + ".getAll(128), against get of TreeMap",
            Bound.AT_LEAST,
            40,
            figures.ratio(TREE_MAP, Measure.GET, LIMITED, Measure.GET_ALL_128)));
    targets.add(
        target(
            "the best " + CSB + ".getAll(128), against " + LIMITED + "'s",
            Bound.AT_MOST,
            1.3,
            least(
                CSB,
                tree -> figures.ratio(tree, Measure.GET_ALL_128, LIMITED, Measure.GET_ALL_128))));
    targets.add(
        target(
            "the best tree's get, against TreeMap",
            Bound.AT_LEAST,
            8,
            greatest(tree -> figures.ratio(TREE_MAP, Measure.GET, tree, Measure.GET))));
    targets.add(share("the best scan of full leaves, against a sequential read", this::scanShare));
    targets.add(
        share(
            "the best scan of half-full leaves by their lines, against a sequential read",
            this::halfFullShare));
    return targets;
  }

  private Target share(String work, ShareOfTree share) {
    OptionalDouble best = greatest(share);
    return new Target(work, Bound.AT_LEAST, 70, "%", scale(best, 100));
  }

  private static Target target(String work, Bound bound, double limit, OptionalDouble value) {
    return new Target(work, bound, limit, "x", value);
  }

  /** A figure that a tree may have. */
  private interface ShareOfTree {
    OptionalDouble of(String tree);
  }

  private OptionalDouble scanShare(String tree) {
    return figures.ratio(tree, Measure.SCAN_LOADED, LIMITED, Measure.BANDWIDTH);
  }

  /** Of trees whose leaves were half full: all lines of their leaves, empty slots included. */
  private OptionalDouble halfFullShare(String tree) {
    OptionalDouble fill = figures.median(tree, Measure.FILL_HALF);
    if (fill.isEmpty() || fill.getAsDouble() > 0.75) {
      return OptionalDouble.empty();
    }
    return scale(
        figures.ratio(tree, Measure.SCAN_HALF, LIMITED, Measure.BANDWIDTH), 1 / fill.getAsDouble());
  }

  private OptionalDouble greatest(ShareOfTree share) {
    return values("", share).max();
  }

  private OptionalDouble least(String prefix, ShareOfTree share) {
    return values(prefix, share).min();
  }

  private DoubleStream values(String prefix, ShareOfTree share) {
    return figures.all().keySet().stream()
        .map(Figures.Series::role)
        .distinct()
        .filter(role -> role.startsWith(prefix) && !role.equals(TREE_MAP))
        .map(share::of)
        .filter(OptionalDouble::isPresent)
        .mapToDouble(OptionalDouble::getAsDouble);
  }

  private static OptionalDouble scale(OptionalDouble value, double factor) {
    return value.isPresent() ? OptionalDouble.of(value.getAsDouble() * factor) : value;
  }

  private static long secondLevelBytes() {
    return CacheSizes.ofThisMachine().caches().stream()
        .filter(cache -> cache.level() == 2)
        .mapToLong(CacheSizes.Cache::bytes)
        .findFirst()
        .orElse(USUAL_L2_BYTES);
  }

  /**
   * Returns how many lines a probe of a full CSS-tree of one-line nodes touches that are not in a
   * core's own cache: a key line of the leaf, a value line, and one of each level above that is
   * larger than the cache.
   */
  static int uncachedLines(long entries, long cacheBytes) {
    int lines = 2;
    int fanOut = CacheLine.LONGS + 1;
    long nodes = (entries + CacheLine.LONGS - 1) / CacheLine.LONGS;
    while (nodes > 1) {
      nodes = (nodes + fanOut - 1) / fanOut;
      if (nodes * CacheLine.BYTES > cacheBytes) {
        lines++;
      }
    }
    return lines;
  }
}
