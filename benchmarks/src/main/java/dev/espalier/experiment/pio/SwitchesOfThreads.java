// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Progress;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Target;
import dev.espalier.io.PageFile;
import java.util.List;
import java.util.function.LongSupplier;

/** Figure 4 (c): context switches of psync and of threads. */
final class SwitchesOfThreads implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "pio-fig4c",
          "Context switches of psync and threads",
          "PIO, figure 4 (c)",
          "Context switches while a million blocks of 4 KB are read, by psync with 1 to 64 requests"
              + " outstanding and by as many threads with one request each. At level 32 threads"
              + " have more than ten times as many.",
          "The same, in one file, with fewer reads; switches per thousand reads. Counted are those"
              + " of all threads of the process, voluntary and not, those of the engine and of the"
              + " JVM included. Through the page cache hardly any read waits, and there is nothing"
              + " to see.",
          new Chart(Chart.Kind.LINES, "series", Levels.COLUMN, "switches"));

  /** The level that the paper tells about. */
  private static final int LEVEL = 32;

  private static final double LEAST_RATIO = 10;

  /** A run before the count, so that threads are started and code is compiled. */
  private static final int WARM_UP_ROUNDS = 1;

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
            Column.text("series", "method"),
            Levels.column(),
            Column.real("switches", "context switches", "per 1000 reads"));
    try (ScratchFiles folder = ScratchFiles.create(blocks)) {
      PageFile file = folder.file(blocks);
      folder.describe(outcome, blocks);
      Count count = new Count(outcome, requests, run.effort().rounds());
      long[] numbers = Blocks.random(requests, blocks, 1);
      for (int i = 0; i < Levels.ALL.size(); i++) {
        int level = Levels.ALL.get(i);
        Progress progress = run.progress().part(i, Levels.ALL.size());
        progress.show("level " + level, 0);
        Workload.Outstanding outstanding = new Workload.Outstanding(level);
        double psync =
            count.of("psync", level, () -> Workload.READS.run(file, outstanding, numbers));
        double threads;
        try (TransferThreads pool =
            new TransferThreads(level, List.of(file.path()), file.status().direct())) {
          threads = count.of("threads", level, () -> pool.run(numbers, blocks, false));
        }
        if (level == LEVEL) {
          // Psync that never waits, in a cache, has no switch to divide by.
          outcome.check(
              Check.timing(
                  "level 32: switches of threads, by those of psync",
                  threads / Math.max(psync, 1.0 / requests),
                  Target.atLeast(LEAST_RATIO)));
        }
      }
      outcome.check(
          Check.deterministic("blocks read wrongly", (double) count.mistaken, Target.exactly(0)));
    }
    return outcome
        .parameter("requests at each level", requests)
        .parameter("rounds", run.effort().rounds());
  }

  /** Counts switches, and adds a row for each count. */
  private static final class Count {
    private final Outcome outcome;
    private final int requests;
    private final int rounds;
    private long mistaken;

    Count(Outcome outcome, int requests, int rounds) {
      this.outcome = outcome;
      this.requests = requests;
      this.rounds = rounds;
    }

    /** Returns the context switches per thousand requests. */
    double of(String method, int level, LongSupplier round) {
      for (int i = 0; i < WARM_UP_ROUNDS; i++) {
        mistaken += round.getAsLong();
      }
      ContextSwitches switches = new ContextSwitches();
      for (int i = 0; i < rounds; i++) {
        mistaken += round.getAsLong();
      }
      double perThousand = switches.since() * 1000.0 / ((double) requests * rounds);
      outcome.row(method, level, perThousand);
      return perThousand;
    }
  }
}
