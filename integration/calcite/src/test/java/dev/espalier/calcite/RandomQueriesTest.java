// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.family.Indexes;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.tools.FrameworkConfig;
import org.apache.calcite.tools.Frameworks;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.tools.RelRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Random queries over random tables, against Calcite without the rules. */
class RandomQueriesTest {
  private static LongIndex large;
  private static LongIndex small;
  private static Map<String, IndexTable> tables;
  private static Connection indexed;
  private static Connection plain;

  @BeforeAll
  static void fill() throws Exception {
    Random random = new Random(24);
    large = Indexes.create();
    for (int i = 0; i < 20_000; i++) {
      large.put(random.nextInt(60_000) - 30_000, random.nextInt(1000));
    }
    small = Indexes.create();
    for (int i = 0; i < 300; i++) {
      small.put(random.nextInt(1000), random.nextInt(1000));
    }
    int rows = 400;
    long[] numbers = random.longs(rows, -31_000, 31_000).toArray();
    int[] days = random.ints(rows, 0, 100).toArray();
    String[] texts = new String[rows];
    for (int row = 0; row < rows; row++) {
      texts[row] = "text " + days[row] % 7;
    }
    tables =
        Map.of(
            "BIG",
            IndexTable.of(large),
            "SMALL",
            IndexTable.of(small),
            "ARRAYS",
            IndexTable.ofRows(
                List.of(
                    Column.longs("K", numbers),
                    Column.ints("V", days),
                    Column.strings("T", texts),
                    Column.decimals("D", 2, numbers))));
    indexed = Calcite.connect(EspalierSchema.of(tables));
    plain = Calcite.connectWithoutRules(tables);
  }

  @AfterAll
  static void close() throws Exception {
    indexed.close();
    plain.close();
    large.close();
    small.close();
  }

  @Test
  void queriesAnswerAsWithoutTheRules() throws Exception {
    assertQueriesAnswerAsWithoutTheRules(0, 12);
  }

  @Test
  @Tag("thorough")
  void manyQueriesAnswerAsWithoutTheRules() throws Exception {
    assertQueriesAnswerAsWithoutTheRules(12, 150);
  }

  private static void assertQueriesAnswerAsWithoutTheRules(int from, int to) throws Exception {
    int joins = 0;
    int ranges = 0;
    for (int seed = from; seed < to; seed++) {
      String query = query(new Random(seed));
      String plan = Calcite.plan(indexed, query);
      joins += plan.contains("EnumerableIndexNestedLoopJoin(") ? 1 : 0;
      ranges += plan.contains("key=[") ? 1 : 0;
      List<String> rows = Calcite.rows(indexed, query);
      List<String> expected = Calcite.rows(plain, query);
      if (!query.contains("ORDER BY")) {
        Collections.sort(rows);
        Collections.sort(expected);
      }
      assertEquals(expected, rows, () -> query + "\n" + plan);
    }
    assertTrue(joins > (to - from) / 5, joins + " joins by index");
    assertTrue(ranges > (to - from) / 5, ranges + " ranges");
  }

