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
import dev.espalier.experiment.Target;
import dev.espalier.memory.TimedPageStore;
import dev.espalier.model.PioCosts;
import dev.espalier.pio.PioBTree.Geometry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/** Figure 11, simulated: inserts and searches by the size of the operation queue. */
final class InsertsByQueue implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "pio-fig11-simulated",
          "Inserts and searches by size of the queue, simulated",
          "PIO, figure 11",
          "Five million random inserts, and as many searches, in trees of a billion entries, with"
              + " 16 MB for pool and operation queue together. With a queue of one page the PIO"
              + " B-tree inserts 7.2, 8.2 and 4.3 times as fast as the B+-tree on Iodrive, P300 and"
              + " F120, with nearly all memory 28 times on P300; with 1024 of 4095 pages 16.3"
              + " times, while it searches 1.2 times as fast.",
          "Trees of 30 million entries, and as much less memory, the times of three simulated"
              + " devices, as in pio-fig9-simulated. The queue is in pages of the pool. The targets"
              + " are the paper's for P300 and a queue of a quarter of the memory; and that pages"
              + " read and written per operation are as the model says.",
          new Chart(Chart.Kind.LINES, "series", "queue", "time").inPanels("device"));

  /** The queue's part of the memory that targets hold for, as 1024 of 4095 pages. */
  private static final int TUNED = 4;

  /** Pages that are left for the pool at least. */
  private static final int LEAST_POOL = 16;

  private static final Target AS_MODELLED = Target.between(0.9, 1.1);

  /** What an operation costs: nanoseconds on the reference device, and pages. */
  private record Cost(double nanos, double read, double written) {}

  private record Costs(Cost insert, Cost search) {}

  /** What is measured, and what is collected. */
  private record Work(int entries, long memory, int inserts, Outcome outcome) {}

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    int entries = PaperSizes.simulatedEntries(run.effort());
    long memory = PaperSizes.poolBytes(entries, PaperSizes.MOST_MB);
    int pages = (int) (memory / PooledTree.PIO_PAGE);
    PioCosts model = SearchesByPool.costs(entries, memory);
    int leafPages = model.choose(0.5).leafPages();
    Outcome outcome =
        new Outcome(
            Column.text("device", "device"),
            Column.text("series", "operation"),
            Column.integer("queue", "pages of the queue", ""),
            Column.real("time", "operation", "ns"),
            Column.real("read", "pages read", ""),
            Column.real("written", "pages written", ""));
    outcome
        .parameter("entries", entries)
        .parameter("pages of memory", pages)
        .parameter("leaf pages", leafPages)
        .parameter("why", model.choose(0.5).reason());
    long[] probes = Entries.probes(entries, Math.max(run.effort().probes() / 5, 1), entries);
    Work work = new Work(entries, memory, run.effort().probes() / 2, outcome);
    List<Integer> queues = new ArrayList<>();
    for (int queue = 1; queue < pages - LEAST_POOL; queue *= 2) {
      queues.add(queue);
    }
    int tuned = Math.max(pages / TUNED, 1);
    queues.add(tuned);
    queues.sort(null);
    int step = 0;
    double steps = queues.size() + PooledTree.B_PLUS_PAGES.length;
    Map<Integer, Costs> bPlus = new LinkedHashMap<>();
    for (int pageBytes : PooledTree.B_PLUS_PAGES) {
      String label = PooledTree.bPlusLabel(pageBytes);
      run.progress().show(label, step++ / steps);
      try (PooledTree tree = PooledTree.bPlus(pageBytes, entries)) {
        bPlus.put(pageBytes, measure(tree, 0, queues, probes, work));
      }
    }
    Map<Integer, Costs> pio = new HashMap<>();
    for (int queue : queues) {
      run.progress().show("queue of " + queue, step++ / steps);
      Geometry geometry =
          new Geometry(leafPages, queue, PaperSizes.PIO_MAX, PaperSizes.PERIOD, PaperSizes.BATCH);
      try (PooledTree tree = PooledTree.pio(geometry, entries)) {
        int queued = queue * model.operationsPerPage();
        pio.put(queue, measure(tree, 2 * queued, List.of(queue), probes, work));
      }
    }
    if (entries >= PaperSizes.LEAST_ENTRIES) {
      Costs tunedCosts = Objects.requireNonNull(pio.get(tuned));
      bPlus.forEach((pageBytes, costs) -> checkGain(outcome, pageBytes, costs, tunedCosts));
      checkModel(outcome, model, leafPages, tuned, tunedCosts);
    }
    return outcome;
  }

  /**
   * Inserts, and then searches.
   *
   * @param before inserts that are not counted: they fill pool and queue
   * @param queues for which there is a row each
   */
  private static Costs measure(
      PooledTree tree, int before, List<Integer> queues, long[] probes, Work work) {
    PooledTree.Opened opened = tree.open(work.memory, true);
    SplittableRandom random = new SplittableRandom(11);
    insert(opened.index(), random, Math.max(before, work.inserts / 10), work.entries);
    opened.store().resetCounters();
    insert(opened.index(), random, work.inserts, work.entries);
    Cost insert = report(tree.label() + ", insert", opened.store(), work.inserts, queues, work);
    long sum = SearchesByPool.search(opened.index(), probes);
    work.outcome.check(
        Check.deterministic(
            "%s, queue of %s: values added up, less what they should"
                .formatted(tree.label(), queues),
            (double) (sum - Entries.sumOfRanks(probes)),
            Target.exactly(0)));
    Cost search = report(tree.label() + ", search", opened.store(), probes.length, queues, work);
    return new Costs(insert, search);
  }

  /** Inserts entries between those that were loaded. */
  private static void insert(LongIndex index, SplittableRandom random, int count, int entries) {
    for (int i = 0; i < count; i++) {
      index.set(Entries.key(random.nextInt(entries)) + 1, i);
    }
  }

  private static Cost report(
      String series, TimedPageStore store, int operations, List<Integer> queues, Work work) {
    double read = (double) store.transfers().read() / operations;
    double written = (double) store.transfers().written() / operations;
    for (SimulatedDevice device : SimulatedDevice.ALL) {
      double time = store.nanos(device) / operations;
      for (int queue : queues) {
        work.outcome.row(device.label(), series, queue, time, read, written);
      }
    }
    Cost cost = new Cost(store.nanos(SimulatedDevice.REFERENCE) / operations, read, written);
    store.flush();
    store.resetCounters();
    return cost;
  }

  private static void checkGain(Outcome outcome, int pageBytes, Costs bPlus, Costs pio) {
    String label = PooledTree.bPlusLabel(pageBytes);
    outcome.check(
        Check.deterministic(
            "P300, a quarter of the memory: insert into " + label + ", by one into the PIO B-tree",
            bPlus.insert.nanos / pio.insert.nanos,
            Target.atLeast(16)));
    outcome.check(
        Check.deterministic(
            "P300, a quarter of the memory: search in " + label + ", by one in the PIO B-tree",
            bPlus.search.nanos / pio.search.nanos,
            Target.atLeast(1.2)));
  }

  private static void checkModel(
      Outcome outcome, PioCosts model, int leafPages, int queue, Costs pio) {
    PioCosts.Transfers insert = model.insertTransfersWithoutSplits(leafPages, queue);
    outcome.check(
        Check.deterministic(
            "a quarter of the memory: pages read per insert, by those of the model",
            pio.insert.read / insert.read(),
            AS_MODELLED));
    outcome.check(
        Check.deterministic(
            "a quarter of the memory: pages written per insert, by those of the model",
            pio.insert.written / insert.written(),
            AS_MODELLED));
    outcome.check(
        Check.deterministic(
            "a quarter of the memory: pages read per search, by those of the model",
            pio.search.read / model.searchTransfers(leafPages, queue).read(),
            AS_MODELLED));
  }
}
