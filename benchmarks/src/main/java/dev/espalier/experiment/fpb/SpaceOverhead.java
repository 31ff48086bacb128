// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Target;
import dev.espalier.memory.MemoryPageStore;
import java.util.List;

/** Figure 16: how many pages more than the disk-optimized tree the others need. */
final class SpaceOverhead implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "fpb-fig16",
          "Space overhead",
          "fpB+, figure 16",
          "Pages of each fpB+-tree, by those of the disk-optimized B+-tree, for pages of 4 to 32"
              + " KB: (a) of full trees after bulkload, (b) after 9 million insertions into trees"
              + " bulkloaded with a million. Disk-first: less than 9% more in both, and the fewer"
              + " the larger the pages. Cache-first: less than 5% after bulkload, up to 36% after"
              + " insertions.",
          "The same, counted, with random insertions and as many keys. Entries have 16 bytes where"
              + " the paper's have 8, so that nodes of equal width hold fewer, and the parents of"
              + " leaves are a larger share of a cache-first tree. Widths are chosen for the"
              + " paper's T1 of 150 and Tnext of 10 cycles. The targets are the paper's, for pages"
              + " of all sizes. In one of 4 KB, of 252 entries, what nodes lose to their headers"
              + " and to rounding weighs more than in the paper's. How full the pages of a"
              + " cache-first tree are goes up and down as it grows by insertions.",
          new Chart(Chart.Kind.BARS, "series", "page", "ratio"));

  private final List<TreeAge> ages;

  SpaceOverhead(List<TreeAge> ages) {
    this.ages = ages;
  }

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    int entries = run.effort().entries();
    Outcome outcome =
        new Outcome(
            Column.text("series", "tree"),
            Column.text("state", "state"),
            Column.text("page", "page size"),
            Column.text("widths", "widths within pages"),
            Column.integer("pages", "pages", ""),
            Column.real("ratio", "pages, by those of " + PagedTree.DISK_OPTIMIZED, ""),
            Column.real("overhead", "space overhead", "%"));
    outcome.parameter("entries", entries);
    int wrong = 0;
    int step = 0;
    int steps = Figure.PAGES.size() * ages.size();
    for (TreeAge age : ages) {
      for (int page : Figure.PAGES) {
        run.progress().show(age.label() + ", " + (page >> 10) + " KB", (double) step++ / steps);
        wrong += addRows(age, page, entries, outcome);
      }
    }
    outcome.check(Check.deterministic("trees of wrong size", wrong, Target.exactly(0)));
    return outcome;
  }

  /** Adds a row for each tree, and returns how many have not as many entries as they should. */
  private static int addRows(TreeAge age, int pageBytes, int entries, Outcome outcome) {
    int wrong = 0;
    int baseline = 0;
    for (PagedTree tree : PagedTree.all(pageBytes, TreeAge.TIMES)) {
      MemoryPageStore store = TreeAge.store(pageBytes);
      int pages;
      try (LongIndex index = age.build(tree, store, entries)) {
        pages = store.pagesInUse();
        wrong += index.size() == entries ? 0 : 1;
      }
      baseline = baseline == 0 ? pages : baseline; // the disk-optimized tree is the first
      double overhead = 100.0 * (pages - baseline) / baseline;
      String page = (pageBytes >> 10) + " KB";
      outcome.row(
          tree.kind() + ", " + age.label(),
          age.label(),
          page,
          tree.widths(),
          pages,
          (double) pages / baseline,
          overhead);
      if (tree.isFractal() && entries >= FigureTimes.LEAST_ENTRIES) {
        outcome.check(check(tree, age, page, overhead));
      }
    }
    return wrong;
  }

  static Check check(PagedTree tree, TreeAge age, String page, double overhead) {
    return Check.deterministic(
        "%s, %s, %s: space overhead, %%".formatted(tree.kind(), age.label(), page),
        overhead,
        Target.atMost(most(age, tree)));
  }

  /** Returns the overhead that the paper found, in percent. */
  private static double most(TreeAge age, PagedTree tree) {
    if (tree.kind().equals(PagedTree.DISK_FIRST)) {
      return 9;
    }
    return age == TreeAge.BULKLOADED ? 5 : 36;
  }
}