  private static String query(Random random) {
    String outer = one(random, "ARRAYS", "SMALL", "BIG");
    String inner = one(random, "BIG", "BIG", "SMALL");
    String on = "i.k = o." + one(random, "k", "v");
    String residual =
        one(random, "", "", " AND i.v < o.v", " AND i.v + o.k > 500", " AND i.v = o.v");
    String innerWhere = random.nextBoolean() ? "" : " AND " + condition(random, "i");
    String where = random.nextBoolean() ? "" : " AND " + condition(random, "o");
    String all = on + residual + innerWhere;
    return switch (random.nextInt(6)) {
      case 0 ->
          "SELECT o.k, o.v, i.v AS w FROM %s o JOIN %s i ON %s WHERE TRUE%s"
              .formatted(outer, inner, on + residual, where + innerWhere);
      case 1 ->
          "SELECT o.v, i.k AS j FROM %s o LEFT JOIN %s i ON %s WHERE TRUE%s"
              .formatted(outer, inner, all, where);
      case 2 ->
          "SELECT o.k, o.v FROM %s o WHERE EXISTS (SELECT * FROM %s i WHERE %s)%s"
              .formatted(outer, inner, all, where);
      case 3 ->
          "SELECT o.k FROM %s o WHERE NOT EXISTS (SELECT * FROM %s i WHERE %s)%s"
              .formatted(outer, inner, all, where);
      case 4 ->
          "SELECT i.v, i.k FROM %s i WHERE %s ORDER BY i.k%s"
              .formatted(inner, condition(random, "i"), one(random, "", " LIMIT 7"));
      default ->
          ("SELECT l.k, o.v, i.v AS w FROM %s o LEFT JOIN big l ON l.k = o.k"
                  + " LEFT JOIN small i ON i.k = l.v WHERE TRUE%s")
              .formatted(outer, where);
    };
  }

  private static String condition(Random random, String table) {
    int from = random.nextInt(2000) - 1000;
    int to = from + random.nextInt(3000);
    return "("
        + one(
                random,
                "#.k BETWEEN %d AND %d",
                "#.k > %d AND #.k <= %d",
                "#.k >= %d",
                "%d > #.k",
                "#.k = %d",
                "#.k IN (%d, 5, %d)",
                "#.k < %d OR #.k > %d",
                "#.k NOT BETWEEN %d AND %d",
                "#.k <> %d",
                "#.v < 400 AND #.k < %d",
                "#.k > 1.5 AND #.k < %d",
                "#.k > %d AND #.k < 9223372036854775807")
            .replace("#", table)
            .formatted(from, to)
        + ")";
  }

