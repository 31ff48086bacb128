// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

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
import dev.espalier.experiment.Sums;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.List;

/** Scans over all of a file with nothing in the pool, against reading as many bytes in a row. */
final class ScansOfFiles implements Experiment {
  /** The B+-tree's random growth takes a read and a write per insert: so much less of them. */
  private static final int SMALLER = 4;

  private static final List<Setting> SETTINGS =
      List.of(
          new Setting(Structure.B_PLUS_TREE, Filling.BULKLOAD),
          new Setting(Structure.B_PLUS_TREE, Filling.SET),
          new Setting(Structure.COLA_4, Filling.BULKLOAD),
          new Setting(Structure.COLA_4, Filling.SET),
          new Setting(Structure.B_EPSILON_TREE, Filling.SET));

  /** A structure, and how it comes by its entries. */
  private record Setting(Structure structure, Filling filling) {
    NumberedEntries entries(int usual) {
      boolean isSmaller = structure == Structure.B_PLUS_TREE && filling == Filling.SET;
      return filling.entries(isSmaller ? Math.ceilDiv(usual, SMALLER) : usual);
    }

    @Override
    public String toString() {
      return structure.label() + ", " + filling.label();
    }
  }

  /** A file with its entries. */
  private record Scanned(Setting setting, NumberedEntries entries, LoadedFile file) {
    Work<String> work() {
      return new Work<>(
          setting.toString(), entries.count(), file::reopen, () -> Sums.ofEntries(file.index()));
    }
  }

  @Override
  public Description description() {
    return new Description(
        "cosb-scans",
        "Scans of files",
        "Streaming B-trees, range queries",
        "No figure: a range query of L entries takes O(L/B) block transfers beside its search in a"
            + " COLA, as in a B-tree; but a COLA's blocks lie one after the other in each level,"
            + " and a B-tree's leaves where splits put them.",
        "Files are filled by blind writes in random order, or bulkloaded, which gives a COLA one"
            + " level; the B+-tree's random growth has a quarter of the entries. Each is opened"
            + " again, with nothing in its pool of two thirds of the entries' bytes, and all"
            + " entries are scanned and added up. The bandwidth, by the bytes of keys and values,"
            + " is given as a share of that of reading a file by runs of 1 MiB, one after the"
            + " other, by the same engine. Its memory is one run, but a new pool's is new to the"
            + " process. The target is ours.",
        new Chart(Chart.Kind.BARS, "filling", "structure", "share"));
  }

  @Override
  public Outcome run(Run run) {
    int usual = run.effort().entries();
    Outcome outcome =
        new Outcome(
            Column.text("structure", "structure"),
            Column.text("filling", "filled by"),
            Column.integer("entries", "entries", ""),
            Column.real("scan", "scan, per entry", "ns"),
            Column.real("share", "bandwidth, of a sequential read's", "%"));
    List<Scanned> all = new ArrayList<>();
    long bytes = (long) usual * NumberedEntries.ENTRY_BYTES;
    try (ScratchFolder folder =
            ScratchFolder.create(bytes + SETTINGS.size() * LoadedFile.mostBytes(usual));
        SequentialFile sequential = new SequentialFile(folder, bytes)) {
      outcome.parameter("engine", sequential.engine()).parameter("rounds", run.effort().rounds());
      try {
        for (Setting setting : SETTINGS) {
          run.progress().part(0, 2).show(setting.toString(), (double) all.size() / SETTINGS.size());
          NumberedEntries entries = setting.entries(usual);
          LoadedFile file =
              new LoadedFile(folder, "index" + all.size(), setting.structure, entries.count());
          all.add(new Scanned(setting, entries, file));
          setting.filling.fill(entries, file.index());
        }
        List<Work<String>> works = new ArrayList<>();
        all.forEach(scanned -> works.add(scanned.work()));
        works.add(new Work<>("sequential read", sequential.bytes(), sequential::read));
        addRows(
            outcome,
            all,
            sequential,
            Stopwatch.time(works, run.effort().rounds(), run.progress().part(1, 2)));
      } finally {
        all.forEach(scanned -> scanned.file.close());
      }
    }
    return outcome;
  }

  private static void addRows(
      Outcome outcome, List<Scanned> all, SequentialFile sequential, List<Time<String>> times) {
    double sequentialNanos = times.getLast().nanos() * NumberedEntries.ENTRY_BYTES;
    int wrong = times.getLast().wrong(sequential.sum());
    for (int i = 0; i < all.size(); i++) {
      Scanned scanned = all.get(i);
      Setting setting = scanned.setting;
      Time<String> time = times.get(i);
      wrong += time.wrong(scanned.entries.sum());
      double share = 100 * sequentialNanos / time.nanos();
      outcome.row(
          setting.structure.label(),
          setting.filling.label(),
          scanned.entries.count(),
          time.nanos(),
          share);
      if (setting.structure == Structure.COLA_4 && setting.filling == Filling.BULKLOAD) {
        outcome.check(
            Check.timing(
                "scan of the 4-COLA with one level, share of a sequential read, %",
                share, Target.atLeast(50)));
      }
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
  }
}
