// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables in several files. */
class ShardTest {
  private static final int ROWS = 2000;
  private static final int SHARDS = 4;

  /** The tasks that have seen keys of a shard. */
  private static final Map<Integer, Set<Integer>> TASKS = new ConcurrentHashMap<>();

  @TempDir Path folder;

  /** Notes in which task a row is, and returns its key. */
  public static final class NoteTask extends ScalarFunction {
    private static final long serialVersionUID = 1;

    private int task;

    @Override
    public void open(FunctionContext context) {
      task = context.getTaskInfo().getIndexOfThisSubtask();
    }

    public Long eval(Long key) {
      TASKS.computeIfAbsent(Shards.of(key, SHARDS), _ -> ConcurrentHashMap.newKeySet()).add(task);
      return key;
    }

    @Override
    public boolean isDeterministic() {
      return false; // So that it stays above the join.
    }
  }

  private StreamTableEnvironment tables(String columns) {
    StreamTableEnvironment tables = FlinkFixture.tables(2);
    FlinkFixture.createTable(
        tables, columns, folder.resolve("dim").toString(), "shards", "" + SHARDS);
    FlinkFixture.createProbes(tables, ROWS);
    return tables;
  }

  @ParameterizedTest
  @ValueSource(strings = {"dim (k BIGINT, v BIGINT)", "dim (k BIGINT, v STRING)"})
  void rowsAreInTheShardOfTheirKey(String columns) throws Exception {
    StreamTableEnvironment tables = tables(columns);
    boolean areLongs = columns.endsWith("v BIGINT)");
    tables
        .executeSql(
            "INSERT INTO dim SELECT id, "
                + (areLongs ? "id * 2" : "'v' || CAST(id AS STRING)")
                + " FROM probes")
        .await();
    try (var files = Files.list(folder.resolve("dim"))) {
      assertEquals(
          Set.of("0-of-4.esp", "1-of-4.esp", "2-of-4.esp", "3-of-4.esp"),
          new HashSet<>(files.map(file -> file.getFileName().toString()).toList()));
    }
    if (areLongs) {
      for (int shard = 0; shard < SHARDS; shard++) {
        TreeMap<Long, Long> rows =
            FlinkFixture.read(folder.resolve("dim").resolve(shard + "-of-4.esp"));
        assertTrue(rows.size() > ROWS / SHARDS / 2, "few rows: " + rows.size());
        for (long key : rows.keySet()) {
          assertEquals(shard, Shards.of(key, SHARDS));
        }
      }
    }
    Set<Row> expected = new HashSet<>();
    for (long id = 0; id < ROWS; id++) {
      expected.add(Row.of(id, areLongs ? (Object) (id * 2) : "v" + id));
    }
    List<Row> rows = FlinkFixture.rows(tables, "SELECT * FROM dim");
    assertEquals(ROWS, rows.size());
    assertEquals(expected, new HashSet<>(rows));
    assertEquals(
        expected,
        new HashSet<>(
            FlinkFixture.rows(
                tables,
                "SELECT p.id, d.v FROM probes AS p JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id"
                    + " = d.k")));
  }

  @Test
  void aHintSendsTheRowsOfOneShardToOneTask() throws Exception {
    StreamTableEnvironment tables = tables("dim (k BIGINT, v BIGINT)");
    tables.executeSql("INSERT INTO dim SELECT id, id FROM probes").await();
    tables.createTemporarySystemFunction("note_task", NoteTask.class);
    TASKS.clear();
    List<Row> rows =
        FlinkFixture.rows(
            tables,
            """
            SELECT /*+ LOOKUP('table'='d', 'shuffle'='true') */ note_task(p.id), d.v FROM probes AS p
            JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.k
            """);
    assertEquals(ROWS, rows.size());
    assertEquals(SHARDS, TASKS.size());
    TASKS.forEach((shard, tasks) -> assertEquals(Set.of(shard % 2), tasks, "shard " + shard));
  }

  @Test
  void shardsStayWhereTheyAre() {
    assertEquals(
        List.of(0, 6, 5, 4, 0, 4, 4),
        LongStream.of(0, 1, 2, 3, -1, Long.MAX_VALUE, Long.MIN_VALUE)
            .mapToObj(key -> Shards.of(key, 8))
            .toList());
  }
}
