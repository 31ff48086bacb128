// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.FigureFile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long stores take, beside Kafka's with RocksDB; not a test, but run as one: {@code
 * -Dtest=StoreMeasurement}, with {@code -Dkeys=}, {@code -Dupdates=}, {@code -Drounds=}, {@code
 * -Dpool=}, the bytes of Espalier's pool, and {@code -Dstores=} and {@code -Dwork=} for some of
 * them only. {@code -Dwork=heap} tells how much heap {@code -Dupdates=} entries take. The ways take
 * turns. An update reads a count by a key of 16 bytes at random, and stores the next one; every 100
 * ms the store is committed, as Kafka 4.3.1 does it without exactly-once processing only, or not
 * until the end. {@code benchmarks/run engines kafka} runs it, too.
 */
class StoreMeasurement {
  private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);
  private static final int KEYS = Integer.getInteger("keys", 200_000);
  private static final int UPDATES = Integer.getInteger("updates", 1_000_000);
  private static final int ROUNDS = Integer.getInteger("rounds", 3);
  private static final long POOL_BYTES = Long.getLong("pool", 128L << 20);
  private static final List<String> STORES =
      List.of(System.getProperty("stores", "RocksDB;Espalier").split(";"));
  private static final List<String> WORK =
      List.of(System.getProperty("work", "update;update, 100 ms;restore").split(";"));
  private static final int RESTORED_AT_ONCE = 1_000;
  private static final String MOST_MEMORY = "VmHWM:";
  private static final long NEVER = Long.MAX_VALUE;
  private static final long EVERY_100_MS = 100_000_000;

  @TempDir Path folder;

  private int opened;

  private final Map<String, List<Double>> figures = new LinkedHashMap<>();

  @Test
  void measure() throws Exception {
    Map<String, Supplier<KeyValueStore<Bytes, byte[]>>> stores = new LinkedHashMap<>();
    stores.put("RocksDB", () -> Stores.persistentKeyValueStore("s").get());
    stores.put("Espalier", () -> EspalierStores.keyValueStore("s").get());
    stores.keySet().removeIf(name -> !STORES.contains(name));
    for (int round = 0; round <= ROUNDS; round++) { // The first warms up.
      for (var store : stores.entrySet()) {
        note(round, "update", store.getKey(), () -> update(store.getValue(), false, NEVER));
      }
      for (var store : stores.entrySet()) {
        note(
            round,
            "update, 100 ms",
            store.getKey(),
            () -> update(store.getValue(), true, EVERY_100_MS));
      }
      for (var store : stores.entrySet()) {
        note(round, "restore", store.getKey(), () -> restore(store.getValue()));
      }
    }
    FigureFile file = new FigureFile();
    file.table("memory", "MB");
    if (WORK.contains("heap")) {
      long bytes = heap();
      System.out.printf("heap: %,d bytes%n", bytes);
      file.row("heap of the entries", bytes / 1e6);
    }
    long mostKibibytes = mostKibibytes();
    System.out.printf("%s %,d kB%n", MOST_MEMORY, mostKibibytes);
    file.row("whole process, at most", mostKibibytes * 1024 / 1e6);
    Map<String, Double> medians = new LinkedHashMap<>();
    figures.forEach(
        (way, all) -> {
          all.sort(null);
          double median = all.get(all.size() / 2);
          medians.put(way, median);
          System.out.printf("%s: median %.0f ns; all %s%n", way, median, all);
        });
    file.table("work, store", "ns");
    medians.forEach(file::row);
    file.table("work", "RocksDB over Espalier");
    for (String work : WORK) {
      Double rocks = medians.get(work + ", RocksDB");
      Double espalier = medians.get(work + ", Espalier");
      if (rocks != null && espalier != null) {
        file.row(work, rocks / espalier);
      }
    }
    file.write();
  }

  /** Returns the most memory that the process has taken so far, as Linux tells it. */
  private static long mostKibibytes() throws IOException {
    try (Stream<String> status = Files.lines(Path.of("/proc/self/status"))) {
      return status
          .filter(line -> line.startsWith(MOST_MEMORY))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElseThrow();
    }
  }

  private void note(int round, String work, String store, Callable<Double> nanoseconds)
      throws Exception {
    if (!WORK.contains(work)) {
      return;
    }
    String way = work + ", " + store;
    double measured = nanoseconds.call();
    System.out.printf("%s: %.0f ns%n", way, measured);
    if (round > 0) {
      figures.computeIfAbsent(way, _ -> new ArrayList<>()).add(measured);
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(16).putLong(number * 0x9E3779B97F4A7C15L).putLong(number).array();
  }

  private TestContext context(boolean exactlyOnce) throws Exception {
    Path own = Files.createDirectory(folder.resolve("store" + opened++));
    return new TestContext(
        own, exactlyOnce, Map.of(EspalierStores.POOL_BYTES_CONFIG, "" + POOL_BYTES));
  }

  /** Returns nanoseconds per update. */
  private double update(
      Supplier<KeyValueStore<Bytes, byte[]>> supplier, boolean exactlyOnce, long commitNanoseconds)
      throws Exception {
    KeyValueStore<Bytes, byte[]> store = context(exactlyOnce).open(supplier.get());
    Random random = new Random(8);
    long begin = System.nanoTime();
    long committed = begin;
    for (int i = 0; i < UPDATES; i++) {
      Bytes key = Bytes.wrap(key(random.nextInt(KEYS)));
      byte[] before = store.get(key);
      long count = before == null ? 0 : ByteBuffer.wrap(before).getLong();
      store.put(key, ByteBuffer.allocate(Long.BYTES).putLong(count + 1).array());
      if (i % 100 == 0 && System.nanoTime() - committed > commitNanoseconds) {
        store.commit(Map.of(CHANGELOG, (long) i));
        committed = System.nanoTime();
      }
    }
    store.commit(Map.of(CHANGELOG, (long) UPDATES));
    double nanoseconds = (double) (System.nanoTime() - begin) / UPDATES;
    long sum = 0;
    try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
      while (all.hasNext()) {
        sum += ByteBuffer.wrap(all.next().value).getLong();
      }
    }
    assertEquals(UPDATES, sum);
    store.close();
    return nanoseconds;
  }

  /** Returns how many bytes of heap a store with so many entries keeps, with its process. */
  private long heap() throws Exception {
    long before = usedHeap();
    KeyValueStore<Bytes, byte[]> store =
        context(false).open(EspalierStores.keyValueStore("s").get());
    for (int i = 0; i < UPDATES; i++) {
      store.put(Bytes.wrap(key(i)), new byte[Long.BYTES]);
    }
    store.commit(Map.of(CHANGELOG, (long) UPDATES));
    assertEquals(UPDATES, store.approximateNumEntries());
    long bytes = usedHeap() - before;
    store.close();
    return bytes;
  }

  private static long usedHeap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Returns nanoseconds per record. */
  private double restore(Supplier<KeyValueStore<Bytes, byte[]>> supplier) throws Exception {
    TestContext context = context(false);
    KeyValueStore<Bytes, byte[]> store = context.open(supplier.get());
    Random random = new Random(9);
    long nanoseconds = 0;
    for (int i = 0; i < UPDATES; i += RESTORED_AT_ONCE) {
      List<KeyValue<byte[], byte[]>> records = new ArrayList<>();
      for (int j = 0; j < RESTORED_AT_ONCE; j++) {
        records.add(KeyValue.pair(key(random.nextInt(UPDATES)), new byte[100]));
      }
      long begin = System.nanoTime();
      context.restore(records);
      nanoseconds += System.nanoTime() - begin;
    }
    long begin = System.nanoTime();
    store.commit(Map.of(CHANGELOG, (long) UPDATES));
    store.get(Bytes.wrap(key(0))); // Loads what was sorted.
    nanoseconds += System.nanoTime() - begin;
    store.close();
    return (double) nanoseconds / UPDATES;
  }
}
