// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.experiment.Target;
import dev.espalier.pio.PioBTree.Geometry;
import java.util.List;
import java.util.SplittableRandom;

/** Figure 11 on the device: inserts and searches by the size of the operation queue. */
final class MeasuredInserts implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "pio-fig11",
          "Inserts and searches by size of the queue",
          "PIO, figure 11",
          "Random inserts, and as many searches, in trees of a billion entries, with 16 MB for pool"
              + " and queue together: with a quarter of it for the queue, the PIO B-tree on P300"
              + " inserts 16.3 times as fast as the B+-tree, and searches 1.2 times as fast.",
          "Trees in files on this machine's device, with as much less memory; pages of 4 KB, leaves"
              + " of two; the queue has one page, a sixteenth and a quarter of the memory. Each"
              + " tree is loaded once, then inserted into, then flushed, then searched; the flush"
              + " is part of the time of the inserts. The pool writes many changed pages at a time,"
              + " for the B+-tree as well, which the paper's does not. The targets are the"
              + " paper's.",
          new Chart(Chart.Kind.BARS, "operation", "tree", "time"));

  private static final List<Integer> PARTS = List.of(16, 4);

  private record Times(double insert, double search) {}

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    int entries = run.effort().entries();
    int inserts = Math.max(run.effort().probes() / 10, 1);
    long[] probes = Entries.probes(entries, Math.max(run.effort().probes() / 100, 1), entries);
    long memory = PaperSizes.poolBytes(entries, PaperSizes.MOST_MB);
    int pages = (int) (memory / TreeInFile.PAGE_BYTES);
    Outcome outcome =
        new Outcome(
            Column.text("tree", "tree"),
            Column.text("operation", "operation"),
            Column.real("time", "operation", "ns"));
    outcome
        .parameter("entries", entries)
        .parameter("inserts", inserts)
        .parameter("searches", probes.length)
        .parameter("pages of memory", pages);
    try (ScratchFolder folder =
        ScratchFolder.create((PARTS.size() + 2L) * TreeInFile.bytes(entries))) {
      run.progress().show(TreeInFile.B_PLUS, 0);
      Times bPlus;
      try (TreeInFile tree = TreeInFile.bPlus(folder, entries)) {
        outcome.parameter("engine", tree.engine(memory));
        bPlus = measure(tree, memory, inserts, entries, probes, outcome);
      }
      Times pio = queue(folder, 1, memory, inserts, entries, probes, outcome);
      for (int part : PARTS) {
        run.progress().show("a queue of 1/" + part, 1.0 / part);
        int queue = Math.max(pages / part, 1);
        pio = queue(folder, queue, memory, inserts, entries, probes, outcome);
      }
      if (entries >= PaperSizes.LEAST_ENTRIES) {
        outcome.check(
            Check.timing(
                "a quarter of the memory: insert into the B+-tree, by one into the PIO B-tree",
                bPlus.insert / pio.insert,
                Target.atLeast(16)));
        outcome.check(
            Check.timing(
                "a quarter of the memory: search in the B+-tree, by one in the PIO B-tree",
                bPlus.search / pio.search,
                Target.atLeast(1.2)));
      }
    }
    return outcome;
  }

  private static Times queue(
      ScratchFolder folder,
      int queue,
      long memory,
      int inserts,
      int entries,
      long[] probes,
      Outcome outcome) {
    Geometry geometry =
        new Geometry(2, queue, PaperSizes.PIO_MAX, PaperSizes.PERIOD, PaperSizes.BATCH);
    String label = "PIO B-tree, queue of %d".formatted(queue);
    try (TreeInFile tree = TreeInFile.pio(folder, label, geometry, entries)) {
      return measure(tree, memory, inserts, entries, probes, outcome);
    }
  }

  private static Times measure(
      TreeInFile tree, long memory, int inserts, int entries, long[] probes, Outcome outcome) {
    tree.reopen(memory, true);
    LongIndex index = tree.index();
    SplittableRandom random = new SplittableRandom(11);
    long start = System.nanoTime();
    for (int i = 0; i < inserts; i++) {
      index.set(Entries.key(random.nextInt(entries)) + 1, i);
    }
    index.flush();
    double insert = (double) (System.nanoTime() - start) / inserts;
    start = System.nanoTime();
    long sum = SearchesByPool.search(index, probes);
    double search = (double) (System.nanoTime() - start) / probes.length;
    outcome.row(tree.label(), "insert", insert);
    outcome.row(tree.label(), "search", search);
    outcome.check(
        Check.deterministic(
            tree.label() + ": wrong sum of values",
            sum == Entries.sumOfRanks(probes) ? 0 : 1,
            Target.exactly(0)));
    return new Times(insert, search);
  }
}