  private static String one(Random random, String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  /** Plans in which the index is read more than once, or by other joins. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT o.k, i.k AS j FROM small o JOIN small i ON o.k + i.v < i.k - 300",
        "SELECT o.k, i.k AS j FROM small o LEFT JOIN small i ON o.k + i.v < i.k - 300",
        "SELECT o.k, i.k AS j FROM small o RIGHT JOIN big i ON o.v = i.k WHERE i.k < 500",
        "SELECT o.k, i.k AS j FROM small o FULL JOIN small i ON o.v = i.k",
        "SELECT k FROM small WHERE v NOT IN (SELECT k FROM big WHERE k > 100)",
        "SELECT k, (SELECT MAX(i.v) FROM big i WHERE i.k < o.v AND i.k > o.v - 5) AS m FROM small"
            + " o",
        "SELECT k FROM small INTERSECT SELECT v FROM small",
        "SELECT k FROM small EXCEPT SELECT v FROM small",
        "SELECT k FROM small UNION ALL SELECT k FROM big WHERE k BETWEEN 5 AND 90",
        "SELECT k, v FROM small ORDER BY k NULLS FIRST LIMIT 5 OFFSET 7",
        "SELECT k, v FROM small ORDER BY k DESC NULLS LAST LIMIT 5 OFFSET 7",
        "SELECT v, k FROM small ORDER BY v, k FETCH NEXT 9 ROWS ONLY",
        "SELECT k, ROW_NUMBER() OVER (ORDER BY k) AS n FROM small WHERE k > 100",
        "SELECT MIN(k), MAX(k), COUNT(DISTINCT v) FROM big WHERE k IN (1, 2, 3) OR k > 29000",
        "SELECT k FROM big WHERE CAST(k AS VARCHAR) LIKE '12%' AND k > 0",
        "SELECT k FROM big WHERE NOT (k > 100 OR k < 50)",
        "SELECT k FROM big WHERE k = 17.0 OR CAST(k AS INTEGER) = 19",
        "SELECT k FROM big WHERE (k > 10 AND v < 500) IS NOT TRUE AND k < 40",
        "SELECT k FROM big WHERE k > 1e3 AND k < 11e2"
      })
  void otherPlansAnswerAsWithoutTheRules(String query) throws Exception {
    List<String> rows = Calcite.rows(indexed, query);
    List<String> expected = Calcite.rows(plain, query);
    if (!query.contains("ORDER BY k") && !query.contains("ORDER BY v")) {
      Collections.sort(rows);
      Collections.sort(expected);
    }
    assertEquals(expected, rows, () -> plan(query));
    assertFalse(rows.isEmpty());
  }

  private static String plan(String query) {
    try {
      return Calcite.plan(indexed, query);
    } catch (SQLException e) {
      return e.toString();
    }
  }

  /** SQL has no words for some of them. */
  @ParameterizedTest
  @EnumSource(
      value = JoinRelType.class,
      names = {"INNER", "LEFT", "SEMI", "ANTI"})
  void eachKindOfJoinAnswersAsWithoutTheRules(JoinRelType type) throws Exception {
    for (boolean hasResidual : new boolean[] {false, true}) {
      List<String> rows = join(indexed, type, hasResidual);
      assertEquals(join(plain, type, hasResidual), rows);
      assertTrue(!rows.isEmpty() && rows.size() <= 400, rows.size() + " rows");
    }
  }

  /** Such a row is no array, but the value itself: null. */
  @ParameterizedTest
  @EnumSource(
      value = JoinRelType.class,
      names = {"INNER", "LEFT", "SEMI", "ANTI"})
  void rowsOfOneColumnThatIsNullAreJoined(JoinRelType type) throws Exception {
    List<String> rows = joinOneColumn(indexed, type);
    assertEquals(joinOneColumn(plain, type), rows);
    long nulls = rows.stream().filter(row -> row.startsWith("null|")).count();
    assertEquals(type == JoinRelType.LEFT || type == JoinRelType.ANTI, nulls > 0, rows.toString());
  }

  private static List<String> joinOneColumn(Connection connection, JoinRelType type)
      throws Exception {
    RelBuilder builder = builder(connection);
    builder.scan("ARRAYS");
    builder.project(
        List.of(
            builder.call(
                SqlStdOperatorTable.CASE,
                builder.lessThan(builder.field("V"), builder.literal(50)),
                builder.field("K"),
                builder.cast(builder.literal(null), SqlTypeName.BIGINT))),
        List.of("K"));
    builder.scan("BIG");
    RexNode condition = builder.equals(builder.field(2, 0, "K"), builder.field(2, 1, "K"));
    return rows(connection, builder.join(type, condition).build());
  }

  private static RelBuilder builder(Connection connection) throws Exception {
    var calcite = connection.unwrap(CalciteConnection.class);
    FrameworkConfig config =
        Frameworks.newConfigBuilder()
            .defaultSchema(calcite.getRootSchema().subSchemas().get("S"))
            .build();
    return RelBuilder.create(config);
  }

  private static List<String> join(Connection connection, JoinRelType type, boolean hasResidual)
      throws Exception {
    RelBuilder builder = builder(connection);
    builder.scan("ARRAYS").scan("BIG");
    RexNode condition = builder.equals(builder.field(2, 0, "K"), builder.field(2, 1, "K"));
    if (hasResidual) {
      condition =
          builder.and(
              condition, builder.lessThan(builder.field(2, 0, "V"), builder.field(2, 1, "V")));
    }
    RelNode join = builder.join(type, condition).build();
    assertTrue(RelOptUtil.toString(join).contains("joinType=[" + type.lowerName + "]"));
    return rows(connection, join);
  }

  private static List<String> rows(Connection connection, RelNode query) throws Exception {
    List<String> rows = new ArrayList<>();
    try (var statement = connection.unwrap(RelRunner.class).prepareStatement(query);
        var result = statement.executeQuery()) {
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
          row.append(result.getString(column)).append('|');
        }
        rows.add(row.toString());
      }
    }
    Collections.sort(rows);
    return rows;
  }
}
