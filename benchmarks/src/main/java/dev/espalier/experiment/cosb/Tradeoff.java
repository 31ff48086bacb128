// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Simulated;
import dev.espalier.experiment.SimulatedCounts;
import dev.espalier.experiment.SimulatedWork;
import dev.espalier.experiment.Simulator;
import dev.espalier.experiment.Target;
import dev.espalier.simulation.TwoLevelMemory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What searches and inserts of every structure transfer: points of the trade-off between them. */
final class Tradeoff implements Simulated {
  private static final int BLOCK_BYTES = CountedStructure.PAGE_BYTES;
  private static final int BLOCK_ENTRIES = BLOCK_BYTES / TransferCount.ENTRY_BYTES;

  /** Times as many bytes of entries as of fast memory. */
  private static final int DATA_TO_MEMORY = 16;

  /** Fewer than any index of two levels has. */
  private static final int LEAST_BLOCKS = 4;

  @Override
  public Description description() {
    return new Description(
        "cosb-tradeoff",
        "Block transfers of searches and inserts",
        "Streaming B-trees, the slides' trade-off",
        "B-trees search in log_B N block transfers and insert in as many; COLAs and buffered"
            + " repository trees insert in (log N) / B and search in log N; B^e-trees and lookahead"
            + " arrays are the curve between them. The shuttle tree searches as the B-tree does and"
            + " inserts for less.",
        "Every access to the index's memory goes through a simulated fast memory of 4 KiB blocks,"
            + " LRU, a sixteenth of the entries' bytes; a block brought in is a transfer, and a"
            + " changed one that makes way. Counted are the second half of blind inserts in random"
            + " order into an empty index, and random searches for keys that are there, after as"
            + " many that warm the memory up. Bounds are evaluated for this N, B and M"
            + " without a constant, and what was counted is divided by them: of log N steps or"
            + " levels those count that are larger than fast memory. A constant is to be at most 2"
            + " for searches, as nodes may be half empty, and 3 for inserts, which bring a block"
            + " in, write it, and read what they overwrite."
            + " What structures have on the Java heap is not counted, nor is the copying of memory"
            + " that grows. Pages are 4 KiB.",
        new Chart(Chart.Kind.LINES, "structure", "search", "insert"));
  }

  private static long memoryBytes(Effort effort) {
    long bytes = (long) TransferCount.entries(effort) * TransferCount.ENTRY_BYTES;
    return Math.max(bytes / DATA_TO_MEMORY, (long) LEAST_BLOCKS * BLOCK_BYTES);
  }

  private static TransferBounds.Model model(Effort effort) {
    return new TransferBounds.Model(
        TransferCount.entries(effort),
        (double) memoryBytes(effort) / TransferCount.ENTRY_BYTES,
        BLOCK_ENTRIES);
  }

  @Override
  public List<SimulatedWork> works(Effort effort) {
    long memoryBytes = memoryBytes(effort);
    return CountedStructure.all().stream()
        .map(
            structure ->
                TransferCount.work(
                    structure, effort, () -> List.of(new TwoLevelMemory(memoryBytes, BLOCK_BYTES))))
        .toList();
  }

  @Override
  public Outcome run(Run run) {
    Effort effort = run.effort();
    int entries = TransferCount.entries(effort);
    Outcome outcome =
        new Outcome(
            Column.text("structure", "structure"),
            Column.integer("entries", "N", "entries"),
            Column.integer("block", "B", "entries"),
            Column.integer("memory", "M", "bytes"),
            Column.real("search", "search", "transfers"),
            Column.real("insert", "insert", "transfers"),
            Column.real("searchBound", "search by the bound", "transfers"),
            Column.real("insertBound", "insert by the bound", "transfers"),
            Column.real("searchConstant", "search / bound", ""),
            Column.real("insertConstant", "insert / bound", ""));
    SimulatedCounts counts = Simulator.run(this, effort, run.progress());
    Map<String, TransferCount> points = new HashMap<>();
    for (CountedStructure structure : CountedStructure.all()) {
      String label = structure.label();
      TransferCount point = TransferCount.of(counts.numbers(label), 0, effort);
      points.put(label, point);
      TransferBounds bounds = structure.formula().at(model(effort));
      double search = point.search() / bounds.search();
      double insert = point.insert() / bounds.insert();
      outcome.row(
          label,
          entries,
          BLOCK_ENTRIES,
          memoryBytes(effort),
          point.search(),
          point.insert(),
          bounds.search(),
          bounds.insert(),
          search,
          insert);
      if (TransferCount.isBeyondMemory(effort)) {
        TransferBounds constants = new TransferBounds(search, insert);
        checkConstants(outcome, label, constants);
      }
    }
    outcome.check(TransferCount.answers(counts));
    if (TransferCount.isBeyondMemory(effort)) {
      checkOrder(outcome, points);
    }
    return outcome;
  }

  /** Checks who is ahead of whom in what, as the slides have it. */
  private static void checkOrder(Outcome outcome, Map<String, TransferCount> points) {
    TransferCount tree = Objects.requireNonNull(points.get(Structure.B_PLUS_TREE.label()));
    TransferCount buffered = Objects.requireNonNull(points.get(Structure.B_EPSILON_TREE.label()));
    TransferCount shuttle = Objects.requireNonNull(points.get(Structure.SHUTTLE_TREE.label()));
    TransferCount two = Objects.requireNonNull(points.get(Structure.COLA_2.label()));
    TransferCount four = Objects.requireNonNull(points.get(Structure.COLA_4.label()));
    TransferCount eight = Objects.requireNonNull(points.get(Structure.COLA_8.label()));
    checkRatio(outcome, "insert, B-tree over 4-COLA", tree.insert() / four.insert(), 10);
    checkRatio(outcome, "insert, B-tree over B^e-tree", tree.insert() / buffered.insert(), 5);
    checkRatio(outcome, "insert, B-tree over shuttle tree", tree.insert() / shuttle.insert(), 1);
    checkRatio(outcome, "insert, 4-COLA over 2-COLA", four.insert() / two.insert(), 1);
    checkRatio(outcome, "insert, 8-COLA over 4-COLA", eight.insert() / four.insert(), 1);
    checkRatio(outcome, "search, 4-COLA over B-tree", four.search() / tree.search(), 1);
    checkRatio(outcome, "search, B^e-tree over B-tree", buffered.search() / tree.search(), 1);
    checkRatio(outcome, "search, 2-COLA over 4-COLA", two.search() / four.search(), 1);
  }

  /** Holds what stands in front of a structure's bounds against the most that it may be. */
  static void checkConstants(Outcome outcome, String label, TransferBounds constants) {
    TransferBounds most = CountedStructure.MOST;
    outcome.check(
        Check.deterministic(
            label + ", search over its bound", constants.search(), Target.atMost(most.search())));
    outcome.check(
        Check.deterministic(
            label + ", insert over its bound", constants.insert(), Target.atMost(most.insert())));
  }

  private static void checkRatio(Outcome outcome, String name, double ratio, double least) {
    outcome.check(Check.deterministic(name, ratio, Target.atLeast(least)));
  }
}
