// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("thorough")
class LookupJoinTest {
  private static final int PROBES = 3000;

  @TempDir Path folder;
  private Path file;
  private final TreeMap<Long, Long> model = new TreeMap<>();

  @BeforeEach
  void writeFile() throws IOException {
    file = folder.resolve("dim.esp");
    for (long key = 0; key < 5000; key += 3) {
      model.put(key, 10 * key + 1);
    }
    model.put(6L, Long.MIN_VALUE); // What an index answers for absent keys.
    FlinkFixture.write(file, model);
  }

  private StreamTableEnvironment tables(String async) {
    StreamTableEnvironment tables = FlinkFixture.tables(2);
    FlinkFixture.createDim(tables, file.toString(), "lookup.async", async);
    FlinkFixture.createProbes(tables, PROBES);
    return tables;
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", "true"})
  void anInnerJoinHasTheRowsWithAPartner(String async) throws Exception {
    List<Row> rows =
        FlinkFixture.rows(
            tables(async),
            "SELECT p.id, d.v FROM probes AS p"
                + " JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.k");
    Set<Row> expected = new HashSet<>();
    model.headMap((long) PROBES).forEach((key, value) -> expected.add(Row.of(key, value)));
    assertEquals(expected.size(), rows.size());
    assertEquals(expected, new HashSet<>(rows));
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", "true"})
  void aLeftJoinHasAllRows(String async) throws Exception {
    List<Row> rows =
        FlinkFixture.rows(
            tables(async),
            // A key that is null now and then.
            """
            SELECT p.id, d.k, d.v
            FROM (SELECT id, pt, IF(MOD(id, 7) = 0, CAST(NULL AS BIGINT), id) AS wanted FROM probes) AS p
            LEFT JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.wanted = d.k
            """);
    Set<Row> expected = new HashSet<>();
    for (long id = 0; id < PROBES; id++) {
      Long value = id % 7 == 0 ? null : model.get(id);
      expected.add(Row.of(id, value == null ? null : (Long) id, value));
    }
    assertEquals(PROBES, rows.size());
    assertEquals(expected, new HashSet<>(rows));
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", "true"})
  void conditionsOfTheValueAndTheKeyCount(String async) throws Exception {
    List<Row> rows =
        FlinkFixture.rows(
            tables(async),
            """
            SELECT p.id FROM probes AS p
            JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d
            ON p.id = d.k AND d.v = p.id * 10 + 1 AND d.k >= 300 AND d.k < 400
            """);
    Set<Row> expected = new HashSet<>();
    model.subMap(300L, 400L).keySet().forEach(key -> expected.add(Row.of(key)));
    assertEquals(expected, new HashSet<>(rows));
  }

  @Test
  void aJoinByTheValueAloneIsRefused() {
    Throwable refused =
        assertThrows(
            Exception.class,
            () ->
                FlinkFixture.rows(
                    tables("false"),
                    "SELECT p.id, d.k FROM probes AS p"
                        + " JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.v"));
    while (refused.getCause() instanceof RuntimeException cause
        && !(refused instanceof ValidationException)) {
      refused = cause;
    }
    assertTrue(refused.getMessage().contains("makes the key column 'k' equal"), refused.toString());
  }

  @Test
  void theFilesFolderIsAsItWas() throws Exception {
    FlinkFixture.rows(
        tables("true"),
        "SELECT p.id, d.v FROM probes AS p"
            + " JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.k");
    try (var files = Files.list(folder)) {
      assertEquals(List.of(file), files.toList());
    }
    assertEquals(model, FlinkFixture.read(file)); // Nothing keeps it open.
  }

  @Test
  void aMissingFileIsNamed() {
    StreamTableEnvironment tables = FlinkFixture.tables(1);
    tables.getConfig().set("restart-strategy.type", "none");
    FlinkFixture.createDim(tables, folder.resolve("nothing.esp").toString());
    FlinkFixture.createProbes(tables, 10);
    Throwable failure =
        assertThrows(
            Exception.class,
            () ->
                FlinkFixture.rows(
                    tables,
                    "SELECT p.id, d.v FROM probes AS p"
                        + " JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.k"));
    while (failure.getCause() != null) {
      failure = failure.getCause();
    }
    assertTrue(failure.getMessage().contains("there is no such index file"), failure.toString());
  }
}
