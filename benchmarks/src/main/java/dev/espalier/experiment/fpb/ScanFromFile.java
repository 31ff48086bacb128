// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Figure 18: range scans of a file, leaf page by leaf page and with the jump-pointer array read
 * ahead; (a) by the size of the range, (b) by the number of files that the pages are spread over.
 */
final class ScanFromFile implements Experiment {
  /** Bytes of a file for each entry, unused room in pages included. */
  private static final int BYTES_PER_ENTRY = 40;

  /** So many scans of a range begin at different keys. */
  private static final int STARTS = 10;

  private static final int START_SEED = 19;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String TIME = "time";
  private static final String THROUGHPUT = "throughput";

  /** Ours; how much there is to gain is up to the device. */
  private static final Target GAIN = Target.atLeast(3.5);

  /** One point of a series. */
  record Setting(boolean readsAhead, int files, int range) {
    String series() {
      return readsAhead ? "read ahead" : "leaf by leaf";
    }

    @Override
    public String toString() {
      return series() + ", " + range + " entries, " + files + " files";
    }
  }

  private final Description description;
  private final List<Integer> files;
  private final List<Integer> ranges;

  private ScanFromFile(Description description, List<Integer> files, List<Integer> ranges) {
    this.description = description;
    this.files = files;
    this.ranges = ranges;
  }

  /** Returns part (a). */
  static Experiment byRange() {
    return new ScanFromFile(
        new Description(
            "fpb-fig18a",
            "Range scans from disk, by size of the range",
            "fpB+, figure 18 (a)",
            "Time of random scans over 100 to 10 million entries with pages of 16 KB on 10 disks,"
                + " in trees of 90 million bulkloaded and 10 million inserted keys:"
                + " for ranges within a page no difference, at 10,000 entries the fpB+-tree is 1.9"
                + " times as fast as the B+-tree, from a million on 6.2 to 6.9 times.",
            "Scans of up to a million entries of a disk-first tree, nine tenths bulkloaded and one"
                + " inserted, in one scratch file on one device, from another random key in each"
                + " round, with nothing in the pool at first: with read-ahead, and without, as a"
                + " B+-tree scans. Each answer is held against the entries that there are. The"
                + " target is ours, for the longest range; one device gains no more than its"
                + " bandwidth at depth 32 exceeds that at depth 1.",
            new Chart(Chart.Kind.LINES, "series", "range", TIME)),
        List.of(1),
        List.of(100, 1_000, 10_000, 100_000, 1_000_000));
  }

  /** Returns part (b). */
  static Experiment byFiles() {
    return byFiles(
        "fpb-fig18b",
        "Range scans from disk, by number of stripes",
        "fpB+, figure 18 (b)",
        "Time of scans over 10 million entries on 1 to 10 disks. With each disk the fpB+-tree"
            + " becomes faster, by 10 disks 6.9 times; the B+-tree does not.",
        TIME);
  }

  /** Returns part (c). */
  static Experiment throughputByFiles() {
    return byFiles(
        "fpb-fig18c",
        "Throughput of range scans from disk, by number of stripes",
        "fpB+, figure 18 (c)",
        "The speed-up of part (b) over a single disk, for scans of 10 million entries: the"
            + " fpB+-tree's grows nearly linearly with the number of disks, from 1 to 6.9 with 10"
            + " of them.",
        THROUGHPUT);
  }

  private static Experiment byFiles(
      String name, String title, String source, String paper, String y) {
    return new ScanFromFile(
        new Description(
            name,
            title,
            source,
            paper,
            "The same as part (a), over the longest range, with pages striped over 1 to 8 files."
                + " They are on one device here: what striping costs shows, what further devices"
                + " gain does not.",
            new Chart(Chart.Kind.LINES, "series", "files", y)),
        List.of(1, 2, 4, 8),
        List.of(1_000_000));
  }

  @Override
  public Description description() {
    return description;
  }

  @Override
  public Outcome run(Run run) {
    int entries = run.effort().entries();
    Outcome outcome =
        new Outcome(
            Column.text("series", "scan"),
            Column.integer("files", "files", ""),
            Column.integer("range", "entries in the range", ""),
            Column.real(TIME, "time of a scan", "ms"),
            Column.real(THROUGHPUT, "throughput", "entries/s"));
    try (ScratchFolder folder =
        ScratchFolder.create((long) files.size() * entries * BYTES_PER_ENTRY)) {
      for (int i = 0; i < files.size(); i++) {
        try (ScannedFile file = new ScannedFile(folder, files.get(i), entries)) {
          outcome.parameter("engine", file.engine());
          List<Work<Setting>> works = works(file, files.get(i), entries);
          report(
              Stopwatch.time(works, run.effort().rounds(), run.progress().part(i, files.size())),
              outcome);
        }
      }
    }
    return outcome.parameter("entries", entries).parameter("rounds", run.effort().rounds());
  }

  private List<Work<Setting>> works(ScannedFile file, int stripes, int entries) {
    List<Work<Setting>> works = new ArrayList<>();
    for (int range : ranges) {
      int scanned = Math.min(range, entries / 2);
      long[] starts = starts(entries, scanned);
      for (boolean readsAhead : new boolean[] {false, true}) {
        works.add(work(file, new Setting(readsAhead, stripes, scanned), starts));
      }
    }
    return works;
  }

  /** Returns keys to begin at, none the first, from which so many entries follow. */
  private static long[] starts(int entries, int scanned) {
    return new Random(START_SEED)
        .ints(STARTS, 1, entries - scanned)
        .mapToLong(i -> 2L * i)
        .toArray();
  }

  /** Scans begin at one key after the other; the answer is how far they are from the right one. */
  private static Work<Setting> work(ScannedFile file, Setting setting, long[] starts) {
    int[] round = {0};
    return new Work<>(
        setting,
        1,
        () -> {
          file.reopen(setting.readsAhead);
          round[0]++;
        },
        () -> {
          long from = starts[round[0] % starts.length];
          return file.scan(from, setting.range) - ScannedFile.sum(from, setting.range);
        });
  }

  static void report(List<Time<Setting>> times, Outcome outcome) {
    long wrong = 0;
    for (Time<Setting> time : times) {
      Setting setting = time.setting();
      outcome.row(
          setting.series(),
          setting.files(),
          setting.range(),
          time.nanos() / 1e6,
          setting.range() / time.nanos() * NANOS_PER_SECOND);
      wrong += time.wrong(0);
    }
    Time<Setting> alone = times.get(times.size() - 2);
    Time<Setting> ahead = times.getLast();
    outcome.check(
        Check.timing(
            "%d entries, %d files: time leaf by leaf, by that of reading ahead"
                .formatted(alone.setting().range(), alone.setting().files()),
            alone.nanos() / ahead.nanos(),
            GAIN));
    outcome.check(
        Check.deterministic(
            "scans that read something else, " + alone.setting().files() + " files",
            (double) wrong,
            Target.exactly(0)));
  }
}
