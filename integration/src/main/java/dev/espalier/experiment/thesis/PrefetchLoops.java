// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Chart.Axis;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Numbers;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Progress;
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
          new Chart(Chart.Kind.LINES, "loop", Axis.linear("width"), Axis.linear("nanos")));

  private static final String QUERY = "query";
  private static final String SCAN = "scan";
  private static final int MIN_WIDTH = 4;
  private static final int MAX_WIDTH = 32;
  private static final int WIDTH_STEP = 4;

  /** What the thesis gains by unrolling, on average: 2%. */
  private static final Target GAIN = Target.atLeast(1.02);

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
        .parameter("entries", run.effort().entries())
        .parameter("probes", run.effort().probes())
        .parameter("rounds", run.effort().rounds())
        .parameter("query group", PrefetchForm.QUERY_GROUP)
        .parameter("scan distance", PrefetchForm.SCAN_DISTANCE);
    int wrong = 0;
    for (int width = MIN_WIDTH; width <= MAX_WIDTH; width += WIDTH_STEP) {
      Progress progress = run.progress().part(width / WIDTH_STEP - 1, MAX_WIDTH / WIDTH_STEP);
      wrong += measure(width, run.effort(), progress, outcome);
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
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

  /** Adds the rows of one width and returns how many answers were wrong. */
  private static int measure(int width, Effort effort, Progress progress, Outcome outcome) {
    try (KeyTree tree = new KeyTree(width, effort.entries())) {
      long[] probes = tree.probes(effort.probes(), effort.entries());
      long[] leaves = tree.leaves(Integer.MAX_VALUE);
      List<Work> queries = new ArrayList<>();
      List<Work> scans = new ArrayList<>();
      for (PrefetchForm form : PrefetchForm.values()) {
        queries.add(new Work(loop(QUERY, form), probes.length, () -> form.query(tree, probes)));
        scans.add(new Work(loop(SCAN, form), leaves.length, () -> form.scan(tree, leaves)));
      }
      List<Time> queryTimes = Stopwatch.time(queries, effort.rounds(), progress.part(0, 2));
      List<Time> scanTimes = Stopwatch.time(scans, effort.rounds(), progress.part(1, 2));
      queryTimes.forEach(time -> outcome.row(time.name(), width, time.nanos()));
      scanTimes.forEach(time -> outcome.row(time.name(), width, time.nanos()));
      return wrongAnswers(queryTimes, KeyTree.sumOfRanks(probes))
          + wrongAnswers(scanTimes, tree.sumOfLeaves());
    }
  }

  private static int wrongAnswers(List<Time> times, long answer) {
    return (int) times.stream().filter(time -> time.answer() != answer).count();
  }

  private static double[] nanos(Outcome outcome, String operation, PrefetchForm form) {
    return outcome.table().where("loop", loop(operation, form)).numbers("nanos");
  }

  private static String loop(String operation, PrefetchForm form) {
    return operation + ", " + form.label();
  }
}
