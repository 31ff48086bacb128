// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.Espalier;
import dev.espalier.tuple.TupleReader;
import dev.espalier.tuple.TupleWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of other columns than two of type BIGINT. */
class RowTableTest {
  private static final String ALL_TYPES =
      """
      dim (k STRING, b BOOLEAN, i1 TINYINT, i2 SMALLINT, i4 INT, i8 BIGINT, f FLOAT, d DOUBLE,
        de DECIMAL(20, 4), big DECIMAL(38, 10), c CHAR(3), bs BYTES, dt DATE, tm TIME, ts TIMESTAMP(9),
        ltz TIMESTAMP_LTZ(3), PRIMARY KEY (k) NOT ENFORCED)\
      """;

  private static final String ROWS =
      """
      ('', TRUE, CAST(-1 AS TINYINT), CAST(-300 AS SMALLINT), -70000, -5000000000, CAST(-0.5 AS FLOAT),
        -1e300, CAST(-1.5 AS DECIMAL(20, 4)), CAST('12345678901234567890123456.0123456789' AS DECIMAL(38, 10)), 'a  ',
        X'00ff00', DATE '0001-01-01', TIME '23:59:59', TIMESTAMP '9999-12-31 23:59:59.999999999',
        TO_TIMESTAMP_LTZ(-1, 3)),
      ('köln', FALSE, CAST(127 AS TINYINT), CAST(0 AS SMALLINT), 0, 0, CAST(1 AS FLOAT), 0e0,
        CAST(0 AS DECIMAL(20, 4)), CAST(0 AS DECIMAL(38, 10)), 'xyz', X'', DATE '1970-01-01', TIME '00:00:00',
        TIMESTAMP '1969-12-31 23:59:59.000000001', TO_TIMESTAMP_LTZ(1000, 3))\
      """;

  @TempDir Path folder;

  private StreamTableEnvironment tables(String columns, Path file, String... options) {
    StreamTableEnvironment tables = FlinkFixture.tables(2);
    tables.getConfig().set("restart-strategy.type", "none");
    FlinkFixture.createTable(tables, columns, file.toString(), options);
    return tables;
  }

  @Test
  void valuesOfEveryTypeAreReadAsTheyWereWritten() throws Exception {
    Path file = folder.resolve("dim.esp");
    StreamTableEnvironment tables = tables(ALL_TYPES, file);
    tables.executeSql("INSERT INTO dim VALUES " + ROWS).await();
    List<Row> expected = FlinkFixture.rows(tables, "SELECT * FROM (VALUES " + ROWS + ")");
    assertEquals(2, expected.size());
    assertEquals(texts(expected), texts(FlinkFixture.rows(tables, "SELECT * FROM dim")));
    tables.executeSql(
        "CREATE TEMPORARY VIEW names AS SELECT *, PROCTIME() AS pt FROM (VALUES ('köln'), ('bonn'))"
            + " AS t (name)");
    assertEquals(
        Set.of(Row.of("köln", (byte) 127), Row.of("bonn", null)),
        new HashSet<>(
            FlinkFixture.rows(
                tables,
                "SELECT n.name, d.i1 FROM names AS n"
                    + " LEFT JOIN dim FOR SYSTEM_TIME AS OF n.pt AS d ON n.name = d.k")));
  }

  @Test
  void nullsAreKeptButNotInKeys() throws Exception {
    Path file = folder.resolve("dim.esp");
    StreamTableEnvironment tables = tables("dim (k STRING, a INT, b STRING)", file);
    tables
        .executeSql(
            "INSERT INTO dim VALUES ('x', CAST(NULL AS INT), 'y'), ('z', 1, CAST(NULL AS STRING))")
        .await();
    assertEquals(
        List.of(Row.of("x", null, "y"), Row.of("z", 1, null)),
        FlinkFixture.rows(tables, "SELECT * FROM dim"));
    Path other = folder.resolve("other.esp");
    FlinkFixture.createTable(tables, "other (k STRING, a INT)", other.toString());
    Throwable failure =
        assertThrows(
            Exception.class,
            () -> tables.executeSql("INSERT INTO other VALUES (CAST(NULL AS STRING), 1)").await());
    while (failure.getCause() != null) {
      failure = failure.getCause();
    }
    assertTrue(failure.getMessage().contains("column k of a row is null"), failure.toString());
    assertFalse(Files.exists(other));
    try (var files = Files.list(folder)) {
      assertEquals(List.of(file), files.toList());
    }
  }

  private StreamTableEnvironment cities() throws Exception {
    StreamTableEnvironment tables =
        tables(
            "dim (pop INT, country STRING, city STRING, PRIMARY KEY (country, city) NOT ENFORCED)",
            folder.resolve("cities.esp"));
    tables
        .executeSql(
            "INSERT INTO dim VALUES (1, 'de', 'bonn'), (2, 'de', 'köln'), (3, 'at', 'graz'), (4,"
                + " 'd', 'x'), (5, 'de', 'bonn'), (6, 'dea', 'y')")
        .await();
    tables.executeSql(
        "CREATE TEMPORARY VIEW asked AS SELECT *, PROCTIME() AS pt FROM (VALUES ('de', 'köln', 2),"
            + " ('at', 'köln', 3), ('de', 'bonn', 1)) AS t (country, city, pop)");
    return tables;
  }

