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
import dev.espalier.memory.CountingPageStore;
import java.util.List;

/** Figure 17: pages that searches read. */
final class SearchReads implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "fpb-fig17",
          "Pages read by searches",
          "fpB+, figure 17",
          "Reads of pages that miss the buffer pool, which is empty at first, in 2000 random"
              + " searches in trees of 10 million keys, for pages of 4 to 32 KB. Disk-first"
              + " fpB+-trees read less than 3% more than disk-optimized B+-trees, cache-first ones"
              + " up to 25% more, above all with small pages: the parents of leaves are in"
              + " overflow pages then.",
          "The same, counted by a simulated pool that keeps every page it has read, as the paper"
              + " does not say how large its pool is; in bulkloaded trees, and in trees that grew"
              + " from a tenth of their entries by random insertions. Entries have 16 bytes where"
              + " the paper's have 8, so trees have twice as many pages. Widths are"
              + " chosen for the paper's T1 of 150 and Tnext of 10 cycles. With fewer entries there"
              + " are fewer searches. The targets are the paper's, for pages of all sizes.",
          new Chart(Chart.Kind.BARS, "series", "page", "reads"));

  /** As many searches for each entry as in the paper; otherwise small trees would be read whole. */
  private static final int ENTRIES_PER_SEARCH = 5000;

  private final List<TreeAge> ages;

  SearchReads(List<TreeAge> ages) {
    this.ages = ages;
  }

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    int entries = run.effort().entries();
    int count = Math.ceilDiv(entries, ENTRIES_PER_SEARCH);
    Outcome outcome =
        new Outcome(
            Column.text("series", "tree"),
            Column.text("state", "state"),
            Column.text("page", "page size"),
            Column.text("widths", "widths within pages"),
            Column.integer("reads", "pages read", ""),
            Column.real("more", "more than " + PagedTree.DISK_OPTIMIZED, "%"));
    outcome.parameter("entries", entries).parameter("searches", count);
    long[] ranks = Operation.ranks(entries, count);
    int wrong = 0;
    int step = 0;
    int steps = Figure.PAGES.size() * ages.size();
    for (TreeAge age : ages) {
      for (int page : Figure.PAGES) {
        run.progress().show(age.label() + ", " + (page >> 10) + " KB", (double) step++ / steps);
        wrong += addRows(age, page, entries, ranks, outcome);
      }
    }
    outcome.check(Check.deterministic("trees that answered wrongly", wrong, Target.exactly(0)));
    return outcome;
  }

  /** Adds a row for each tree, and returns how many answered wrongly. */
  private static int addRows(
      TreeAge age, int pageBytes, int entries, long[] ranks, Outcome outcome) {
    int wrong = 0;
    long baseline = 0;
    for (PagedTree tree : PagedTree.all(pageBytes, TreeAge.TIMES)) {
      CountingPageStore store =
          new CountingPageStore(TreeAge.store(pageBytes), CountingPageStore.UNLIMITED);
      try (LongIndex index = age.build(tree, store, entries)) {
        store.clearPool();
        store.resetCounters();
        long answer = Operation.SEARCH.run(index, entries, ranks);
        wrong += answer == Operation.SEARCH.answer(entries, ranks) ? 0 : 1;
      }
      long reads = store.counters().reads();
      baseline = baseline == 0 ? reads : baseline; // the disk-optimized tree is the first
      double more = 100.0 * (reads - baseline) / baseline;
      String page = (pageBytes >> 10) + " KB";
      outcome.row(tree.kind() + ", " + age.label(), age.label(), page, tree.widths(), reads, more);
      if (tree.isFractal() && entries >= FigureTimes.LEAST_ENTRIES) {
        outcome.check(check(tree, age, page, more));
      }
    }
    return wrong;
  }

  static Check check(PagedTree tree, TreeAge age, String page, double more) {
    return Check.deterministic(
        "%s, %s, %s: more pages read, %%".formatted(tree.kind(), age.label(), page),
        more,
        Target.atMost(tree.kind().equals(PagedTree.DISK_FIRST) ? 3 : 25));
  }
}
