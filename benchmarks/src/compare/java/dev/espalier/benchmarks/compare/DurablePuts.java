// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.cola.Cola;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PageFiles;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Random puts that are safe from a crash, against RocksDB, LMDB and MVStore in turns: in batches
 * that are committed, and each by itself by one thread and by many.
 */
@Command(
    name = "durable",
    description = "Random puts that are safe from a crash, against other stores.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
final class DurablePuts implements Runnable {
  private static final double NANOS_PER_MICRO = 1e3;

  @Option(names = "--entries", description = "Entries that are put in batches.")
  private int entries = 2_000_000;

  @Option(names = "--batch", description = "Puts between two commits.")
  private int batch = 1_000;

  @Option(names = "--safe-puts", description = "Puts that are made safe one by one.")
  private int safePuts = 4_000;

  @Option(names = "--writers", description = "Threads of which each makes its puts safe.")
  private int writers = 16;

  @Option(names = "--rounds", description = "Rounds, of which the median is told.")
  private int rounds = 3;

  @Option(names = "--page-bytes", description = "Bytes of Espalier's pages.")
  private int pageBytes = FileOptions.DEFAULT_PAGE_BYTES;

  @Option(
      names = "--cached",
      description = "Take Espalier's files through the system's cache, which others use.")
  private boolean cached;

  @Option(names = "--only", split = ",", description = "The stores that are measured; all if none.")
  private Set<String> only = Set.of();

  /** How puts are made safe. */
  private enum Way {
    /** One by one, with a commit after each batch. */
    COMMIT,
    /** Each batch as one change. */
    TOGETHER,
    /** Each by itself. */
    EACH
  }

  @Option(
      names = "--ways",
      split = ",",
      description = "How puts are made safe: ${COMPLETION-CANDIDATES}.")
  private Set<Way> ways = EnumSet.allOf(Way.class);

  @Mixin private final Publication publication = new Publication();

  private final Map<String, List<Double>> times = new LinkedHashMap<>();

  private DurablePuts() {}

  public static void main(String[] arguments) {
    System.exit(AsciiDigits.execute(new CommandLine(new DurablePuts()), arguments));
  }

  @Override
  public void run() {
    long pool = Math.max(1L << 20, entries * 16L / 4);
    FileOptions files =
        FileOptions.DEFAULT
            .withPageBytes(pageBytes)
            .withPoolBytes(pool)
            .withEngine(cached ? PageFiles.CACHED : PageFiles.DIRECT);
    for (int round = 0; round < rounds; round++) {
      Map<String, Supplier<DurableStore>> stores = new LinkedHashMap<>();
      stores.put("Cola", () -> new DurableEspalier(Cola.VARIANT, files, false));
      stores.put(
          "DiskFirstFpbPlusTree",
          () -> new DurableEspalier(DiskFirstFpbPlusTree.VARIANT, files, false));
      stores.put("RocksDB", () -> new DurableRocksDb(pool));
      stores.put("LMDB", DurableLmdb::new);
      stores.put("MVStore", () -> new DurableMvStore(pool));
      if (!only.isEmpty()) {
        stores.keySet().retainAll(only);
      }
      for (Map.Entry<String, Supplier<DurableStore>> store : stores.entrySet()) {
        if (ways.contains(Way.COMMIT)) {
          committed(store.getKey(), store.getValue(), round);
        }
        if (ways.contains(Way.TOGETHER)) {
          together(store.getKey(), store.getValue(), round);
        }
      }
      if (!ways.contains(Way.EACH)) {
        continue;
      }
      for (int threads : new int[] {1, writers}) {
        safe(
            "DiskFirstFpbPlusTree",
            () -> new DurableEspalier(DiskFirstFpbPlusTree.VARIANT, files, true),
            threads,
            round);
        safe("RocksDB", () -> new DurableRocksDb(pool), threads, round);
        safe("MVStore", () -> new DurableMvStore(pool), threads, round);
      }
    }
    System.out.printf("%,d entries, pool of %,d bytes%n", entries, pool);
    PrintedTable table =
        PrintedTable.inLines("%-50s %10.2f us a put", "store, and how puts are safe", "us a put");
    times.forEach(
        (what, all) -> table.add(what, all.stream().sorted().toList().get(all.size() / 2)));
    publication.print(table);
    publication.write();
  }

  private void committed(String name, Supplier<DurableStore> open, int round) {
    long[] keys = keys(entries, round);
    try (DurableStore store = open.get()) {
      long start = System.nanoTime();
      for (int i = 0; i < entries; i++) {
        store.put(keys[i], i);
        if ((i + 1) % batch == 0) {
          store.commit();
        }
      }
      store.commit();
      note("%s, commit every %,d".formatted(name, batch), start, entries);
      check(store, keys);
    }
  }

  private void together(String name, Supplier<DurableStore> open, int round) {
    long[] keys = keys(entries, round);
    long[] values = LongStream.range(0, entries).toArray();
    try (DurableStore store = open.get()) {
      long start = System.nanoTime();
      for (int i = 0; i < entries; i += batch) {
        store.putTogether(keys, values, i, Math.min(batch, entries - i));
      }
      note("%s, %,d as one change".formatted(name, batch), start, entries);
      check(store, keys);
    }
  }

  private void safe(String name, Supplier<DurableStore> open, int threads, int round) {
    if (!isWanted(name)) {
      return;
    }
    int each = safePuts / threads;
    long[] keys = keys(each * threads, round);
    try (DurableStore store = open.get()) {
      List<Thread> running = new ArrayList<>();
      long start = System.nanoTime();
      for (int thread = 0; thread < threads; thread++) {
        int from = thread * each;
        running.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (int i = from; i < from + each; i++) {
                        store.putSafely(keys[i], i);
                      }
                    }));
      }
      for (Thread thread : running) {
        thread.join();
      }
      note("%s, every put, %d writers".formatted(name, threads), start, each * threads);
      check(store, keys);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean isWanted(String name) {
    return only.isEmpty() || only.contains(name);
  }

  private static long[] keys(int count, int round) {
    return new Random(round).longs().distinct().limit(count).toArray();
  }

  private void note(String what, long start, int puts) {
    double micros = (System.nanoTime() - start) / NANOS_PER_MICRO / puts;
    times.computeIfAbsent(what, _ -> new ArrayList<>()).add(micros);
  }

  private static void check(DurableStore store, long[] keys) {
    LongStream.iterate(0, i -> i < keys.length, i -> i + 1 + keys.length / 1000)
        .forEach(
            i -> {
              if (store.get(keys[(int) i]) != i) {
                throw new IllegalStateException("a put is missing");
              }
            });
  }
}
