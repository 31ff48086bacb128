// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.FigureFile;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.Driver;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.runtime.Hook;
import org.junit.jupiter.api.Test;

/**
 * How long joins of TPC-H take by index and by Calcite's hash join; not a test, but run as one:
 * {@code -Dtest=JoinMeasurement}, with {@code -Dscale=} and {@code -Drounds=}. Both read the same
 * tables by the same scans, and take turns. The hash join makes its table of the smaller side,
 * though Calcite's costs prefer the larger one, and a merge join. {@code benchmarks/run engines
 * calcite} runs it, too.
 */
class JoinMeasurement {
  private static final double SCALE = Double.parseDouble(System.getProperty("scale", "0.1"));
  private static final int ROUNDS = Integer.getInteger("rounds", 5);

  /** What must not fire for a hash join of the sides as they are. */
  private static final String HASH_ONLY =
      "EspalierJoin.*|EnumerableMergeJoinRule.*|JoinCommuteRule.*";

  private static final String[][] QUERIES = {
    {
      "lineitem-orders",
      "COUNT(*), SUM(o_custkey)",
      "o_custkey",
      "FROM lineitem JOIN orders ON l_orderkey = o_orderkey",
    },
    {
      "lineitem-part",
      "COUNT(*), SUM(p_size)",
      "p_size",
      "FROM lineitem JOIN part ON l_partkey = p_partkey",
    },
  };

  @Test
  void measure() throws SQLException, IOException {
    PrintStream out = System.out;
    FigureFile figures = new FigureFile();
    figures.table(
        "join",
        "by index, s",
        "by hash, s",
        "by index, ns a row",
        "by hash, ns a row",
        "times as fast",
        "by index, MB retained",
        "by hash, MB retained");
    try (TpchSchema tables = TpchSchema.generate(SCALE, Set.of("lineitem", "orders", "part"));
        Connection connection = new Driver().connect("jdbc:calcite:", new Properties())) {
      CalciteConnection calcite = connection.unwrap(CalciteConnection.class);
      calcite.getRootSchema().add("S", tables.schema());
      calcite.setSchema("S");
      out.printf("join             way    seconds  ns/row  MB retained%n");
      for (String[] query : QUERIES) {
        String sum = "SELECT " + query[1] + " " + query[3];
        String rows = "SELECT " + query[2] + " " + query[3];
        double[][] seconds = new double[2][ROUNDS];
        long count = 0;
        for (int round = -2; round < ROUNDS; round++) {
          String first = "";
          for (int way = 0; way < 2; way++) {
            try (PreparedStatement statement = prepare(connection, sum, way == 0)) {
              long begin = System.nanoTime();
              try (ResultSet result = statement.executeQuery()) {
                result.next();
                count = result.getLong(1);
                String answer = count + " " + result.getLong(2);
                if (round >= 0) {
                  seconds[way][round] = (System.nanoTime() - begin) / 1e9;
                }
                first = way == 0 ? answer : first;
                assertEquals(first, answer);
              }
            }
          }
        }
        double[] medians = new double[2];
        double[] nanoseconds = new double[2];
        double[] megabytes = new double[2];
        for (int way = 0; way < 2; way++) {
          Arrays.sort(seconds[way]);
          medians[way] = seconds[way][ROUNDS / 2];
          nanoseconds[way] = 1e9 * medians[way] / count;
          megabytes[way] = retained(connection, rows, way == 0) / 1e6;
          out.printf(
              Locale.ROOT,
              "%-16s %-5s  %7.3f  %6.0f  %.1f%n",
              query[0],
              way == 0 ? "index" : "hash",
              medians[way],
              nanoseconds[way],
              megabytes[way]);
        }
        double ratio = medians[1] / medians[0];
        out.printf(Locale.ROOT, "%-16s hash over index: %.2f%n", query[0], ratio);
        figures.row(
            query[0],
            medians[0],
            medians[1],
            nanoseconds[0],
            nanoseconds[1],
            ratio,
            megabytes[0],
            megabytes[1]);
      }
      figures.write();
    }
  }

  private static PreparedStatement prepare(Connection connection, String sql, boolean byIndex)
      throws SQLException {
    Pattern excluded = Pattern.compile(byIndex ? "none" : HASH_ONLY);
    try (Hook.Closeable _ =
        Hook.PLANNER.<RelOptPlanner>addThread(
            planner -> planner.setRuleDescExclusionFilter(excluded))) {
      try (PreparedStatement explain = connection.prepareStatement("EXPLAIN PLAN FOR " + sql);
          ResultSet plan = explain.executeQuery()) {
        plan.next();
        String join = byIndex ? "EnumerableIndexNestedLoopJoin(" : "EnumerableHashJoin(";
        if (!plan.getString(1).contains(join)) {
          // By cost: the times of this way are then those of another join.
          System.out.println(sql + ": no " + join + "...)\n" + plan.getString(1));
        }
      }
      return connection.prepareStatement(sql);
    }
  }

  /** Returns by how much the heap has grown in the midst of a join, garbage left out. */
  private static long retained(Connection connection, String sql, boolean byIndex)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, byIndex)) {
      long before = heapBytes();
      try (ResultSet rows = statement.executeQuery()) {
        for (int row = 0; row < 5000; row++) {
          assertTrue(rows.next());
        }
        return heapBytes() - before;
      }
    }
  }

  private static long heapBytes() {
    System.gc();
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