  @Test
  @Tag("thorough")
  void aWholeKeyFindsOneRowAndItsBeginningAll() throws Exception {
    StreamTableEnvironment tables = cities();
    String join = "FROM asked AS a JOIN dim FOR SYSTEM_TIME AS OF a.pt AS d ON ";
    assertEquals(
        Set.of(Row.of("köln", 2), Row.of("bonn", 5)),
        new HashSet<>(
            FlinkFixture.rows(
                tables,
                "SELECT d.city, d.pop " + join + "a.country = d.country AND a.city = d.city")));
    List<Row> rows =
        FlinkFixture.rows(tables, "SELECT a.city, d.city " + join + "a.country = d.country");
    assertEquals(5, rows.size());
    assertEquals(
        Set.of(
            Row.of("köln", "bonn"),
            Row.of("köln", "köln"),
            Row.of("köln", "graz"),
            Row.of("bonn", "bonn"),
            Row.of("bonn", "köln")),
        new HashSet<>(rows));
    assertEquals( // Another field counts, and one that is not asked for.
        List.of(Row.of("köln")),
        FlinkFixture.rows(
            tables,
            "SELECT a.city "
                + join
                + "a.country = d.country AND a.pop = d.pop AND d.city > 'c' AND d.pop = 2"));
  }

  @Test
  void aLookupWithoutTheFirstColumnOfTheKeyIsRefused() throws Exception {
    StreamTableEnvironment tables = cities();
    Throwable refused =
        assertThrows(
            Exception.class,
            () ->
                tables.explainSql(
                    "SELECT d.pop FROM asked AS a JOIN dim FOR SYSTEM_TIME AS OF a.pt AS d ON"
                        + " a.city = d.city"));
    while (refused.getCause() != null && !refused.getMessage().contains("key column")) {
      refused = refused.getCause();
    }
    assertTrue(
        refused.getMessage().contains("makes the key column 'country' equal"), refused.toString());
  }

  @Test
  @Tag("thorough")
  void conditionsOfTheFirstColumnOfTheKeyBecomeARange() throws Exception {
    StreamTableEnvironment tables = cities();
    expectPushed(tables, "country >= 'd' AND country < 'dea'", 4, 5, 2);
    expectPushed(tables, "country > 'd'", 5, 2, 6);
    expectPushed(tables, "'de' = country", 5, 2);
    expectPushed(tables, "country <= 'd'", 3, 4);
    expectPushed(tables, "country BETWEEN 'b' AND 'c'");
  }

  private static void expectPushed(
      StreamTableEnvironment tables, String condition, Integer... populations) throws Exception {
    String query = "SELECT pop FROM dim WHERE " + condition;
    String plan = tables.explainSql(query);
    String optimized = plan.substring(plan.indexOf("== Optimized Execution Plan =="));
    assertTrue(optimized.contains("filter=[") && !optimized.contains("where="), plan);
    assertEquals(
        Arrays.stream(populations).map(Row::of).toList(), FlinkFixture.rows(tables, query));
  }

  @Test
  @Tag("thorough")
  void rangesOfNumbersAndDates() throws Exception {
    StreamTableEnvironment tables = tables("dim (k INT, v STRING)", folder.resolve("numbers.esp"));
    tables
        .executeSql("INSERT INTO dim VALUES (-5, 'a'), (0, 'b'), (300, 'c'), (70000, 'd')")
        .await();
    assertEquals(
        List.of(Row.of("b"), Row.of("c")),
        FlinkFixture.rows(tables, "SELECT v FROM dim WHERE k > -5 AND k <= 300"));
    FlinkFixture.createTable(
        tables, "days (d DATE, v STRING)", folder.resolve("days.esp").toString());
    tables
        .executeSql("INSERT INTO days VALUES (DATE '1960-02-29', 'a'), (DATE '2024-02-29', 'b')")
        .await();
    String query = "SELECT v FROM days WHERE d < DATE '1970-01-01'";
    assertTrue(tables.explainSql(query).contains("filter=["), tables.explainSql(query));
    assertEquals(List.of(Row.of("a")), FlinkFixture.rows(tables, query));
  }

  @Test
  void aFileIsOneOfTuplesForOtherPrograms() throws Exception {
    cities();
    try (BytesIndex index = Espalier.openBytes(folder.resolve("cities.esp"))) {
      assertEquals(5, index.size());
      byte[] value = index.get(TupleWriter.encode("de", "bonn"));
      assertEquals(List.of(5L), TupleReader.decode(value));
      index.set(TupleWriter.encode("fr", "lyon"), TupleWriter.encode(7L));
    }
    StreamTableEnvironment tables =
        tables(
            "dim (pop INT, country STRING, city STRING, PRIMARY KEY (country, city) NOT ENFORCED)",
            folder.resolve("cities.esp"));
    assertEquals(
        List.of(Row.of(7, "lyon")),
        FlinkFixture.rows(tables, "SELECT pop, city FROM dim WHERE country = 'fr'"));
  }

  @Test
  @Tag("thorough")
  void aFileOfOtherColumnsIsNamed() throws Exception {
    cities();
    StreamTableEnvironment tables =
        tables("dim (country STRING, pop INT)", folder.resolve("cities.esp"));
    expectFailure(tables, "is no row with the columns country, pop");
    StreamTableEnvironment longs = tables("dim (k BIGINT, v BIGINT)", folder.resolve("cities.esp"));
    expectFailure(longs, "byte strings");
  }

  private static void expectFailure(StreamTableEnvironment tables, String reason) {
    Throwable failure =
        assertThrows(Exception.class, () -> FlinkFixture.rows(tables, "SELECT * FROM dim"));
    StringBuilder all = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      all.append(cause.getMessage()).append('\n');
    }
    assertTrue(all.toString().contains(reason), all.toString());
  }

  private static List<String> texts(List<Row> rows) {
    return rows.stream().map(Row::toString).sorted().toList();
  }
}
