// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.experiment.Outcome;
import dev.espalier.model.MemoryTimes;
import java.util.List;

/** Figure 15 (fpB+ 4.2.4): range scans. */
final class ScanFigure {
  private static final double AIM = 3.5;

  /** A processor of today fetches ahead by itself where memory is read in order. */
  private static final double MEASURED_AIM = 1;

  private ScanFigure() {}

  static Figure figure() {
    return new Figure(
        "15",
        "Range scans",
        "Time of 100 scans of a million tuple ids each, from random keys on, in full trees of 3"
            + " million keys in pages of 16 KB. Compared with the disk-optimized B+-tree, the"
            + " disk-first fpB+-tree is 4.2 times as fast, the cache-first one 3.5 times.",
        "A scan reads a third of all entries, keys and values. On a machine of today the target is"
            + " to lose nothing: its own prefetcher fetches what is read in order, so that the"
            + " disk-optimized tree does not wait for each line either.",
        Operation.SCAN,
        Figure.bars(Figure.ENTRIES),
        setting -> setting.tree().kind(),
        ScanFigure::trees,
        ScanFigure::check);
  }

  /** Micro-indexing scans as the disk-optimized tree does, and the paper leaves it out. */
  private static List<PagedSetting> trees(int entries, MemoryTimes times) {
    return PagedTree.all(Figure.PAGE, times).stream()
        .filter(tree -> !tree.kind().equals(PagedTree.MICRO_INDEX))
        .map(tree -> new PagedSetting(tree, Figure.PAGE, Figure.most(entries), 100))
        .toList();
  }

  private static void check(FigureTimes times, Outcome outcome) {
    times.checkSpeedUps("", _ -> true, AIM, MEASURED_AIM, outcome);
  }
}
