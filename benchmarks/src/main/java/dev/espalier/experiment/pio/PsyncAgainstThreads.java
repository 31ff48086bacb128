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
import dev.espalier.io.IoBatch;
import dev.espalier.io.PageFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Figure 4 (a) and (b): psync against threads, in one file and in a file each. */
final class PsyncAgainstThreads implements Experiment {
  private static final String PSYNC = "psync";
  private static final String SHARED = "threads, one file";
  private static final String SEPARATE = "threads, a file each";

  private static final Description DESCRIPTION =
      new Description(
          "pio-fig4",
          "Psync and threads",
          "PIO, figure 4 (a) and (b)",
          "Bandwidth of random reads and writes of 4 KB, mixed, on ext2: psync with 1 to 64"
              + " requests outstanding, and as many threads with one request each. (a) In one file"
              + " threads gain next to nothing beyond two: a write locks the file. (b) With a file"
              + " for each thread they come near psync.",
          "The same: psync hands over half of a level as reads and half as writes, in two batches;"
              + " threads read and write in turn, by pread and pwrite. All have the same number of"
              + " blocks; the separate files together are as large as the one. File systems of"
              + " today may let direct writes to one file overlap. The targets: psync at least as"
              + " fast as threads in one file, and not far behind those with a file each.",
          new Chart(Chart.Kind.LINES, "series", Levels.COLUMN, "bandwidth"));

  /** The level that the paper tells most about. */
  private static final int LEVEL = 32;

  /** What the paper calls similar. */
  private static final double SIMILAR = 0.8;

  private record Setting(String method, int level) {

    @Override
    public String toString() {
      return method + ", level " + level;
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
            Column.text("series", "method"),
            Levels.column(),
            Column.real("bandwidth", "bandwidth", "MiB/s"));
    List<TransferThreads> pools = new ArrayList<>();
    try (ScratchFiles folder = ScratchFiles.create(2L * blocks)) {
      try {
        PageFile one = folder.file(blocks);
        long[] numbers = Blocks.random(requests, blocks, 1);
        long share = blocks / Levels.MOST;
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < Levels.MOST; i++) {
          PageFile file = folder.file(share);
          file.close(); // threads open it by themselves
          files.add(file.path());
        }
        folder.describe(outcome, blocks);
        boolean direct = one.status().direct();
        List<Work<Setting>> works = new ArrayList<>();
        for (int level : Levels.ALL) {
          Mixed mixed = new Mixed(level);
          works.add(new Work<>(new Setting(PSYNC, level), requests, () -> mixed.run(one, numbers)));
          TransferThreads shared = new TransferThreads(level, List.of(one.path()), direct);
          pools.add(shared);
          works.add(
              new Work<>(
                  new Setting(SHARED, level), requests, () -> shared.run(numbers, blocks, true)));
          TransferThreads separate = new TransferThreads(level, files.subList(0, level), direct);
          pools.add(separate);
          works.add(
              new Work<>(
                  new Setting(SEPARATE, level),
                  requests,
                  () -> separate.run(numbers, share, true)));
        }
        report(Stopwatch.time(works, run.effort().rounds(), run.progress()), outcome);
      } finally {
        pools.forEach(TransferThreads::close);
      }
    }
    return outcome
        .parameter("requests at each level", requests)
        .parameter("rounds", run.effort().rounds());
  }

  private static void report(List<Time<Setting>> times, Outcome outcome) {
    for (Time<Setting> time : times) {
      outcome.row(time.setting().method, time.setting().level, Levels.bandwidth(time.nanos()));
    }
    outcome.check(
        Check.timing(
            "level 32: bandwidth of psync, by that of threads in one file",
            nanos(times, SHARED) / nanos(times, PSYNC),
            Target.atLeast(1)));
    outcome.check(
        Check.timing(
            "level 32: bandwidth of psync, by that of threads with a file each",
            nanos(times, SEPARATE) / nanos(times, PSYNC),
            Target.atLeast(SIMILAR)));
    long mistaken = times.stream().mapToLong(Time::answer).sum();
    outcome.check(Check.deterministic("blocks read wrongly", (double) mistaken, Target.exactly(0)));
  }

  private static double nanos(List<Time<Setting>> times, String method) {
    return times.stream()
        .filter(time -> time.setting().equals(new Setting(method, LEVEL)))
        .findFirst()
        .orElseThrow()
        .nanos();
  }

  /** Psync of as many requests as are outstanding, every second of them a write. */
  private static final class Mixed {
    private final int level;
    private final Blocks buffer;
    private final IoBatch reads;
    private final IoBatch writes;

    Mixed(int level) {
      this.level = level;
      buffer = new Blocks(level);
      reads = new IoBatch(buffer.memory(), level);
      writes = new IoBatch(buffer.memory(), level);
    }

    long run(PageFile file, long[] numbers) {
      long mistaken = 0;
      for (int first = 0; first < numbers.length; first += level) {
        reads.clear();
        writes.clear();
        for (int i = 0; i < level; i++) {
          long number = numbers[first + i];
          boolean write = (first + i) % 2 == 1;
          if (write) {
            buffer.label(i, number, 1);
          } else {
            buffer.clear(i, 1);
          }
          (write ? writes : reads).add(number * Blocks.BYTES, Blocks.offset(i), Blocks.BYTES);
        }
        file.startRead(reads);
        file.startWrite(writes);
        file.finish(reads);
        file.finish(writes);
        for (int i = 0; i < level; i++) {
          mistaken += buffer.mistaken(i, numbers[first + i], 1);
        }
      }
      return mistaken;
    }
  }
}
