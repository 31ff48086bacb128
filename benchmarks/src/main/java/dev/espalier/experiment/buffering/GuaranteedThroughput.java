// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Figure 15: throughput by the time within which a probe is answered. */
final class GuaranteedThroughput implements Experiment {
  private static final List<Integer> GUARANTEES = List.of(10, 20, 50, 100, 200, 500, 1000);

  /** The paper's second experiment has twice as many probes as keys. */
  private static final int PROBES_PER_KEY = 2;

  /** What this library aims at: so much of the gain is kept with a guarantee of 100 ms. */
  private static final double KEPT_GAIN = 0.6;

  private static final int AIMED_MILLIS = 100;

  /** The paper: noticeably better than both unbuffered trees. */
  private static final double NOTICEABLY_BETTER = 1.1;

  /** The paper: almost the same. */
  private static final double NEARLY_ALL = 0.9;

  static final String AT_END = "BPlusTree, flushed at the end";
  static final String GUARANTEED = "BPlusTree, guaranteed";
  static final String B_PLUS = "BPlusTree, unbuffered";
  static final String CSB_PLUS = "CsbPlusTree, unbuffered";

  /** Each takes seconds, so that noise evens out. */
  private static final int MOST_ROUNDS = 3;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** What is compared; 0 ms if nothing is guaranteed. */
  record Stream(String label, int millis) {}

  @Override
  public Description description() {
    return new Description(
        "buf-fig15",
        "Throughput by response time guarantee",
        "Buffering, figure 15",
        "Probes per second of a B+-tree with fixed-size buffers that are flushed after the time"
            + " within which a probe is to be answered, from near nothing to a second; beside it"
            + " the unbuffered B+-tree and CSB+-tree and the same buffers flushed only at the end."
            + " From 0.1 seconds on, buffers are noticeably better than both trees; with a second,"
            + " almost as good as with one flush.",
        MeasuredFigure.WHERE
            + " The loop that makes the probes looks at the clock and flushes, where the paper has"
            + " a thread for it; a probe may be answered later by as long as a flush takes.",
        new Chart(Chart.Kind.LINES, Figure.LABEL, "guarantee", "throughput"));
  }

  @Override
  public Outcome run(Run run) {
    int keys = Table2.keys(run.effort());
    long[] probes = ProbeOrder.UNIFORM.probes(keys, PROBES_PER_KEY * keys);
    int rounds = Math.min(run.effort().rounds(), MOST_ROUNDS);
    try (LongIndex tree = PaperIndex.B_PLUS_TREE.bulkloaded(keys);
        LongIndex narrow = PaperIndex.CSB_PLUS_TREE.bulkloaded(keys);
        FlushedStream stream = new FlushedStream(tree, keys, probes)) {
      List<Work<Stream>> works = new ArrayList<>();
      works.add(work(new Stream(B_PLUS, 0), probes, () -> single(tree, probes)));
      works.add(work(new Stream(CSB_PLUS, 0), probes, () -> single(narrow, probes)));
      works.add(
          work(new Stream(AT_END, 0), probes, () -> stream.run(FlushedStream.NEVER, (_, _) -> {})));
      for (int millis : GUARANTEES) {
        works.add(
            work(
                new Stream(GUARANTEED, millis),
                probes,
                () -> stream.run(millis * NANOS_PER_MILLI, (_, _) -> {})));
      }
      Outcome outcome =
          outcome(Stopwatch.time(works, rounds, run.progress()), Entries.sumOfRanks(probes));
      outcome
          .parameter("keys", keys)
          .parameter("probes", probes.length)
          .parameter("rounds", rounds);
      return outcome;
    }
  }

  private static Work<Stream> work(Stream stream, long[] probes, LongSupplier body) {
    return new Work<>(stream, probes.length, body);
  }

  private static long single(LongIndex index, long[] keys) {
    long sum = 0;
    for (long key : keys) {
      sum += index.get(key);
    }
    return sum;
  }

  static Outcome outcome(List<Time<Stream>> times, long expected) {
    Outcome outcome =
        new Outcome(
            Column.text(Figure.LABEL, "method"),
            Column.integer("guarantee", "response time guarantee", "ms"),
            Column.real("throughput", "throughput", "probes/s"));
    Map<Stream, Double> throughputs = new HashMap<>();
    int wrong = 0;
    for (Time<Stream> time : times) {
      Stream stream = time.setting();
      double throughput = NANOS_PER_SECOND / time.nanos();
      throughputs.put(stream, throughput);
      wrong += time.wrong(expected);
      // What guarantees nothing is a line from the least to the greatest guarantee.
      if (stream.millis == 0) {
        outcome.row(stream.label, GUARANTEES.getFirst(), throughput);
        outcome.row(stream.label, GUARANTEES.getLast(), throughput);
      } else {
        outcome.row(stream.label, stream.millis, throughput);
      }
    }
    outcome.check(Check.deterministic("methods that answered wrongly", wrong, Target.exactly(0)));
    Found<Stream, Double> found = new Found<>(throughputs);
    double atEnd = found.of(new Stream(AT_END, 0));
    outcome.check(
        Check.timing(
            "gain kept with a guarantee of 100 ms",
            found.of(new Stream(GUARANTEED, AIMED_MILLIS)) / atEnd,
            Target.atLeast(KEPT_GAIN)));
    for (String unbuffered : List.of(B_PLUS, CSB_PLUS)) {
      outcome.check(
          Check.timing(
              "throughput with a guarantee of 100 ms, over that of " + unbuffered,
              found.of(new Stream(GUARANTEED, AIMED_MILLIS)) / found.of(new Stream(unbuffered, 0)),
              Target.atLeast(NOTICEABLY_BETTER)));
    }
    outcome.check(
        Check.timing(
            "throughput with a guarantee of 1 s, of that of one flush",
            found.of(new Stream(GUARANTEED, GUARANTEES.getLast())) / atEnd,
            Target.atLeast(NEARLY_ALL)));
    return outcome;
  }
}
