// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.family.Indexes;
import dev.espalier.family.Workload;
import dev.espalier.io.IndexStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.apache.calcite.DataContext;
import org.apache.calcite.DataContexts;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.runtime.CalciteException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanTest {
  private static final int LARGE = 200_000;

  @TempDir Path folder;

  private final LongIndex large = Indexes.create();
  private final LongIndex small = Indexes.create();
  private Connection connection;

  @BeforeEach
  void fill() throws SQLException {
    long[] keys = new long[LARGE];
    for (int i = 0; i < LARGE; i++) {
      keys[i] = i;
    }
    large.bulkload(keys, keys);
    for (long key = 0; key < 1000; key++) {
      small.put(key, key * 7 % 1000);
    }
    connection =
        Calcite.connect(
            EspalierSchema.of(Map.of("BIG", IndexTable.of(large), "SMALL", IndexTable.of(small))));
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    large.close();
    small.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "k = 5; = 5",
        "k < 5; <= 4",
        "k <= 5; <= 5",
        "k > 5; >= 6",
        "5 <= k; >= 5",
        "k BETWEEN 5 AND 9; >= 5 and <= 9",
        "k > 5 AND k < 9 AND v <> 3; >= 6 and <= 8",
        "k IN (3, 9, 5); >= 3 and <= 9",
        "k > 9223372036854775807; none",
        "k > 7 AND k < 3; none",
      })
  void conditionsOfTheKeyAreReadAsARange(String condition, String range) throws SQLException {
    String plan = Calcite.plan(connection, "SELECT v FROM big WHERE " + condition);
    assertTrue(
        plan.contains("key=[" + range + "]") || range.equals("none") && plan.contains("Values"),
        plan);
  }

  @Test
  void columnsThatAreNotAskedForAreNotRead() throws SQLException {
    String plan = Calcite.plan(connection, "SELECT v FROM big");
    assertTrue(plan.contains("columns=[[V]]"), plan);
  }

  @Test
  void orderOfTheKeyNeedsNoSort() throws SQLException {
    String sorted = "SELECT k, v FROM big WHERE k < 100 AND v <> 5 ORDER BY k";
    assertFalse(Calcite.plan(connection, sorted).contains("Sort"));
    assertTrue(Calcite.plan(connection, sorted + " DESC").contains("Sort"));
  }

  @Test
  void keyIsKnownToBeUnique() throws SQLException {
    assertFalse(Calcite.plan(connection, "SELECT DISTINCT k FROM big").contains("Aggregate"));
    assertTrue(Calcite.plan(connection, "SELECT DISTINCT v FROM big").contains("Aggregate"));
  }

  @Test
  void dynamicParametersBoundTheRange() throws SQLException {
    String query = "SELECT COUNT(*) FROM big WHERE k >= ? AND k < ?";
    String plan = String.join("", Calcite.rows(connection, "EXPLAIN PLAN FOR " + query, 10L, 100L));
    assertTrue(plan.contains("key=[>= ?0 and < ?1]"), plan);
    assertEquals(List.of("90"), Calcite.rows(connection, query, 10L, 100L));
    assertEquals(List.of("0"), Calcite.rows(connection, query, 10L, null));
  }

  /** Calcite's own filter refuses it as well. */
  @Test
  void aParameterThatIsNoNumberIsRefused() throws SQLException {
    Map<String, IndexTable> tables = Map.of("SMALL", IndexTable.of(small));
    String query = "SELECT v FROM small WHERE k >= ?";
    try (Connection plain = Calcite.connectWithoutRules(tables)) {
      assertThrows(SQLException.class, () -> Calcite.rows(plain, query, "990"));
    }
    SQLException refused =
        assertThrows(SQLException.class, () -> Calcite.rows(connection, query, "990"));
    assertTrue(messages(refused).contains("?0 is a java.lang.String"), messages(refused));
  }

  @Test
  void explainNamesIndexAndMethod() throws SQLException {
    String plan = Calcite.plan(connection, "SELECT s.k, l.v FROM small s JOIN big l ON l.k = s.v");
    assertTrue(
        plan.contains("EnumerableIndexNestedLoopJoin(joinType=[inner], index=[S.BIG]"), plan);
    assertTrue(plan.matches("(?s).*method=\\[(SINGLE|GROUP|SORTED|BUFFERED)].*"), plan);
  }

  @Test
  void indexIsFoundOnEitherSideOfAnInnerJoin() throws SQLException {
    String plan = Calcite.plan(connection, "SELECT s.k, l.v FROM big l JOIN small s ON l.k = s.v");
    assertTrue(plan.contains("EnumerableIndexNestedLoopJoin("), plan);
  }

  /** Most of the lookups would be for nothing, and the table of a hash join is small. */
  @Test
  void joinsOfCalciteStayWhereTheyCostLess() throws SQLException {
    String plan =
        Calcite.plan(
            connection, "SELECT l.k, m.v FROM big l LEFT JOIN big m ON l.v = m.k AND m.k < 10");
    assertTrue(plan.matches("(?s).*Enumerable(Hash|Merge)Join\\(.*"), plan);
    assertFalse(plan.contains("EnumerableIndexNestedLoopJoin("), plan);
  }

  @Test
  void costsGrowWithTheOuterSideAndFallWithTheInnerOne() {
    JoinCosts costs = new JoinCosts("GROUP", 60);
    assertTrue(costs.overHashJoin(1000, 1e6, 1e6) < 0.1);
    assertTrue(costs.overHashJoin(1e6, 1e6, 1e6) < 1);
    assertTrue(costs.overHashJoin(1e7, 100, 100) > 1);
  }

  /** A tree for many threads shows its root alone, but has more nodes on the way. */
  @Test
  void lookupCostsAboutTheSameWhetherATreeShowsItsLevelsOrNot() {
    long[] keys = LongStream.range(0, LARGE).toArray();
    try (LongIndex shown = Indexes.create(Workload.ONE_THREAD, IndexOptions.DEFAULT)) {
      shown.bulkload(keys, keys);
      double ratio = JoinCosts.of(large).probeNanos() / JoinCosts.of(shown).probeNanos();
      assertTrue(ratio > 0.5 && ratio < 2, "ratio: " + ratio);
    }
  }

  @Test
  void indexBehindALockIsJoinedToo() throws SQLException {
    Map<String, IndexTable> tables =
        Map.of("BIG", IndexTable.of(large.withReadWriteLock()), "SMALL", IndexTable.of(small));
    String query = "SELECT SUM(l.v) FROM small s JOIN big l ON l.k = s.v";
    try (Connection locked = Calcite.connect(EspalierSchema.of(tables))) {
      assertTrue(Calcite.plan(locked, query).contains("EnumerableIndexNestedLoopJoin("));
      assertEquals(List.of("499500"), Calcite.rows(locked, query));
    }
  }

  @Test
  void storesIndexesOfLongsAreTables() throws SQLException {
    Path file = folder.resolve("store.esp");
    try (IndexStore store = IndexStore.open(file)) {
      store.index("numbers").put(3, 4);
      store.bytesIndex("texts");
      try (Connection stored = Calcite.connect(EspalierSchema.of(store))) {
        assertEquals(List.of("3|4"), Calcite.rows(stored, "SELECT * FROM \"numbers\""));
        assertThrows(SQLException.class, () -> Calcite.rows(stored, "SELECT * FROM \"texts\""));
      }
    }
  }

  @Test
  void closedStoreFailsTheStatementAndNothingElse() throws SQLException {
    IndexStore store = IndexStore.open(folder.resolve("closed.esp"));
    store.index("numbers").put(3, 4);
    try (Connection stored = Calcite.connect(EspalierSchema.of(store))) {
      store.close();
      SQLException failure =
          assertThrows(SQLException.class, () -> Calcite.rows(stored, "SELECT * FROM \"numbers\""));
      assertTrue(messages(failure).contains("closed"), messages(failure));
      assertEquals(List.of("1"), Calcite.rows(stored, "SELECT 1"));
    }
    assertThrows(IllegalStateException.class, () -> EspalierSchema.of(store));
  }

  private static String messages(Throwable failure) {
    StringBuilder messages = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      messages.append(cause).append('\n');
    }
    return messages.toString();
  }

  @Test
  void statementsRunBesideOneAnother() throws Exception {
    String query = "SELECT COUNT(*), SUM(l.v) FROM small s JOIN big l ON l.k = s.v AND l.v >= s.k";
    List<String> expected = Calcite.rows(connection, query);
    List<Callable<List<String>>> statements = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      statements.add(() -> Calcite.rows(connection, query));
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      for (Future<List<String>> rows : threads.invokeAll(statements)) {
        assertEquals(expected, rows.get());
      }
    }
  }

  @Test
  void cancelledStatementEndsAtTheNextRow() {
    AtomicBoolean flag = new AtomicBoolean();
    DataContext context = DataContexts.of(Map.of("cancelFlag", flag));
    ScanRun scan = new ScanRun(IndexTable.of(small), List.of(0, 1), KeyRange.ALL);
    try (Enumerator<Object> rows = scan.apply(context).enumerator()) {
      assertTrue(rows.moveNext());
      flag.set(true);
      assertThrows(CalciteException.class, rows::moveNext);
    }
  }

  @Test
  void wrongTablesAreRefused() {
    assertRefused("columns is empty", List.of());
    assertRefused("two columns are named 'K'", List.of(Column.key("K"), Column.value("K")));
    assertRefused("both 'K' and 'L' are the key", List.of(Column.key("K"), Column.key("L")));
    assertRefused(
        "column 'B' has 2 rows, and another one 1",
        List.of(Column.ints("A", new int[1]), Column.ints("B", new int[2])));
    IllegalArgumentException noIndex =
        assertThrows(
            IllegalArgumentException.class, () -> IndexTable.ofRows(List.of(Column.key("K"))));
    assertEquals("column 'K' needs an index, and the table has none", noIndex.getMessage());
    assertThrows(NullPointerException.class, () -> Column.strings("T", new String[] {"a", null}));
    assertThrows(IllegalArgumentException.class, () -> Column.decimals("D", 19, new long[0]));
  }

  private void assertRefused(String message, List<Column> columns) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> IndexTable.of(small, columns));
    assertEquals(message, refused.getMessage());
  }
}
