// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import dev.espalier.io.PageFile;
import java.util.ArrayList;
import java.util.List;

/** Figure 3: bandwidth by how many requests are outstanding. */
final class OutstandingBandwidth implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "pio-fig3",
          "Bandwidth by outstanding level",
          "PIO, figure 3",
          "Bandwidth of random requests of 4 KB in a file of 4 GB, 1 to 64 outstanding at once, on"
              + " six SSDs: (a) reads, (b) writes, more than ten times that of one at a time; (c)"
              + " reads and writes mixed: where each read is followed by a write it is less than"
              + " where as many reads as are outstanding are followed by as many writes, which"
              + " have 1.25 to 1.37 times the bandwidth at level 64.",
          "The same on one scratch file. Reads and writes alone are batches of one call. Mixed"
              + " ones are started one by one in both orders, as a batch has one direction; so"
              + " they are to be compared with each other only. The targets are ours: 3.5 times"
              + " the bandwidth at level 64, and nothing lost where reads and writes are apart.",
          new Chart(Chart.Kind.LINES, "series", Levels.COLUMN, "bandwidth"));

  private static final double LEAST_GAIN = 3.5;

  private record Setting(Workload workload, int level) {

    @Override
    public String toString() {
      return workload + ", level " + level;
    }
  }

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    int blocks = ScratchFiles.blocks(run.effort());
    int requests = Levels.requests(run.effort());
    Outcome outcome =
        new Outcome(
            Column.text("series", "requests"),
            Levels.column(),
            Column.real("bandwidth", "bandwidth", "MiB/s"),
            Column.real("rate", "requests", "1/s"));
    try (ScratchFiles folder = ScratchFiles.create(blocks)) {
      PageFile file = folder.file(blocks);
      folder.describe(outcome, blocks);
      long[] numbers = Blocks.random(requests, blocks, 1);
      List<Work<Setting>> works = new ArrayList<>();
      for (Workload workload : Workload.values()) {
        for (int level : Levels.ALL) {
          Workload.Outstanding outstanding = new Workload.Outstanding(level);
          works.add(
              new Work<>(
                  new Setting(workload, level),
                  requests,
                  () -> workload.run(file, outstanding, numbers)));
        }
      }
      report(Stopwatch.time(works, run.effort().rounds(), run.progress()), outcome);
    }
    return outcome
        .parameter("requests at each level", requests)
        .parameter("rounds", run.effort().rounds());
  }

  private static void report(List<Time<Setting>> times, Outcome outcome) {
    for (Time<Setting> time : times) {
      outcome.row(
          time.setting().workload.toString(),
          time.setting().level,
          Levels.bandwidth(time.nanos()),
          1e9 / time.nanos());
    }
    for (Workload workload : List.of(Workload.READS, Workload.WRITES)) {
      outcome.check(
          Check.timing(
              workload + ": bandwidth at level 64, by that of one at a time",
              nanos(times, workload, 1) / nanos(times, workload, Levels.MOST),
              Target.atLeast(LEAST_GAIN)));
    }
    outcome.check(
        Check.timing(
            "mixed at level 64: bandwidth of separate, by that of interleaved",
            nanos(times, Workload.INTERLEAVED, Levels.MOST)
                / nanos(times, Workload.SEPARATE, Levels.MOST),
            Target.atLeast(1)));
    long mistaken = times.stream().mapToLong(Time::answer).sum();
    outcome.check(Check.deterministic("blocks read wrongly", (double) mistaken, Target.exactly(0)));
  }

  private static double nanos(List<Time<Setting>> times, Workload workload, int level) {
    return times.stream()
        .filter(time -> time.setting().equals(new Setting(workload, level)))
        .findFirst()
        .orElseThrow()
        .nanos();
  }
}
