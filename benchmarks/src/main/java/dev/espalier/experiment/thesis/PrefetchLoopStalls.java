// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Progress;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongBiFunction;

/** Figure 5.5: what the time of the prefetching loops of figure 5.4 is spent on. */
final class PrefetchLoopStalls implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "thesis-fig5.5",
          "Busy and stalled in the prefetching loop",
          "thesis, figure 5.5",
          "The processor cycles of queries and scans over nodes of 16 lines, divided by hardware"
              + " counters into busy ones and stalls of several kinds, for the plain and the"
              + " unrolled prefetching loop. What unrolling saves is busy time, that is loop"
              + " overhead; waiting for data takes about as long with both.",
          "No hardware counters here, so the division is by experiment. Each loop runs twice over"
              + " the same tree, once with all keys or leaves, and once with a few of them again"
              + " and again, whose nodes stay in the cache: the same instructions without the"
              + " misses. The second time counts as busy, what the first takes longer as stalled."
              + " Loops as in figure 5.4.",
          new Chart(Chart.Kind.STACKED_BARS, "part", "loop", "nanos"));

  private static final int WIDTH = 16;

  /** So many paths of nodes fit into the first-level cache. */
  private static final int CACHED = 4;

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
            Column.text("part", "part"),
            Column.real("nanos", "time", "ns per query or leaf"));
    outcome.effort(run.effort()).parameter("node width", WIDTH);
    int probes = run.effort().probes();
    int wrong = 0;
    try (KeyTree tree = new KeyTree(WIDTH, run.effort().entries())) {
      wrong +=
          measure(
              "query",
              (form, keys) -> form.query(tree, keys),
              Entries.probes(run.effort().entries(), probes, run.effort().entries()),
              Entries.probes(run.effort().entries(), probes, CACHED),
              run.effort().rounds(),
              run.progress().part(0, 2),
              outcome);
      wrong +=
          measure(
              "scan",
              (form, leaves) -> form.scan(tree, leaves),
              tree.leaves(Integer.MAX_VALUE),
              tree.leaves(CACHED),
              run.effort().rounds(),
              run.progress().part(1, 2),
              outcome);
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
    return outcome;
  }

  /**
   * Adds the rows and the check of one operation.
   *
   * @param all what the operation is done on
   * @param few as many, but always the same few
   * @return how many answers were wrong
   */
  private static int measure(
      String operation,
      ToLongBiFunction<PrefetchForm, long[]> body,
      long[] all,
      long[] few,
      int rounds,
      Progress progress,
      Outcome outcome) {
    List<Time<String>> total =
        Stopwatch.time(works(operation, body, all), rounds, progress.part(0, 2));
    List<Time<String>> cached =
        Stopwatch.time(works(operation, body, few), rounds, progress.part(1, 2));
    int wrong = 0;
    for (int i = 0; i < total.size(); i++) {
      String loop = total.get(i).setting();
      double busy = cached.get(i).nanos();
      outcome.row(loop, "busy", busy);
      // Noise may make the cached run the slower one where hardly anything stalls.
      outcome.row(loop, "stalled", Math.max(0, total.get(i).nanos() - busy));
      wrong += total.get(i).wrong(total.getFirst().answer());
      wrong += cached.get(i).wrong(cached.getFirst().answer());
    }
    outcome.check(
        Check.timing(
            operation + ": busy time by calls per line / per node",
            busy(outcome, loop(operation, PrefetchForm.CALL_PER_LINE))
                / busy(outcome, loop(operation, PrefetchForm.CALL_PER_NODE)),
            Target.atLeast(1)));
    return wrong;
  }

  private static List<Work<String>> works(
      String operation, ToLongBiFunction<PrefetchForm, long[]> body, long[] places) {
    return Arrays.stream(PrefetchForm.values())
        .map(
            form ->
                new Work<>(
                    loop(operation, form), places.length, () -> body.applyAsLong(form, places)))
        .toList();
  }

  private static double busy(Outcome outcome, String loop) {
    return outcome.table().where("loop", loop).where("part", "busy").numbers("nanos")[0];
  }

  private static String loop(String operation, PrefetchForm form) {
    return operation + ", " + form.label();
  }
}
