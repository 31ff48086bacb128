// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.stores;

import dev.espalier.LongIndex;
import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How long single puts take while checkpoints are made in the background. */
@Command(
    name = "pauses",
    description = "How long single random puts take while checkpoints are made.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class CheckpointPauses implements Runnable {
  private static final double MICROS = 1e3;
  private static final int PUTS_PER_COMMIT = 1_000;

  @Option(names = "--entries", description = "Entries that are loaded before.")
  private int entries = 8_000_000;

  @Option(names = "--pool", description = "MiB of the pool.")
  private int pool = 64;

  @Option(names = "--seconds", description = "How long it puts.")
  private int seconds = 60;

  @Option(names = "--checkpoint-bytes", description = "Bytes of log from checkpoint to checkpoint.")
  private long checkpointBytes = 2_000_000;

  @Mixin private final Publication publication = new Publication();

  private CheckpointPauses() {}

  public static void main(String[] arguments) {
    System.exit(AsciiDigits.execute(new CommandLine(new CheckpointPauses()), arguments));
  }

  @Override
  public void run() {
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(FileOptions.DEFAULT.withPoolBytes((long) pool << 20))
            .withCheckpointBytes(checkpointBytes)
            .withCheckpointTime(Duration.ofDays(1));
    Random random = new Random(1);
    long[] keys = random.longs(entries).sorted().distinct().toArray();
    try (StoreFolder folder = StoreFolder.create();
        IndexStore store = IndexStore.open(folder.store(), options)) {
      LongIndex index = store.index("entries");
      index.bulkload(keys, keys);
      long before = store.statistics().checkpoint();
      Histogram nanos = put(store, index, random);
      PrintedTable table =
          PrintedTable.inLines(
              "%,d puts, %d checkpoints; us a put: 50 %% %.1f, 99.9 %% %.0f, 99.99 %% %.0f, most"
                  + " %.0f",
              "puts", "checkpoints", "us a put, 50 %", "99.9 %", "99.99 %", "most");
      table.add(
          nanos.getTotalCount(),
          store.statistics().checkpoint() - before,
          nanos.getValueAtPercentile(50) / MICROS,
          nanos.getValueAtPercentile(99.9) / MICROS,
          nanos.getValueAtPercentile(99.99) / MICROS,
          nanos.getMaxValue() / MICROS);
      publication.print(table);
      publication.write();
    }
  }

  /** Puts random keys, with a commit now and then that is not timed. */
  private Histogram put(IndexStore store, LongIndex index, Random random) {
    Histogram nanos = new Histogram(3);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    long start = System.nanoTime();
    for (int i = 1; start < end; i++) {
      index.set(random.nextLong(), i);
      nanos.recordValue(System.nanoTime() - start);
      if (i % PUTS_PER_COMMIT == 0) {
        store.commit();
      }
      start = System.nanoTime();
    }
    return nanos;
  }
}
