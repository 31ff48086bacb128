// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.FigureFile;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.io.Espalier;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * How long lookup joins take; not a test, but run as one: {@code -Dtest=LookupJoinMeasurement},
 * with {@code -Drows=}, {@code -Dprobes=}, {@code -Drounds=}, {@code -Dparallelism=}, {@code
 * -Dways=} and {@code -Dcapacity=}, the rows that may wait in an asynchronous join. The ways take
 * turns; each joins as many random probes, all of which have a partner, and "none" has no join. The
 * pools have {@code -Dpool=} bytes, or 20 for each row. {@code benchmarks/run engines flink} runs
 * it, too.
 */
class LookupJoinMeasurement {
  private static final int ROWS = Integer.getInteger("rows", 1_000_000);
  private static final int PROBES = Integer.getInteger("probes", 200_000);
  private static final int ROUNDS = Integer.getInteger("rounds", 3);
  private static final String CAPACITY = System.getProperty("capacity", "100");
  private static final int PARALLELISM = Integer.getInteger("parallelism", 1);
  private static final long POOL_BYTES = Long.getLong("pool", Math.max(64L << 20, 20L * ROWS));

  @TempDir Path folder;

  private final FigureFile figures = new FigureFile();

  @Test
  void measure() throws Exception {
    PrintStream out = System.out;
    long before = heapBytes();
    HashMap<Long, Long> map = new HashMap<>();
    for (long key = 0; key < ROWS; key++) {
      map.put(key, 3 * key + 1);
    }
    long mapBytes = heapBytes() - before;
    out.printf("HashMap: %d MB of heap%n", mapBytes >> 20);
    BaselineTableFactory.LOOKUPS.put("heap", map::get);
    writeIndex();
    long fileBytes = Files.size(folder.resolve("dim.esp"));
    out.printf("index file: %d MB, pool: %d MB%n", fileBytes >> 20, POOL_BYTES >> 20);
    figures.table("memory", "MB", "of the HashMap");
    memory("HashMap", mapBytes, mapBytes);
    memory("index file", fileBytes, mapBytes);
    memory("pool", POOL_BYTES, mapBytes);
    try (Options options = new Options().setCreateIfMissing(true);
        LRUCache cache = new LRUCache(POOL_BYTES);
        RocksDB rocks = openRocks(options, cache)) {
      BaselineTableFactory.LOOKUPS.put("rocks", key -> get(rocks, key));
      Map<String, List<Double>> seconds = new LinkedHashMap<>();
      for (int round = 0; round <= ROUNDS; round++) { // The first warms up.
        for (String way : System.getProperty("ways", "none,heap,rocks,sync,async").split(",")) {
          double time = join(way);
          if (round > 0) {
            seconds.computeIfAbsent(way, _ -> new ArrayList<>()).add(time);
          }
        }
      }
      Map<String, Double> medians = new LinkedHashMap<>();
      seconds.forEach(
          (way, times) -> {
            times.sort(null);
            double median = times.get(times.size() / 2);
            medians.put(way, median);
            out.printf(
                "%s: median %.3f s, %.3f us a probe; all %s%n",
                way, median, median * 1e6 / PROBES, times);
          });
      keep(medians);
    }
  }

  private void memory(String of, long bytes, long mapBytes) {
    figures.row(of, bytes / (double) (1 << 20), bytes / (double) mapBytes);
  }

  /** Keeps the time of each way, and how fast it is against each other. */
  private void keep(Map<String, Double> medians) throws IOException {
    figures.table("way", "s", "µs a row");
    medians.forEach((way, median) -> figures.row(way, median, median * 1e6 / PROBES));
    figures.table("way", "against", "times as fast");
    medians.forEach(
        (way, median) ->
            medians.forEach(
                (other, otherMedian) -> {
                  if (!way.equals(other)) {
                    figures.row(way, other, otherMedian / median);
                  }
                }));
    figures.write();
  }

  private double join(String way) throws Exception {
    StreamTableEnvironment tables =
        FlinkFixture.tables(PARALLELISM, new Configuration(), EnvironmentSettings.inBatchMode());
    tables.getConfig().set("table.exec.async-lookup.buffer-capacity", CAPACITY);
    tables.executeSql(
        """
        CREATE TEMPORARY TABLE probes (id BIGINT NOT NULL, pt AS PROCTIME()) WITH (
          'connector' = 'datagen', 'rows-per-second' = '1000000000', 'number-of-rows' = '%d',
          'fields.id.min' = '0', 'fields.id.max' = '%d')
        """
            .formatted(PROBES, ROWS - 1));
    String query =
        "SELECT COUNT(*), SUM(d.v - 3 * p.id) FROM probes AS p"
            + " JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.k";
    switch (way) {
      case "none" -> query = "SELECT COUNT(*), SUM(1 + p.id - p.id) FROM probes AS p";
      case "heap", "rocks" ->
          tables.executeSql(
              """
              CREATE TEMPORARY TABLE dim (k BIGINT, v BIGINT) WITH (
                'connector' = 'baseline', 'kind' = '%s')
              """
                  .formatted(way));
      default ->
          FlinkFixture.createDim(
              tables,
              folder.resolve("dim.esp").toString(),
              "pool-size",
              POOL_BYTES + " b",
              "lookup.async",
              "" + way.equals("async"));
    }
    long begin = System.nanoTime();
    List<Row> rows = FlinkFixture.rows(tables, query);
    double seconds = (System.nanoTime() - begin) / 1e9;
    assertEquals(List.of(Row.of((long) PROBES, (long) PROBES)), rows);
    return seconds;
  }

  private void writeIndex() {
    long[] keys = new long[ROWS];
    long[] values = new long[ROWS];
    for (int row = 0; row < ROWS; row++) {
      keys[row] = row;
      values[row] = 3L * row + 1;
    }
    try (LongIndex index = Espalier.open(folder.resolve("dim.esp"))) {
      index.bulkload(LongEntrySource.of(keys, values, ROWS), 1.0, ROWS, ProgressListener.NONE);
    }
  }

  private RocksDB openRocks(Options options, LRUCache cache) throws Exception {
    options.setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache));
    RocksDB rocks =
        RocksDB.open(options, Files.createDirectory(folder.resolve("rocks")).toString());
    try (WriteOptions unlogged = new WriteOptions().setDisableWAL(true)) {
      for (int from = 0; from < ROWS; from += 10_000) {
        try (WriteBatch batch = new WriteBatch()) {
          for (long key = from; key < Math.min(ROWS, from + 10_000); key++) {
            batch.put(bytes(key), bytes(3 * key + 1));
          }
          rocks.write(unlogged, batch);
        }
      }
    }
    rocks.compactRange();
    return rocks;
  }

  private static @Nullable Long get(RocksDB rocks, long key) throws Exception {
    byte[] value = rocks.get(bytes(key));
    return value == null ? null : (Long) ByteBuffer.wrap(value).getLong();
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static long heapBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
