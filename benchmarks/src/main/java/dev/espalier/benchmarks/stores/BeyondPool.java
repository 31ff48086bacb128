// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.stores;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFileOpener;
import dev.espalier.io.PageFiles;
import dev.espalier.io.StoreOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast a store is whose pool is smaller than its data, past the page cache and through it. */
@Command(
    name = "beyond",
    description = {
      "How fast a store is whose pool is smaller than its data, past the page cache and through"
          + " it.",
      "Run it in a container, or under systemd-run --scope -p MemoryMax=300M, to see what becomes"
          + " of it where the system has little memory for its cache."
    },
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class BeyondPool implements Runnable {
  /** What an entry takes in a page of an index that was filled in ascending order. */
  private static final int ENTRY_BYTES = 17;

  private static final int SCANNED = 100_000;
  private static final double MICROS = 1e3;

  @Option(names = "--pool", description = "MiB of the pool.")
  private int pool = 64;

  @Option(names = "--times", split = ",", description = "The data, in times the pool.")
  private List<Double> times = List.of(0.5, 2.0, 4.0, 20.0);

  @Option(names = "--rounds", description = "Rounds, after one for warm-up; the median is told.")
  private int rounds = 3;

  @Option(names = "--seconds", description = "How long each operation is repeated in a round.")
  private int seconds = 3;

  @Mixin private final Publication publication = new Publication();

  private BeyondPool() {}

  public static void main(String[] arguments) {
    System.exit(AsciiDigits.execute(new CommandLine(new BeyondPool()), arguments));
  }

  @Override
  public void run() {
    PrintedTable table =
        PrintedTable.inMarkdown(
            "| %.1f | %s | %.2f | %.2f | %.2f | %.4f |",
            "data, times the pool",
            "pages go",
            "load, us",
            "get, us",
            "put, us",
            "scan, us an entry");
    Map<String, PageFileOpener> ways = new LinkedHashMap<>();
    ways.put("past the page cache", PageFiles.DIRECT);
    ways.put("through it", PageFiles.CACHED);
    for (double some : times) {
      int entries = (int) (some * ((long) pool << 20) / ENTRY_BYTES);
      ways.forEach(
          (name, engine) -> {
            Medians found = measure(engine, entries);
            table.add(some, name, found.load, found.get, found.put, found.scan);
          });
    }
    publication.print(table);
    publication.write();
  }

  /** Microseconds of an ascending put, a lookup, a put anywhere, and of an entry of a scan. */
  private record Medians(double load, double get, double put, double scan) {}

  private Medians measure(PageFileOpener engine, int entries) {
    FileOptions files = FileOptions.DEFAULT.withPoolBytes((long) pool << 20).withEngine(engine);
    List<Double> gets = new ArrayList<>();
    List<Double> puts = new ArrayList<>();
    List<Double> scans = new ArrayList<>();
    double load;
    try (StoreFolder folder = StoreFolder.create();
        IndexStore store = IndexStore.open(folder.store(), StoreOptions.DEFAULT.withFiles(files))) {
      LongIndex index = store.index("entries");
      long start = System.nanoTime();
      for (int entry = 0; entry < entries; entry++) {
        index.set(key(entry), entry);
      }
      store.checkpoint();
      load = (System.nanoTime() - start) / MICROS / entries;
      for (int round = 0; round <= rounds; round++) {
        SplittableRandom random = new SplittableRandom(round);
        double get = micros(() -> found(index, key(random.nextInt(entries))));
        double put = micros(() -> set(index, key(random.nextInt(entries)), random.nextInt()));
        double scan = micros(() -> scan(index, key(random.nextInt(entries))));
        if (round > 0) {
          gets.add(get);
          puts.add(put);
          scans.add(scan);
        }
      }
    }
    return new Medians(load, median(gets), median(puts), median(scans));
  }

  /** Keys leave room for others, as those of most programs do. */
  private static long key(int entry) {
    return (long) entry << 8;
  }

  private static int found(LongIndex index, long key) {
    if (!index.containsKey(key)) {
      throw new IllegalStateException("key " + key + " is missing");
    }
    return 1;
  }

  private static int set(LongIndex index, long key, long value) {
    index.set(key, value);
    return 1;
  }

  private static int scan(LongIndex index, long from) {
    LongCursor cursor = index.cursor();
    int scanned = 0;
    for (boolean more = cursor.ceiling(from); more && scanned < SCANNED; more = cursor.next()) {
      scanned++;
    }
    return scanned;
  }

  /** Something that is done again and again, and tells how much of it was done. */
  @FunctionalInterface
  private interface Operation {
    int run();
  }

  private double micros(Operation operation) {
    long start = System.nanoTime();
    long end = start + TimeUnit.SECONDS.toNanos(seconds);
    long done = 0;
    long now = start;
    while (now < end) {
      done += operation.run();
      now = System.nanoTime();
    }
    return (now - start) / MICROS / done;
  }

  private static double median(List<Double> all) {
    return all.stream().sorted().toList().get(all.size() / 2);
  }
}
