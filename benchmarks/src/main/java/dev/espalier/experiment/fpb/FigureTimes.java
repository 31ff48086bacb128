// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What came out for the trees of a figure.
 *
 * @param kind whether another run would give the same
 * @param settings the trees
 * @param times of one operation, in the order of the trees
 */
record FigureTimes(Check.Kind kind, List<PagedSetting> settings, List<Double> times) {
  /**
   * Entries of the smallest tree that is held against the paper: several times as large as the last
   * cache of the paper's machine. A tree that stays in the caches shows something else.
   */
  static final int LEAST_ENTRIES = 1_000_000;

  /** Returns the time of an operation. */
  double of(PagedSetting setting) {
    return times.get(settings.indexOf(setting));
  }

  /** Returns how many times as long the disk-optimized tree takes. */
  double speedUp(PagedSetting setting) {
    PagedSetting baseline =
        settings.stream()
            .filter(other -> other.tree().kind().equals(PagedTree.DISK_OPTIMIZED))
            .filter(setting::isComparableTo)
            .findFirst()
            .orElseThrow();
    return of(baseline) / of(setting);
  }

  /** Returns the trees that are large enough to be held against the paper. */
  List<PagedSetting> large() {
    return settings.stream().filter(setting -> setting.entries() >= LEAST_ENTRIES).toList();
  }

  /** Checks the least speed-up of each fpB+-tree, over the large trees that pass a test. */
  void checkSpeedUps(
      String where, Predicate<PagedSetting> test, double simulated, double measured, Outcome to) {
    for (String tree : PagedTree.FRACTAL) {
      List<Double> speedUps = new ArrayList<>();
      for (PagedSetting setting : large()) {
        if (setting.tree().kind().equals(tree) && test.test(setting)) {
          speedUps.add(speedUp(setting));
        }
      }
      if (!speedUps.isEmpty()) {
        double least = speedUps.stream().min(Double::compare).orElseThrow();
        to.check(
            new Check(
                tree + ": least speed-up" + where,
                kind,
                least,
                Target.atLeast(kind == Check.Kind.DETERMINISTIC ? simulated : measured)));
      }
    }
  }
}
