// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.SimulatedCounts;
import dev.espalier.experiment.SimulatedWork;
import dev.espalier.simulation.TraceFork;
import dev.espalier.simulation.TwoLevelMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * What an index transfers in one memory, per operation.
 *
 * @param insert of the second half of all inserts, in random order, into an empty index
 * @param search of random searches for keys that are there, after as many that are not counted
 */
record TransferCount(double insert, double search) {
  static final int ENTRY_BYTES = 16;

  /** Fewer are in fast memory with all levels but the last. */
  private static final int LEAST_ENTRIES = 100_000;

  private static final int INSERT_SEED = 11;
  private static final long SEARCH_SEED = 12;

  /** As many as can be simulated in minutes, access by access. */
  private static final int MOST_ENTRIES = 2_000_000;

  /** Numbers that are counted per memory. */
  private static final int NUMBERS = 2;

  /** Returns how many entries an index gets. */
  static int entries(Effort effort) {
    return Math.min(effort.entries() / 2, MOST_ENTRIES);
  }

  /** Checks that no structure answered wrongly. */
  static Check answers(SimulatedCounts counts) {
    return counts.answers("structures");
  }

  /** Tells whether fast memory holds a small part of the index alone. */
  static boolean isBeyondMemory(Effort effort) {
    return entries(effort) >= LEAST_ENTRIES;
  }

  private static int probes(Effort effort) {
    return effort.probes() / 2;
  }

  /** Returns the work of counting for several memories at once, whose result {@link #of} reads. */
  static SimulatedWork work(
      CountedStructure structure, Effort effort, Supplier<List<TwoLevelMemory>> memories) {
    return new SimulatedWork(
        structure.label(), () -> count(structure, entries(effort), probes(effort), memories.get()));
  }

  /** Returns the count of a memory, by its place in the list that the work was given. */
  static TransferCount of(List<Long> numbers, int memory, Effort effort) {
    int entries = entries(effort);
    return new TransferCount(
        (double) numbers.get(NUMBERS * memory) / (entries - entries / 2),
        (double) numbers.get(NUMBERS * memory + 1) / probes(effort));
  }

  private static List<Long> count(
      CountedStructure structure, int entries, int probes, List<TwoLevelMemory> memories) {
    int[] ranks = Entries.shuffled(entries, INSERT_SEED);
    SplittableRandom random = new SplittableRandom(SEARCH_SEED);
    List<Long> inserts = new ArrayList<>();
    long[] wrong = new long[1];
    try (LongIndex index = structure.create()) {
      SimulatedWork.traced(
          new TraceFork(memories),
          () -> {
            insert(index, ranks, 0, entries / 2);
            memories.forEach(TwoLevelMemory::reset);
            insert(index, ranks, entries / 2, entries);
            memories.forEach(memory -> inserts.add(memory.transfers().sum()));
            wrong[0] = search(index, entries, probes, random);
            memories.forEach(TwoLevelMemory::reset);
            wrong[0] += search(index, entries, probes, random);
          });
    }
    List<Long> numbers = new ArrayList<>();
    for (int i = 0; i < memories.size(); i++) {
      numbers.add(inserts.get(i));
      numbers.add(memories.get(i).transfers().sum());
    }
    numbers.add(wrong[0]);
    return numbers;
  }

  private static void insert(LongIndex index, int[] ranks, int from, int to) {
    for (int i = from; i < to; i++) {
      index.set(Entries.key(ranks[i]), ranks[i]);
    }
  }

  /** Searches, and returns how many answers were wrong. */
  private static long search(LongIndex index, int entries, int probes, SplittableRandom random) {
    long wrong = 0;
    for (int i = 0; i < probes; i++) {
      int rank = random.nextInt(entries);
      wrong += index.get(Entries.key(rank)) == rank ? 0 : 1;
    }
    return wrong;
  }
}
