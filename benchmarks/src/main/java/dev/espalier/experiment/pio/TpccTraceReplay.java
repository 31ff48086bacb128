// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.blink.BLinkTree;
import dev.espalier.cola.Cola;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.experiment.Target;
import dev.espalier.io.BufferPool;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PageFiles;
import dev.espalier.io.PoolCounters;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import dev.espalier.pio.PioBTree;
import java.util.List;

/** Figure 13 (a): what TPC-C does to indexes, done to one in a file. */
final class TpccTraceReplay implements Experiment {
  private static final int PAGE_BYTES = 4 << 10;
  private static final int ENTRY_BYTES = 16;

  /** The paper's 4 MB for 100 warehouses. */
  private static final long POOL_BYTES_OF_WAREHOUSE = (4L << 20) / 100;

  private static final int LEAST_POOL_PAGES = 64;
  private static final int ENTRIES_OF_WAREHOUSE = 570_000;
  private static final int OPERATIONS_OF_TRANSACTION = 28;

  /** Page files have gaps, and room for what is inserted. */
  private static final int ROOM = 6;

  /** The paper's choice for this work: leaves of one page, a queue of 20. */
  private static final PioBTree.Geometry GEOMETRY = new PioBTree.Geometry(1, 20, 64, 5000, 5000);

  private static final List<TreeVariant> TREES =
      List.of(
          DiskOptimizedBPlusTree.VARIANT,
          TreeVariant.inPages(
              PioBTree.VARIANT.name(),
              PioBTree.VARIANT.paper(),
              PioBTree::create,
              (options, store) -> PioBTree.open(options, store, GEOMETRY)),
          BLinkTree.VARIANT,
          Cola.VARIANT);

  @Override
  public Description description() {
    return new Description(
        "pio-fig13a",
        "Index trace of TPC-C",
        "PIO, figure 13 (a)",
        "A trace of index operations taken inside PostgreSQL under TPC-C with 100 warehouses, 71.5%"
            + " searches, 23.8% inserts, 3.7% ranges and 1% deletes, with 4 MB of memory: the PIO"
            + " B-tree, with leaves of one page and a queue of 20, is 1.25 to 1.49 times as fast as"
            + " the B+-tree.",
        "A trace made by TPC-C's specification, on an index in a file with pages of 4 KiB, on the"
            + " device of the scratch folder; as much memory for each warehouse as in the paper."
            + " The target is to be ahead of the B-link tree and of the B+-tree of pages. Once, as"
            + " a run takes minutes.",
        new Chart(Chart.Kind.BARS, "tree", "tree", "operation"));
  }

  @Override
  public Outcome run(Run run) {
    int warehouses = Math.max(run.effort().entries() / 1_000_000, 1);
    int transactions = run.effort().probes() / OPERATIONS_OF_TRANSACTION;
    TpccData data = new TpccData(warehouses, 1);
    Outcome outcome =
        new Outcome(
            Column.text("tree", "tree"),
            Column.real("operation", "operation", "us"),
            Column.integer("operations", "operations", ""),
            Column.integer("read", "pages read", ""),
            Column.integer("written", "pages written", ""));
    outcome
        .parameter("warehouses", warehouses)
        .parameter("transactions", transactions)
        .parameter("poolBytes", poolBytes(warehouses));
    double[] times = new double[TREES.size()];
    long wrong = 0;
    for (int i = 0; i < TREES.size(); i++) {
      run.progress().show(TREES.get(i).name(), (double) i / TREES.size());
      long most = (long) ROOM * ENTRY_BYTES * ENTRIES_OF_WAREHOUSE * (warehouses + 1);
      try (ScratchFolder folder = ScratchFolder.create(most);
          BufferPool pool = BufferPool.create(poolBytes(warehouses), PAGE_BYTES);
          LongIndex index = open(folder, pool, TREES.get(i))) {
        index.bulkload(data.entries(), 0.7, -1, ProgressListener.NONE);
        index.flush();
        PoolCounters before = pool.counters();
        Replay replay = new Replay(index);
        TpccTrace trace = new TpccTrace(data, 2, replay);
        long start = System.nanoTime();
        for (int done = 0; done < transactions; done++) {
          trace.transaction();
        }
        index.flush();
        times[i] = (System.nanoTime() - start) / 1e3 / replay.operations;
        wrong += replay.wrong;
        PoolCounters after = pool.counters();
        long read = after.misses() + after.readAheads() - before.misses() - before.readAheads();
        outcome.row(
            TREES.get(i).name(),
            times[i],
            replay.operations,
            read,
            after.written() - before.written());
      }
    }
    outcome.check(Check.deterministic("wrong answers", (double) wrong, Target.exactly(0)));
    outcome.check(Check.timing("B+-tree over PIO B-tree", times[0] / times[1], Target.atLeast(1)));
    outcome.check(
        Check.timing("B-link tree over PIO B-tree", times[2] / times[1], Target.atLeast(1)));
    return outcome;
  }

  private static long poolBytes(int warehouses) {
    return Math.max(warehouses * POOL_BYTES_OF_WAREHOUSE, (long) LEAST_POOL_PAGES * PAGE_BYTES);
  }

  private static LongIndex open(ScratchFolder folder, BufferPool pool, TreeVariant tree) {
    return Espalier.open(
        folder.file("index"),
        FileOptions.DEFAULT
            .withEngine(PageFiles.DIRECT)
            .withVariant(tree)
            .withPageBytes(PAGE_BYTES)
            .withPool(pool));
  }

  /** Does the operations of a trace to an index, whose values are the complements of keys. */
  private static final class Replay implements TpccTrace.Operations {
    private final LongIndex index;
    private final LongCursor cursor;

    long operations;
    long wrong;

    Replay(LongIndex index) {
      this.index = index;
      this.cursor = index.cursor();
    }

    @Override
    public void search(long key) {
      operations++;
      wrong += index.get(key) == ~key ? 0 : 1;
    }

    @Override
    public void insert(long key) {
      operations++;
      index.set(key, ~key);
    }

    @Override
    public void delete(long key) {
      operations++;
      index.delete(key);
    }

    @Override
    public void range(long from, long to) {
      operations++;
      cursor.scanTo(to);
      long found = 0;
      for (boolean more = cursor.ceiling(from); more && cursor.key() <= to; more = cursor.next()) {
        found++;
      }
      wrong += found > 0 ? 0 : 1;
    }
  }
}
