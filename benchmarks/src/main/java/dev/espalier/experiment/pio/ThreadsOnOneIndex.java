// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.blink.BLinkTree;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.ExperimentException;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.experiment.Target;
import dev.espalier.pio.PioBTree;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Figure 13 (b): threads that work on one index in a file at the same time. */
final class ThreadsOnOneIndex implements Experiment {
  private static final List<Integer> THREADS = List.of(1, 2, 4, 8, 16);
  private static final String B_LINK = "B-link tree";

  /** The mix of figure 13's trace, in thousandths; what is left are deletes. */
  private static final int SEARCHES = 715;

  private static final int INSERTS = 238;
  private static final int RANGES = 37;

  private static final int SPAN = 100;

  /** One tree, and how threads share it. */
  private record Shared(String label, TreeVariant variant, boolean locked) {
    LongIndex of(LongIndex index) {
      return locked ? index.withReadWriteLock() : index;
    }
  }

  private static final List<Shared> TREES =
      List.of(
          new Shared(B_LINK, BLinkTree.VARIANT, false),
          new Shared(TunedTree.PIO, PioBTree.VARIANT, false),
          new Shared(TunedTree.PIO + " behind a lock", PioBTree.VARIANT, true));

  /** The first of the trees, which have targets; the last is for comparison. */
  private static final int AIMED_AT = 2;

  @Override
  public Description description() {
    return new Description(
        "pio-fig13b",
        "Threads on one index",
        "PIO, figure 13 (b)",
        "The trace of figure 13 (a) in eight processes or threads: the PIO B-tree, which is locked"
            + " as a whole for a flush, is 1.33 to 1.49, 1.3 to 1.47 and 1.17 to 1.32 times as fast"
            + " as the B-link tree on P300, Iodrive and F120.",
        "The trace's mix of operations at random keys, on one index in a file on this machine's"
            + " device, with as much less memory, by 1 to 16 threads. The PIO B-tree is read and"
            + " written beside its flushes; and once more it is behind a read-write lock, where a"
            + " write, and with it a flush, locks the whole index. All have pages of 4 KiB. Once,"
            + " as a run takes minutes.",
        new Chart(Chart.Kind.LINES, "tree", "threads", "rate"));
  }

  @Override
  public Outcome run(Run run) {
    int entries = run.effort().entries();
    long memory = PaperSizes.poolBytes(entries, PaperSizes.MOST_MB);
    int operations = Math.max(run.effort().probes() / 20, 1);
    Outcome outcome =
        new Outcome(
            Column.text("tree", "tree"),
            Column.integer("threads", "threads", ""),
            Column.real("rate", "operations", "1/s"));
    outcome
        .parameter("entries", entries)
        .parameter("bytes of memory", memory)
        .parameter("operations", operations);
    double[][] rates = new double[TREES.size()][THREADS.size()];
    long wrong = 0;
    int step = 0;
    for (int i = 0; i < TREES.size(); i++) {
      Shared shared = TREES.get(i);
      try (ScratchFolder folder = ScratchFolder.create(TreeInFile.bytes(entries));
          TreeInFile tree =
              TreeInFile.of(
                  folder,
                  new TunedTree(
                      shared.label(), shared.variant(), TreeInFile.PAGE_BYTES, 1, "as it is"),
                  entries)) {
        tree.reopen(memory, true);
        for (int j = 0; j < THREADS.size(); j++) {
          int threads = THREADS.get(j);
          run.progress()
              .show(
                  shared.label() + ", threads: " + threads,
                  (double) step++ / (TREES.size() * THREADS.size()));
          long start = System.nanoTime();
          wrong += inThreads(shared.of(tree.index()), entries, threads, operations / threads);
          tree.index().flush();
          double seconds = (System.nanoTime() - start) / 1e9;
          rates[i][j] = operations / seconds;
          outcome.row(shared.label(), threads, rates[i][j]);
        }
      }
    }
    outcome.check(Check.deterministic("wrong answers", (double) wrong, Target.exactly(0)));
    addChecks(outcome, rates);
    return outcome;
  }

  /**
   * Checks rates by tree and by threads, in the order of {@link #TREES} and {@link #THREADS}: those
   * of the first {@value #AIMED_AT} trees.
   */
  static void addChecks(Outcome outcome, double[][] rates) {
    for (int i = 0; i < AIMED_AT; i++) {
      outcome.check(
          Check.timing(
              TREES.get(i).label() + ", two threads over one",
              rates[i][1] / rates[i][0],
              Target.atLeast(1.6)));
    }
    for (int j = 0; j < THREADS.size(); j++) {
      outcome.check(
          Check.timing(
              TREES.get(1).label()
                  + " over "
                  + TREES.get(0).label()
                  + ", threads: "
                  + THREADS.get(j),
              rates[1][j] / rates[0][j],
              Target.atLeast(1)));
    }
  }

  /** Lets threads work at the same time, and returns how many answers were wrong. */
  private static long inThreads(LongIndex index, int entries, int threads, int operations) {
    List<Callable<Long>> parts = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int seed = threads * THREADS.getLast() + thread;
      parts.add(() -> work(index, entries, operations, seed));
    }
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      long wrong = 0;
      for (Future<Long> part : executor.invokeAll(parts)) {
        wrong += part.get();
      }
      return wrong;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExperimentException("interrupted while threads were at work");
    } catch (ExecutionException e) {
      throw new IllegalStateException("a thread failed", e.getCause());
    }
  }

  /** Changes neighbours of the keys that were loaded, so that these can be looked up. */
  private static long work(LongIndex index, int entries, int operations, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    LongCursor cursor = index.cursor();
    long wrong = 0;
    for (int i = 0; i < operations; i++) {
      int rank = random.nextInt(entries);
      long key = Entries.key(rank);
      int choice = random.nextInt(1000);
      if (choice < SEARCHES) {
        wrong += index.get(key) == rank ? 0 : 1;
      } else if (choice < SEARCHES + INSERTS) {
        index.set(key + 1, rank);
      } else if (choice < SEARCHES + INSERTS + RANGES) {
        int most = Math.min(SPAN, entries - rank);
        wrong += loaded(cursor, key, Entries.key((long) rank + most - 1)) == most ? 0 : 1;
      } else {
        index.delete(key + 1);
      }
    }
    return wrong;
  }

  /** Counts the keys in a range that were loaded. */
  private static int loaded(LongCursor cursor, long from, long to) {
    cursor.scanTo(to);
    int found = 0;
    for (boolean more = cursor.ceiling(from); more && cursor.key() <= to; more = cursor.next()) {
      found += cursor.key() == Entries.key(cursor.value()) ? 1 : 0;
    }
    return found;
  }
}
