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
import java.util.List;
import java.util.stream.IntStream;

/** What structures transfer by the size of blocks, which does not change them. */
final class TransfersByBlock implements Simulated {
  /** Times as many bytes of entries as of fast memory. */
  private static final int DATA_TO_MEMORY = 6;

  /** Fewest blocks of fast memory: a merge has a page of each level that it reads and writes. */
  private static final int LEAST_BLOCKS = 16;

  private static final int SMALLEST_BLOCK = 512;
  private static final int LARGEST_BLOCK = 256 << 10;

  /** How many times as large as the one before a block is. */
  private static final int STEP = 8;

  /** Search no worse with larger blocks, but for what fast memory then holds without need. */
  private static final List<String> OBLIVIOUS_SEARCH =
      List.of(
          Structure.COLA_2.label(),
          Structure.COLA_4.label(),
          Structure.COLA_8.label(),
          Structure.SHUTTLE_TREE.label(),
          Structure.CACHE_OBLIVIOUS_B_TREE.label());

  private static final List<String> OBLIVIOUS_INSERT =
      List.of(
          Structure.COLA_2.label(),
          Structure.COLA_4.label(),
          Structure.COLA_8.label(),
          Structure.SHUTTLE_TREE.label(),
          Structure.CACHE_OBLIVIOUS_B_TREE.label());

  @Override
  public Description description() {
    return new Description(
        "cosb-blocks",
        "Block transfers by the size of blocks",
        "Streaming B-trees, cache-obliviousness",
        "A cache-oblivious structure has no block size among its parameters, and meets its bounds"
            + " for every one. A tree of pages meets its own for one.",
        "Indexes of one geometry, those of pages with 4 KiB, in simulated fast memories of as many"
            + " bytes in blocks of 512 B to 256 KiB, as far as there is room for 16: a sixth of the"
            + " entries' bytes. All are counted in one run. Inserts, searches and what is not seen"
            + " are as in cosb-tradeoff. With larger blocks fast memory also holds more that nobody"
            + " asked for, so a search that was down to one or two transfers can't gain.",
        new Chart(Chart.Kind.LINES, "structure", "block", "insert"));
  }

  private static long memoryBytes(Effort effort) {
    long bytes = (long) TransferCount.entries(effort) * TransferCount.ENTRY_BYTES;
    return Math.max(bytes / DATA_TO_MEMORY, (long) LEAST_BLOCKS * SMALLEST_BLOCK);
  }

  private static int[] blocks(Effort effort) {
    long most = Math.min(LARGEST_BLOCK, memoryBytes(effort) / LEAST_BLOCKS);
    return IntStream.iterate(SMALLEST_BLOCK, block -> block <= most, block -> STEP * block)
        .toArray();
  }

  private static List<TwoLevelMemory> memories(Effort effort) {
    long bytes = memoryBytes(effort);
    return IntStream.of(blocks(effort)).mapToObj(b -> new TwoLevelMemory(bytes, b)).toList();
  }

  /** Returns how many times the bound of the cache-oblivious B-tree's inserts is the last one's. */
  private static double boundsByBlock(Effort effort, int[] blocks) {
    double[] inserts =
        IntStream.of(blocks)
            .mapToDouble(
                block ->
                    TransferBounds.cacheObliviousBTree(
                            new TransferBounds.Model(
                                TransferCount.entries(effort),
                                (double) memoryBytes(effort) / TransferCount.ENTRY_BYTES,
                                (double) block / TransferCount.ENTRY_BYTES))
                        .insert())
            .toArray();
    double most = 0;
    for (int i = 1; i < inserts.length; i++) {
      most = Math.max(most, inserts[i] / inserts[i - 1]);
    }
    return most;
  }

  @Override
  public List<SimulatedWork> works(Effort effort) {
    return CountedStructure.all().stream()
        .map(structure -> TransferCount.work(structure, effort, () -> memories(effort)))
        .toList();
  }

  @Override
  public Outcome run(Run run) {
    Effort effort = run.effort();
    int[] blocks = blocks(effort);
    Outcome outcome =
        new Outcome(
            Column.text("structure", "structure"),
            Column.integer("block", "block", "bytes"),
            Column.real("search", "search", "transfers"),
            Column.real("insert", "insert", "transfers"));
    outcome
        .parameter("entries", TransferCount.entries(effort))
        .parameter("memoryBytes", memoryBytes(effort));
    double bounds = boundsByBlock(effort, blocks);
    SimulatedCounts counts = Simulator.run(this, effort, run.progress());
    for (CountedStructure structure : CountedStructure.all()) {
      String label = structure.label();
      List<Long> numbers = counts.numbers(label);
      TransferCount[] counted = new TransferCount[blocks.length];
      for (int i = 0; i < blocks.length; i++) {
        counted[i] = TransferCount.of(numbers, i, effort);
        outcome.row(label, blocks[i], counted[i].search(), counted[i].insert());
      }
      if (TransferCount.isBeyondMemory(effort)) {
        checkObliviousness(outcome, label, counted, bounds);
      }
    }
    outcome.check(TransferCount.answers(counts));
    return outcome;
  }

  /**
   * Holds each block size against the next smaller one.
   *
   * @param bounds what the cache-oblivious B-tree's bound for inserts does, at most, from one block
   *     to the next
   */
  static void checkObliviousness(
      Outcome outcome, String label, TransferCount[] counted, double bounds) {
    double search = 0;
    double insert = 0;
    for (int i = 1; i < counted.length; i++) {
      search = Math.max(search, counted[i].search() / counted[i - 1].search());
      insert = Math.max(insert, counted[i].insert() / counted[i - 1].insert());
    }
    if (OBLIVIOUS_SEARCH.contains(label)) {
      outcome.check(
          Check.deterministic(
              label + ", search with larger blocks over smaller", search, Target.atMost(1.15)));
    }
    if (OBLIVIOUS_INSERT.contains(label)) {
      // Its bound has a search in it, which larger blocks do not make cheaper by as much.
      double most = Structure.CACHE_OBLIVIOUS_B_TREE.label().equals(label) ? bounds : 0.5;
      outcome.check(
          Check.deterministic(
              label + ", insert with larger blocks over smaller", insert, Target.atMost(most)));
    }
  }
}
