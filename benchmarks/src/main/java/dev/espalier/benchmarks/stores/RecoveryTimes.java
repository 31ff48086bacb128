// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.stores;

import dev.espalier.LongIndex;
import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.io.BufferPool;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import dev.espalier.io.WriteBatch;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * How many puts a second a store recovers from its log, as a killed process would leave it: of
 * longs into one index, or of byte strings, as many in each batch as there are indexes.
 */
@Command(
    name = "recovery",
    description = "How fast a store recovers random puts from its log.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class RecoveryTimes implements Runnable {
  private static final double NANOS = 1e9;
  private static final long WRITING_POOL = 1L << 30;

  @Option(names = "--puts", description = "Puts in the log; those of longs have 48 bytes each.")
  private int puts = 4_000_000;

  @Option(
      names = "--strings",
      description = "Indexes of byte strings; a batch puts one entry into each. 0: one of longs.")
  private int strings = 0;

  @Option(names = "--value-bytes", description = "Bytes of a value, where there are byte strings.")
  private int valueBytes = 100;

  @Option(
      names = "--pool",
      description = "MiB of the pool of the store that is recovered; 0: the shared one.")
  private int pool = 64;

  @Option(names = "--rounds", description = "Recoveries of the same log; the median is told.")
  private int rounds = 5;

  @Mixin private final Publication publication = new Publication();

  private long logBytes;

  RecoveryTimes() {}

  public static void main(String[] arguments) {
    System.exit(AsciiDigits.execute(new CommandLine(new RecoveryTimes()), arguments));
  }

  private static StoreOptions options(long poolBytes) {
    FileOptions files = FileOptions.DEFAULT.withVariant(DiskFirstFpbPlusTree.VARIANT);
    return StoreOptions.DEFAULT
        .withFiles(poolBytes == 0 ? files : files.withPoolBytes(poolBytes))
        .withCheckpointBytes(Long.MAX_VALUE)
        .withCheckpointTime(Duration.ofDays(1));
  }

  @Override
  public void run() {
    try (StoreFolder killed = StoreFolder.create();
        StoreFolder folder = StoreFolder.create()) {
      write(killed, folder);
      List<Double> perSecond = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        folder.copyFrom(killed);
        perSecond.add(recovered(folder));
      }
      PrintedTable table =
          PrintedTable.inLines(
              "%,d random puts, %,d bytes of log, pool of %d MiB: %.2f million puts a second",
              "random puts", "bytes of log", "MiB of the pool", "million puts a second");
      long poolBytes = pool == 0 ? BufferPool.mostSharedBytes() : (long) pool << 20;
      double median = perSecond.stream().sorted().toList().get(rounds / 2);
      table.add(puts, logBytes, poolBytes >> 20, median);
      publication.print(table);
      publication.write();
    }
  }

  private void write(StoreFolder killed, StoreFolder folder) {
    Random random = new Random(1);
    try (IndexStore store = IndexStore.open(folder.store(), options(WRITING_POOL))) {
      if (strings == 0) {
        LongIndex index = store.index("entries");
        for (int i = 0; i < puts; i++) {
          index.set(random.nextLong(), i);
        }
      } else {
        writeBatches(store, random);
      }
      store.commit();
      logBytes = store.statistics().loggedBytes();
      killed.copyFrom(folder);
    }
  }

  private void writeBatches(IndexStore store, Random random) {
    List<BytesIndex> indexes = new ArrayList<>();
    for (int i = 0; i < strings; i++) {
      indexes.add(store.bytesIndex("entries " + i));
    }
    WriteBatch batch = new WriteBatch();
    byte[] value = new byte[valueBytes];
    for (int put = 0; put < puts; put += strings) {
      for (BytesIndex index : indexes.subList(0, Math.min(strings, puts - put))) {
        random.nextBytes(value);
        batch.set(index, key(random), value);
      }
      store.write(batch);
      batch.clear();
    }
  }

  private static byte[] key(Random random) {
    return "user%016x".formatted(random.nextLong()).getBytes(StandardCharsets.US_ASCII);
  }

  /** Recovers a store, and returns how many million puts a second. */
  private double recovered(StoreFolder folder) {
    long start = System.nanoTime();
    try (IndexStore store =
        IndexStore.open(folder.store(), options((long) pool << 20), RecoveryTimes::show)) {
      double seconds = (System.nanoTime() - start) / NANOS;
      if (store.recovery().writes() != puts || entries(store) != puts) {
        throw new IllegalStateException("not all was recovered: " + store.recovery());
      }
      System.err.printf(Locale.ROOT, "\r%.2f s          %n", seconds);
      return puts / seconds / 1e6;
    }
  }

  private long entries(IndexStore store) {
    return strings == 0
        ? store.index("entries").size()
        : store.names().stream().mapToLong(name -> store.bytesIndex(name).size()).sum();
  }

  private static boolean show(long done, long total) {
    System.err.printf("\r%d %%", 100 * done / Math.max(1, total));
    return true;
  }
}
