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
import java.util.ArrayList;
import java.util.List;

/** Figure 2: how long requests of different sizes take. */
final class SizeLatency implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "pio-fig2",
          "Latency by size of a request",
          "PIO, figure 2",
          "Time of a random read (a) and of a random write (b) of 2 to 256 KB, one at a time, on"
              + " six SSDs. It grows with the size, but less than in proportion; a request of 4 KB"
              + " takes hardly longer than one of 2 KB, on some devices less.",
          "The same from 4 KB on, which is the least that every device takes past the page cache,"
              + " on one scratch file. Writes are not forced to the device, as in the paper. The"
              + " target is ours: 64 times the bytes take at most 32 times as long.",
          new Chart(Chart.Kind.LINES, "series", "size", "latency"));

  private static final List<Integer> SIZES_IN_BLOCKS = List.of(1, 2, 4, 8, 16, 32, 64);

  /** Half of what would be in proportion. */
  private static final double MOST_GROWTH = 32;

  private enum Direction {
    READ,
    WRITE
  }

  private record Setting(Direction direction, int blocks) {

    String label() {
      return direction == Direction.READ ? "read" : "write";
    }

    @Override
    public String toString() {
      return label() + " of " + kib() + " KB";
    }

    int kib() {
      return (blocks * Blocks.BYTES) >> 10;
    }
  }

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    int blocks = ScratchFiles.blocks(run.effort());
    int requests = Math.max(run.effort().probes() / 1000, 16);
    Outcome outcome =
        new Outcome(
            Column.text("series", "request"),
            Column.integer("size", "size of a request", "KB"),
            Column.real("latency", "latency", "us"));
    try (ScratchFiles folder = ScratchFiles.create(blocks)) {
      PageFile file = folder.file(blocks);
      folder.describe(outcome, blocks);
      List<Work<Setting>> works = new ArrayList<>();
      for (Direction direction : Direction.values()) {
        for (int size : SIZES_IN_BLOCKS) {
          long[] places = Blocks.random(requests, blocks, size);
          Setting setting = new Setting(direction, size);
          works.add(new Work<>(setting, requests, () -> transfer(file, setting, places)));
        }
      }
      report(Stopwatch.time(works, run.effort().rounds(), run.progress()), outcome);
    }
    return outcome
        .parameter("requests of each size", requests)
        .parameter("rounds", run.effort().rounds());
  }

  /** Makes one request after the other, and returns how many blocks came from the wrong place. */
  private static long transfer(PageFile file, Setting setting, long[] places) {
    Blocks buffer = new Blocks(setting.blocks);
    IoBatch batch = new IoBatch(buffer.memory(), 1);
    long mistaken = 0;
    for (long place : places) {
      batch.clear();
      batch.add(place * Blocks.BYTES, 0, setting.blocks * Blocks.BYTES);
      if (setting.direction == Direction.READ) {
        file.read(batch);
        mistaken += buffer.mistaken(0, place, setting.blocks);
      } else {
        buffer.label(0, place, setting.blocks);
        file.write(batch);
      }
    }
    return mistaken;
  }

  private static void report(List<Time<Setting>> times, Outcome outcome) {
    for (Time<Setting> time : times) {
      outcome.row(time.setting().label(), time.setting().kib(), time.nanos() / 1000);
    }
    for (Direction direction : Direction.values()) {
      List<Time<Setting>> ofOne =
          times.stream().filter(time -> time.setting().direction == direction).toList();
      outcome.check(
          Check.timing(
              ofOne.getFirst().setting().label() + ": time of 256 KB, by that of 4 KB",
              ofOne.getLast().nanos() / ofOne.getFirst().nanos(),
              Target.atMost(MOST_GROWTH)));
    }
    long mistaken = times.stream().mapToLong(Time::answer).sum();
    outcome.check(Check.deterministic("blocks read wrongly", (double) mistaken, Target.exactly(0)));
  }
}
