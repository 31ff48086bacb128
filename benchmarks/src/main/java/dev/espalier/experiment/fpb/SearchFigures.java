// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.experiment.Outcome;
import dev.espalier.model.MemoryTimes;
import java.util.ArrayList;
import java.util.List;

/** The figures of fpB+ 4.2.1: searches. */
final class SearchFigures {
  /** The least speed-up of figure 10, from a million keys on. */
  private static final double LEAST_BY_SIZE = 1.25;

  /** The least speed-up of figure 12. */
  private static final double LEAST_BY_FILL = 1.37;

  private SearchFigures() {}

  /** Figure 10. */
  static Figure bySize() {
    return new Figure(
        "10",
        "Searches by size of tree and page",
        "Time of 2000 random searches in full trees of 100 thousand to 10 million keys, for pages"
            + " of 4, 8, 16 and 32 KB. From a million keys on, micro-indexing and both fpB+-trees"
            + " are 1.25 to 1.77 times as fast as the disk-optimized B+-tree, more so with larger"
            + " pages, and about as fast as one another.",
        "",
        Operation.SEARCH,
        Figure.lines(Figure.ENTRIES).inPanels(Figure.PAGE_KIB),
        setting -> setting.tree().kind(),
        SearchFigures::sizesAndPages,
        (times, outcome) -> check(times, LEAST_BY_SIZE, outcome));
  }

  private static List<PagedSetting> sizesAndPages(int entries, MemoryTimes times) {
    List<PagedSetting> settings = new ArrayList<>();
    for (int page : Figure.PAGES) {
      for (int size : sizes(entries)) {
        for (PagedTree tree : PagedTree.all(page, times)) {
          settings.add(new PagedSetting(tree, page, size, 100));
        }
      }
    }
    return settings;
  }

  /** Figure 12. */
  static Figure byFill() {
    return new Figure(
        "12",
        "Searches by bulkload factor",
        "Time of 2000 random searches in trees of 3 million keys in pages of 16 KB, bulkloaded to"
            + " 60% up to 100%. Micro-indexing and both fpB+-trees are 1.37 to 1.60 times as fast"
            + " as the disk-optimized B+-tree.",
        "",
        Operation.SEARCH,
        Figure.lines(Figure.FULL),
        setting -> setting.tree().kind(),
        UpdateFigures::fills,
        (times, outcome) -> check(times, LEAST_BY_FILL, outcome));
  }

  /** Returns sizes of trees up to {@code entries}: about threefold each time. */
  static List<Integer> sizes(int entries) {
    return List.of(
        Math.max(entries / 100, 1),
        Math.max((int) (entries * 3L / 100), 1),
        Math.max(entries / 10, 1),
        Figure.most(entries),
        entries);
  }

  private static void check(FigureTimes times, double least, Outcome outcome) {
    for (int page : Figure.PAGES) {
      times.checkSpeedUps(
          ", " + (page >> 10) + " KB",
          setting -> setting.pageBytes() == page,
          least,
          least,
          outcome);
    }
  }
}
