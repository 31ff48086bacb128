// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SinkTest {
  private static final AtomicInteger FAILURES = new AtomicInteger();

  @TempDir Path folder;

  /** Fails once, in the middle of the rows. */
  public static final class FailOnce extends ScalarFunction {
    private static final long serialVersionUID = 1;

    public Long eval(Long id) {
      if (id == 1500 && FAILURES.getAndIncrement() == 0) {
        throw new IllegalStateException("the test lets this task fail");
      }
      return id;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "far:"})
  void whatIsInsertedIsLookedUp(String scheme) throws Exception {
    Path file = folder.resolve("new folder").resolve("made.esp");
    Files.createDirectories(file.getParent());
    StreamTableEnvironment tables = FlinkFixture.tables(2);
    String path = scheme + file;
    FlinkFixture.createDim(tables, path);
    FlinkFixture.createProbes(tables, 2000);
    for (int round = 1; round <= 2; round++) { // The second replaces the file of the first.
      tables.executeSql("INSERT INTO dim SELECT 5000 - id, id * " + round + " FROM probes").await();
      List<Row> rows =
          FlinkFixture.rows(
              tables,
              "SELECT p.id, d.v FROM probes AS p"
                  + " JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id + 4000 = d.k");
      HashSet<Row> expected = new HashSet<>();
      for (long id = 0; id <= 1000; id++) {
        expected.add(Row.of(id, (1000 - id) * round));
      }
      assertEquals(expected, new HashSet<>(rows));
    }
    try (var files = Files.list(file.getParent())) {
      assertEquals(List.of(file), files.toList());
    }
  }

  @Test
  void theLastOfSeveralRowsWithTheSameKeyStays() throws Exception {
    Path file = folder.resolve("made.esp");
    StreamTableEnvironment tables = FlinkFixture.tables(1);
    FlinkFixture.createDim(tables, file.toString());
    tables.executeSql("INSERT INTO dim VALUES (1, 10), (2, 20), (1, 11)").await();
    assertEquals(new TreeMap<>(java.util.Map.of(1L, 11L, 2L, 20L)), FlinkFixture.read(file));
  }

  @Test
  void aRowWithoutAValueIsRefused() {
    Path file = folder.resolve("made.esp");
    StreamTableEnvironment tables = FlinkFixture.tables(1);
    tables.getConfig().set("restart-strategy.type", "none");
    FlinkFixture.createDim(tables, file.toString());
    Throwable failure =
        assertThrows(
            Exception.class,
            () ->
                tables
                    .executeSql("INSERT INTO dim VALUES (1, 10), (2, CAST(NULL AS BIGINT))")
                    .await());
    while (failure.getCause() != null) {
      failure = failure.getCause();
    }
    assertTrue(failure.getMessage().contains("the value of a row is null"), failure.toString());
    assertFalse(Files.exists(file));
  }

  @Test
  void aTaskThatFailsStartsAgainAndHasAllRows() throws Exception {
    Path dim = folder.resolve("dim.esp");
    TreeMap<Long, Long> model = new TreeMap<>();
    for (long key = 0; key < 3000; key++) {
      model.put(key, key * key);
    }
    FlinkFixture.write(dim, model);
    FAILURES.set(0);
    StreamTableEnvironment tables = FlinkFixture.tables(2);
    tables.getConfig().set("restart-strategy.type", "fixed-delay");
    tables.getConfig().set("restart-strategy.fixed-delay.delay", "10 ms");
    tables.getConfig().set("execution.runtime-mode", "streaming");
    tables.createTemporarySystemFunction("fail_once", FailOnce.class);
    FlinkFixture.createDim(tables, dim.toString(), "lookup.async", "true");
    Path made = folder.resolve("made.esp");
    FlinkFixture.createTable(tables, "made (k BIGINT, v BIGINT)", made.toString());
    FlinkFixture.createProbes(tables, 3000);
    tables
        .executeSql(
            """
            INSERT INTO made SELECT fail_once(p.id), d.v FROM probes AS p
            JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.k
            """)
        .await();
    assertTrue(FAILURES.get() > 1, "the task has not failed");
    assertEquals(model, FlinkFixture.read(made));
    assertEquals(model, FlinkFixture.read(dim)); // Nothing keeps it open.
  }

  @Test
  @Tag("thorough")
  void aJobThatGoesOnFromACheckpointIsRefusedRatherThanIncomplete() throws Exception {
    FAILURES.set(0);
    Configuration options = new Configuration();
    options.setString("restart-strategy.type", "fixed-delay");
    options.setString("restart-strategy.fixed-delay.attempts", "1");
    options.setString("execution.checkpointing.interval", "20 ms");
    StreamTableEnvironment tables =
        FlinkFixture.tables(1, options, EnvironmentSettings.inStreamingMode());
    tables.createTemporarySystemFunction("fail_once", FailOnce.class);
    FlinkFixture.createDim(tables, folder.resolve("made.esp").toString());
    tables.executeSql(
        """
        CREATE TEMPORARY TABLE probes (id BIGINT) WITH (
          'connector' = 'datagen', 'fields.id.kind' = 'sequence', 'rows-per-second' = '1000',
          'fields.id.start' = '0', 'fields.id.end' = '1999')
        """);
    Throwable failure =
        assertThrows(
            Exception.class,
            () ->
                tables.executeSql("INSERT INTO dim SELECT fail_once(id), id FROM probes").await());
    while (failure.getCause() != null) {
      failure = failure.getCause();
    }
    assertTrue(failure.getMessage().contains("can't go on from a checkpoint"), failure.toString());
  }
}
