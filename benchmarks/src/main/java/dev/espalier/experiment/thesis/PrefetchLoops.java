// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Numbers;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.List;

/** Figure 5.4: the implementation of the prefetching loop, over the width of nodes. */
final class PrefetchLoops implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "thesis-fig5.4",
          "The prefetching loop",
          "thesis, figure 5.4",
          "Time for a million queries and for ten full scans of a pB+-tree with a million keys of"
              + " 16 bytes, over node widths of 4 to 32 lines, with two forms of the loop that"
              + " prefetches a node: a plain one, and one unrolled eight times by Duff's device."
              + " The unrolled loop is never slower; it saves 2 to 3% on average, and up to 4% of a"
              + " query and 6% of a scan.",
          "A Java program can't unroll this loop: a prefetch is a call of the native library, whose"
              + " cost a loop in Java pays for every line. The counterpart of unrolling is to make"
              + " fewer calls: one per line (the loop in Java), one per node (the loop in C), or"
              + " one per group of nodes, where misses of different probes overlap as well."
              + " Measured on levels of nodes full of 8-byte keys, without pointers. Queries are"
              + " shuffled; scans visit the leaves in shuffled order, because the processor"
              + " prefetches consecutive ones by itself.",
          new Chart(Chart.Kind.LINES, "loop", "width", "nanos"));

  private static final String QUERY = "query";
  private static final String SCAN = "scan";
  private static final List<Integer> WIDTHS = List.of(4, 8, 12, 16, 20, 24, 28, 32);

  /** What the thesis gains by unrolling, on average: 2%. */
  private static final Target GAIN = Target.atLeast(1.02);

  /** What is measured, and the answer it is to give. */
  private record Setting(String loop, int width, long answer) {
    @Override
    public String toString() {
      return loop + ", " + width + " lines";
    }
  }

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    Outcome outcome =
        new Outcome(
            Column.text("loop", "loop"),
            Column.integer("width", "node width", "lines"),
            Column.real("nanos", "time", "ns per query or leaf"));
    outcome
        .effort(run.effort())
        .parameter("query group", PrefetchForm.QUERY_GROUP)
        .parameter("scan distance", PrefetchForm.SCAN_DISTANCE);
    measure(run, outcome);
    for (String operation : List.of(QUERY, SCAN)) {
      double[] perLine = nanos(outcome, operation, PrefetchForm.CALL_PER_LINE);
      double[] perNode = nanos(outcome, operation, PrefetchForm.CALL_PER_NODE);
      outcome.check(
          Check.timing(
              operation + ": time by calls per line / per node",
              Numbers.meanRatio(perLine, perNode),
              GAIN));
    }
    return outcome;
  }

  /** Adds the rows and the check of their answers. */
  private static void measure(Run run, Outcome outcome) {
    Effort effort = run.effort();
    long[] probes = Entries.probes(effort.entries(), effort.probes(), effort.entries());
    int wrong = 0;
    try (KeyTrees trees = new KeyTrees(WIDTHS, effort.entries(), run.progress().part(0, 3))) {
      List<Work<Setting>> queries = new ArrayList<>();
      List<Work<Setting>> scans = new ArrayList<>();
      for (KeyTree tree : trees.all()) {
        long[] leaves = tree.leaves(Integer.MAX_VALUE);
        for (PrefetchForm form : PrefetchForm.values()) {
          queries.add(
              new Work<>(
                  new Setting(loop(QUERY, form), tree.width, Entries.sumOfRanks(probes)),
                  probes.length,
                  () -> form.query(tree, probes)));
          scans.add(
              new Work<>(
                  new Setting(loop(SCAN, form), tree.width, tree.sumOfLeaves()),
                  leaves.length,
                  () -> form.scan(tree, leaves)));
        }
      }
      List<Time<Setting>> times = new ArrayList<>();
      times.addAll(Stopwatch.time(queries, effort.rounds(), run.progress().part(1, 3)));
      times.addAll(Stopwatch.time(scans, effort.rounds(), run.progress().part(2, 3)));
      for (Time<Setting> time : times) {
        outcome.row(time.setting().loop, time.setting().width, time.nanos());
        wrong += time.wrong(time.setting().answer);
      }
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
  }

  private static double[] nanos(Outcome outcome, String operation, PrefetchForm form) {
    return outcome.table().where("loop", loop(operation, form)).numbers("nanos");
  }

  private static String loop(String operation, PrefetchForm form) {
    return operation + ", " + form.label();
  }
}
