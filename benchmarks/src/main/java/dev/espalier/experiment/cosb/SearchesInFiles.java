// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.experiment.Target;
import dev.espalier.io.PoolCounters;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Random searches in files that outgrow their memory by half, filled by random inserts. */
final class SearchesInFiles implements Experiment {
  private static final List<Structure> STRUCTURES =
      List.of(
          Structure.B_PLUS_TREE,
          Structure.COLA_2,
          Structure.COLA_4,
          Structure.COLA_8,
          Structure.DEAMORTIZED_COLA,
          Structure.B_EPSILON_TREE,
          Structure.BUFFERED_REPOSITORY_TREE);

  /** The B+-tree's growth takes a read and a write per insert: so much less of them. */
  private static final int SMALLER = 4;

  /** What a file is asked for, one after the other. */
  private enum Search {
    COLD("get, pool empty at first", 0, 1000),
    WARM("get", 1000, 1000 + (1 << 15)),
    BATCHES("getAll", 1000 + (1 << 15), 1000 + (2 << 15)) {
      @Override
      int missing(NumberedEntries entries, LongIndex index) {
        return entries.missingFromBatches(index, from, to);
      }

      // Many pins of a batch may miss one page; but the pool is full, so one leaves for each.
      @Override
      long pagesRead(PoolCounters counters) {
        return counters.evictions();
      }
    };

    final String label;

    /** The first probe, and the one after the last. */
    final int from;

    final int to;

    Search(String label, int from, int to) {
      this.label = label;
      this.from = from;
      this.to = to;
    }

    int probes() {
      return to - from;
    }

    /** Asks, and returns how many entries are not found. */
    int missing(NumberedEntries entries, LongIndex index) {
      return entries.missing(index, from, to);
    }

    /** Returns the pages read so far: one by each pin that misses. */
    long pagesRead(PoolCounters counters) {
      return counters.misses();
    }
  }

  @Override
  public Description description() {
    return new Description(
        "cosb-searches",
        "Searches in half as much data again as memory",
        "Streaming B-trees, the experiments",
        "Searches of the 4-COLA are 3.5 times slower than those of the B-tree, which was built"
            + " from sorted keys: 2^15 random searches, cold at the start. The 2-COLA's are slower"
            + " than the 4-COLA's, the 8-COLA's faster.",
        "Indexes in files are filled by blind writes in random order, all of them, the B+-tree as"
            + " well; behind a pool of two thirds of the entries' bytes, pages of 16 KiB. There are"
            + " a quarter of the usual entries, as the B+-tree's growth takes long. Then each is"
            + " opened again, and asked for random keys: 1000 with a pool that is empty at first,"
            + " 32768 with the pool as those leave it, and as many by batches of 256.",
        new Chart(Chart.Kind.BARS, "searches", "structure", "time"));
  }

  @Override
  public Outcome run(Run run) {
    int count = Math.ceilDiv(run.effort().entries(), SMALLER);
    Outcome outcome =
        new Outcome(
            Column.text("structure", "structure"),
            Column.text("searches", "searches"),
            Column.real("time", "search", "ns"),
            Column.real("read", "pages read per search", ""));
    outcome.parameter("entries", count).parameter("poolBytes", LoadedFile.poolBytes(count));
    NumberedEntries entries = new NumberedEntries(KeyOrder.RANDOM, count);
    Map<Structure, Double> warm = new EnumMap<>(Structure.class);
    int wrong = 0;
    for (int i = 0; i < STRUCTURES.size(); i++) {
      Structure structure = STRUCTURES.get(i);
      run.progress().show(structure.label(), (double) i / STRUCTURES.size());
      try (ScratchFolder folder = ScratchFolder.create(LoadedFile.mostBytes(count));
          LoadedFile file = new LoadedFile(folder, "index", structure, count)) {
        entries.set(file.index());
        file.reopen();
        for (Search search : Search.values()) {
          PoolCounters before = file.counters();
          long start = System.nanoTime();
          wrong += search.missing(entries, file.index());
          double time = (double) (System.nanoTime() - start) / search.probes();
          long read = search.pagesRead(file.counters()) - search.pagesRead(before);
          outcome.row(structure.label(), search.label, time, (double) read / search.probes());
          if (search == Search.WARM) {
            warm.put(structure, time);
          }
        }
      }
    }
    outcome.check(Check.deterministic("entries not found", wrong, Target.exactly(0)));
    outcome.check(
        Check.timing(
            "search, 4-COLA over B+-tree",
            Objects.requireNonNull(warm.get(Structure.COLA_4))
                / Objects.requireNonNull(warm.get(Structure.B_PLUS_TREE)),
            Target.atMost(4)));
    return outcome;
  }
}
