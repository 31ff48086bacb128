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
import dev.espalier.experiment.Target;
import java.util.List;

/** Figure 14: how many answers there are after a while. */
final class AnswersOverTime implements Experiment {
  private static final List<Integer> INTERVAL_MILLIS = List.of(1, 10, 100, 1000);

  /** Shorter intervals leave buffers hardly anything to gather. */
  private static final int LEAST_MILLIS = 100;

  private static final int POINTS = 40;
  private static final double NANOS_PER_MILLI = 1e6;

  @Override
  public Description description() {
    return new Description(
        "buf-fig14",
        "Answers over time, by flush interval",
        "Buffering, figure 14",
        "Answers of an index-nested-loop join that have come after a while, unbuffered and with"
            + " fixed-size buffers that are flushed after different intervals. After a short"
            + " initial period there are more from buffers.",
        MeasuredFigure.WHERE
            + " The loop that makes the probes looks at the clock and flushes, where the paper has"
            + " a thread for it. The last of two runs of each, not the median of several.",
        new Chart(Chart.Kind.LINES, Figure.LABEL, "millis", "answers"));
  }

  @Override
  public Outcome run(Run run) {
    int keys = Table2.keys(run.effort());
    long[] probes = ProbeOrder.UNIFORM.probes(keys, keys);
    long expected = Entries.sumOfRanks(probes);
    Outcome outcome =
        new Outcome(
            Column.text(Figure.LABEL, "method"),
            Column.real("millis", "time", "ms"),
            Column.integer("answers", "answers", ""));
    outcome.parameter("keys", keys).parameter("probes", keys);
    int wrong = 0;
    try (LongIndex index = PaperIndex.B_PLUS_TREE.bulkloaded(keys);
        FlushedStream stream = new FlushedStream(index, keys, probes)) {
      run.progress().show(Method.UNBUFFERED.toString(), 0);
      wrong += single(index, probes, new Curve(keys)) == expected ? 0 : 1;
      Curve unbuffered = new Curve(keys);
      wrong += single(index, probes, unbuffered) == expected ? 0 : 1;
      unbuffered.addTo(outcome, Method.UNBUFFERED.toString());
      for (int i = 0; i < INTERVAL_MILLIS.size(); i++) {
        int millis = INTERVAL_MILLIS.get(i);
        String label = "flushed each " + millis + " ms";
        run.progress().show(label, (i + 1.0) / (INTERVAL_MILLIS.size() + 1));
        long nanos = (long) (millis * NANOS_PER_MILLI);
        wrong += stream.run(nanos, (_, _) -> {}) == expected ? 0 : 1;
        Curve curve = new Curve(keys);
        wrong += stream.run(nanos, curve::see) == expected ? 0 : 1;
        curve.addTo(outcome, label);
        if (millis >= LEAST_MILLIS) {
          outcome.check(
              Check.timing(
                  label + ": sooner done than unbuffered, times",
                  unbuffered.end() / curve.end(),
                  Target.atLeast(1)));
        }
      }
    }
    outcome.check(Check.deterministic("methods that answered wrongly", wrong, Target.exactly(0)));
    return outcome;
  }

  private static long single(LongIndex index, long[] keys, Curve curve) {
    long begin = System.nanoTime();
    long sum = 0;
    for (int i = 0; i < keys.length; i++) {
      sum += index.get(keys[i]);
      if (i % FlushedStream.STEP == FlushedStream.STEP - 1) {
        curve.see(System.nanoTime() - begin, i + 1);
      }
    }
    curve.see(System.nanoTime() - begin, keys.length);
    return sum;
  }

  /** When the answers were a fortieth of all, two fortieths, and so on. */
  private static final class Curve {
    private final int all;
    private final double[] millis = new double[POINTS];
    private final long[] answers = new long[POINTS];
    private int points;

    Curve(int all) {
      this.all = all;
    }

    void see(long nanos, long count) {
      if (count * POINTS >= (points + 1L) * all && points < POINTS) {
        int reached = (int) (count * POINTS / all);
        millis[points] = nanos / NANOS_PER_MILLI;
        answers[points] = count;
        points++;
        // A flush may answer many at once: the points that it jumps over are not there.
        for (; points < reached; points++) {
          millis[points] = millis[points - 1];
          answers[points] = count;
        }
      }
    }

    double end() {
      return millis[POINTS - 1];
    }

    void addTo(Outcome outcome, String label) {
      outcome.row(label, 0.0, 0);
      for (int point = 0; point < POINTS; point++) {
        outcome.row(label, millis[point], answers[point]);
      }
    }
  }
}
