// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.io.Espalier;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** Index files, and a cluster of Flink in the process. */
final class FlinkFixture {
  /** One for all tests of a JVM: starting it takes longer than a test. */
  static final MiniCluster CLUSTER = start(4);

  private FlinkFixture() {}

  /** Starts a cluster of two task managers, to be closed. */
  static MiniCluster start(int slotsPerTaskManager) {
    Configuration configuration = new Configuration();
    configuration.set(RestOptions.BIND_PORT, "0");
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(2)
                .setNumSlotsPerTaskManager(slotsPerTaskManager)
                .build());
    try {
      cluster.start();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return cluster;
  }

  static StreamTableEnvironment tables(int parallelism) {
    return tables(parallelism, new Configuration(), EnvironmentSettings.inStreamingMode());
  }

  static StreamTableEnvironment tables(
      int parallelism, Configuration configuration, EnvironmentSettings settings) {
    return tables(CLUSTER, parallelism, configuration, settings);
  }

  static StreamTableEnvironment tables(
      MiniCluster cluster,
      int parallelism,
      Configuration configuration,
      EnvironmentSettings settings) {
    URI address = cluster.getRestAddress().join();
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createRemoteEnvironment(
            address.getHost(), address.getPort(), configuration);
    environment.setParallelism(parallelism);
    return StreamTableEnvironment.create(environment, settings);
  }

  /** Makes an index file of a map, in the place of the one that is there. */
  static void write(Path file, TreeMap<Long, Long> rows) throws IOException {
    Path next = file.resolveSibling("next");
    try (LongIndex index = Espalier.open(next)) {
      long[] keys = rows.keySet().stream().mapToLong(key -> key).toArray();
      long[] values = rows.values().stream().mapToLong(value -> value).toArray();
      index.bulkload(LongEntrySource.of(keys, values, keys.length), 1.0, -1, ProgressListener.NONE);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  static TreeMap<Long, Long> read(Path file) {
    TreeMap<Long, Long> rows = new TreeMap<>();
    try (LongIndex index = Espalier.open(file)) {
      for (var cursor = index.cursor(); cursor.next(); ) {
        rows.put(cursor.key(), cursor.value());
      }
    }
    return rows;
  }

  /** Declares table {@code dim} over an index file. */
  static void createDim(StreamTableEnvironment tables, String path, String... options) {
    createTable(tables, "dim (k BIGINT, v BIGINT)", path, options);
  }

  static void createTable(
      StreamTableEnvironment tables, String columns, String path, String... options) {
    StringBuilder with = new StringBuilder();
    for (int i = 0; i < options.length; i += 2) {
      with.append(", '").append(options[i]).append("' = '").append(options[i + 1]).append("'");
    }
    tables.executeSql(
        "CREATE TEMPORARY TABLE %s WITH ('connector' = 'espalier', 'path' = '%s'%s)"
            .formatted(columns, path, with));
  }

  /** Declares table {@code probes}, with ids from 0 on. */
  static void createProbes(StreamTableEnvironment tables, int rows) {
    tables.executeSql(
        """
        CREATE TEMPORARY TABLE probes (id BIGINT, pt AS PROCTIME()) WITH (
          'connector' = 'datagen', 'fields.id.kind' = 'sequence',
          'fields.id.start' = '0', 'fields.id.end' = '%d')
        """
            .formatted(rows - 1));
  }

  @SuppressWarnings("try") // Its close says that it may throw any exception.
  static List<Row> rows(StreamTableEnvironment tables, String query) throws Exception {
    List<Row> rows = new ArrayList<>();
    TableResult result = tables.executeSql(query);
    try (CloseableIterator<Row> iterator = result.collect()) {
      iterator.forEachRemaining(rows::add);
    }
    return rows;
  }
}
