// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.ratios.Target.Bound;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Turns the figures of the trees on pages into their table of targets. */
final class PagesTable {
  /** The tree in memory that those on pages are compared with. */
  static final String IN_MEMORY = "PbPlusTree";

  private static final String BASELINE = "DiskOptimizedBPlusTree";
  private static final String DISK_FIRST = "DiskFirstFpbPlusTree";

  private PagesTable() {}

  /** Returns the lines of the table. */
  static List<Target> targets(Figures figures) {
    List<Target> targets = new ArrayList<>();
    targets.add(
        target(
            "get of " + BASELINE + ", against that of " + DISK_FIRST,
            Bound.AT_LEAST,
            1.8,
            figures.ratio(BASELINE, Measure.GET, DISK_FIRST, Measure.GET)));
    targets.add(
        target(
            "get of " + DISK_FIRST + ", against that of " + IN_MEMORY,
            Bound.AT_MOST,
            1.5,
            figures.ratio(DISK_FIRST, Measure.GET, IN_MEMORY, Measure.GET)));
    targets.add(
        target(
            "insert into pages 70% full of " + BASELINE + ", against that of " + DISK_FIRST,
            Bound.AT_LEAST,
            5,
            figures.ratio(BASELINE, Measure.INSERT_70, DISK_FIRST, Measure.INSERT_70)));
    targets.add(
        target(
            "get of " + DISK_FIRST + ", against its getAll(256)",
            Bound.AT_LEAST,
            3,
            figures.ratio(DISK_FIRST, Measure.GET, DISK_FIRST, Measure.GET_ALL)));
    return targets;
  }

  private static Target target(String work, Bound bound, double limit, OptionalDouble value) {
    return new Target(work, bound, limit, "x", value);
  }
}
