// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.stores;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.benchmarks.board.Coding;
import dev.espalier.benchmarks.board.Setting;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.io.Durability;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFiles;
import dev.espalier.io.StoreOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the options of a store that few users change are worth, each changed on its own. */
@Command(
    name = "defaults",
    description = {
      "What the options of a store that few users change are worth, each changed on its own.",
      "All stores are open at once and take turns."
    },
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class StoreDefaults implements Runnable {
  private static final int MOST_SCANNED = 100;
  private static final double MICROS = 1e3;

  @Option(names = "--kind", description = "Keys and values: LONGS, STRINGS_100.")
  private Setting.Kind kind = Setting.Kind.LONGS;

  @Option(names = "--entries", description = "Entries of each store.")
  private int entries = 2_000_000;

  @Option(names = "--rounds", description = "Rounds, after one for warm-up; the median is told.")
  private int rounds = 3;

  @Option(names = "--seconds", description = "How long each operation is repeated in a round.")
  private int seconds = 1;

  @Mixin private final Publication publication = new Publication();

  private StoreDefaults() {}

  public static void main(String[] arguments) {
    System.exit(AsciiDigits.execute(new CommandLine(new StoreDefaults()), arguments));
  }

  /** What is measured, one column each. */
  private enum Operation {
    GET,
    HALF_PUTS,
    SCAN
  }

  @Override
  public void run() {
    List<Store> stores = new ArrayList<>();
    try {
      add(stores, "the defaults", StoreOptions.DEFAULT);
      for (int kib : new int[] {4, 8, 32}) {
        add(
            stores,
            "pages of " + kib + " KiB",
            StoreOptions.DEFAULT.withFiles(StoreOptions.DEFAULT.files().withPageBytes(kib << 10)));
      }
      for (int mib : new int[] {16, 64, 1024}) {
        add(
            stores,
            "a checkpoint after " + mib + " MiB of log",
            StoreOptions.DEFAULT.withCheckpointBytes((long) mib << 20));
      }
      for (int kib : new int[] {64, 8 << 10, 64 << 10}) {
        add(
            stores,
            "segments of " + kib + " KiB",
            StoreOptions.DEFAULT.withSegmentBytes(kib << 10));
      }
      add(
          stores,
          "without io_uring",
          StoreOptions.DEFAULT.withFiles(
              StoreOptions.DEFAULT.files().withEngine(PageFiles.CHANNEL)));
      add(
          stores,
          "safe within 10 ms",
          StoreOptions.DEFAULT.withDurability(Durability.within(Duration.ofMillis(10))));
      for (int round = 0; round <= rounds; round++) {
        for (Operation operation : Operation.values()) {
          for (Store store : stores) {
            store.measure(operation, round);
          }
        }
      }
      PrintedTable table =
          PrintedTable.inMarkdown(
              "| %s | %.2f | %.2f | %.2f | %.2f |",
              "store", "load, us", "get, us", "half gets, half puts, us", "scan of 1 to 100, us");
      stores.forEach(store -> store.addTo(table));
      publication.print(table);
      publication.write();
    } finally {
      stores.forEach(Store::close);
    }
  }

  private void add(List<Store> stores, String name, StoreOptions options) {
    stores.add(new Store(name, options));
  }

  /** Access to one entry or to those behind it. */
  private interface Access {
    void set(long entry, long word);

    void find(long entry);

    void scan(long entry, int count);
  }

  /** A store with one index. */
  private final class Store implements AutoCloseable {
    private final String name;
    private final StoreFolder folder = StoreFolder.create();
    private final IndexStore store;
    private final Access access;
    private final double load;
    private final Map<Operation, List<Double>> micros = new EnumMap<>(Operation.class);

    /** Makes and fills it in random order. The first of all pays for what the JVM compiles. */
    Store(String name, StoreOptions options) {
      this.name = name;
      store = IndexStore.open(folder.store(), options);
      access =
          kind == Setting.Kind.LONGS
              ? new Longs(store.index("entries"))
              : new Strings(store.bytesIndex("entries"), new Coding(kind));
      for (Operation operation : Operation.values()) {
        micros.put(operation, new ArrayList<>());
      }
      long start = System.nanoTime();
      for (int entry = 0; entry < entries; entry++) {
        access.set(entry, entry);
      }
      store.commit();
      load = (System.nanoTime() - start) / MICROS / entries;
    }

    void measure(Operation operation, int round) {
      SplittableRandom random = new SplittableRandom(round);
      long start = System.nanoTime();
      long end = start + TimeUnit.SECONDS.toNanos(seconds);
      long done = 0;
      long now = start;
      while (now < end) {
        long entry = random.nextInt(entries);
        switch (operation) {
          case GET -> access.find(entry);
          case HALF_PUTS -> {
            if (random.nextBoolean()) {
              access.find(entry);
            } else {
              access.set(entry, done);
            }
          }
          case SCAN -> access.scan(entry, 1 + random.nextInt(MOST_SCANNED));
        }
        done++;
        now = System.nanoTime();
      }
      if (round > 0) {
        all(operation).add((now - start) / MICROS / done);
      }
    }

    void addTo(PrintedTable table) {
      table.add(
          name, load, median(Operation.GET), median(Operation.HALF_PUTS), median(Operation.SCAN));
    }

    private double median(Operation operation) {
      List<Double> all = all(operation);
      return all.stream().sorted().toList().get(all.size() / 2);
    }

    private List<Double> all(Operation operation) {
      return Objects.requireNonNull(micros.get(operation));
    }

    @Override
    public void close() {
      store.close();
      folder.close();
    }
  }

  private static void check(boolean isFound, long entry) {
    if (!isFound) {
      throw new IllegalStateException("entry " + entry + " is missing");
    }
  }

  private record Longs(LongIndex index) implements Access {
    @Override
    public void set(long entry, long word) {
      index.set(Setting.key(entry), word);
    }

    @Override
    public void find(long entry) {
      check(index.containsKey(Setting.key(entry)), entry);
    }

    @Override
    public void scan(long entry, int count) {
      LongCursor cursor = index.cursor();
      boolean more = cursor.ceiling(Setting.key(entry));
      check(more, entry);
      for (int left = count; more && left > 0; left--) {
        more = cursor.next();
      }
    }
  }

  private static final class Strings implements Access {
    private final BytesIndex index;
    private final Coding coding;
    private final MemorySegment key;
    private final MemorySegment value;

    Strings(BytesIndex index, Coding coding) {
      this.index = index;
      this.coding = coding;
      key = Arena.ofAuto().allocate(coding.keyBytes());
      value = Arena.ofAuto().allocate(coding.valueBytes());
    }

    @Override
    public void set(long entry, long word) {
      coding.writeKey(entry, key);
      coding.writeValue(word, value);
      index.set(key, value);
    }

    @Override
    public void find(long entry) {
      coding.writeKey(entry, key);
      check(index.get(key, value) == coding.valueBytes(), entry);
    }

    @Override
    public void scan(long entry, int count) {
      coding.writeKey(entry, key);
      BytesCursor cursor = index.cursor();
      boolean more = cursor.ceiling(key);
      check(more, entry);
      for (int left = count; more && left > 0; left--) {
        more = cursor.next();
      }
    }
  }
}
