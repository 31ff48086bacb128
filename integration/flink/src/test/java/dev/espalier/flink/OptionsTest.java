// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private static final String COLUMNS = "dim (k BIGINT, v BIGINT)";

  @Test
  void anOptionThatIsNotOneIsNamed() {
    expectRefused("'looup.async'", COLUMNS, "looup.async", "true");
    expectRefused(
        "Option 'pool-size' is '1 kb'; it must be at least 1 mb", COLUMNS, "pool-size", "1 kb");
    expectRefused(
        "Option 'lookup.response-time' is 'PT0.0001S'; it must be from 1 ms to 1 day",
        COLUMNS,
        "lookup.response-time",
        "100000 ns");
    expectRefused("refresh-interval", COLUMNS, "refresh-interval", "now and then");
  }

  @Test
  void theColumnsAreTwoNumbers() {
    expectRefused("has the columns [k BIGINT]", "dim (k BIGINT)");
    expectRefused("two of type BIGINT", "dim (k BIGINT, v STRING)");
    expectRefused("two of type BIGINT", "dim (k BIGINT, v BIGINT, w BIGINT)");
    expectRefused(
        "The primary key has the columns [k, v]",
        "dim (k BIGINT, v BIGINT, PRIMARY KEY (k, v) NOT ENFORCED)");
  }

  @Test
  void aPathIsNeeded() {
    StreamTableEnvironment tables = FlinkFixture.tables(1);
    tables.executeSql(
        "CREATE TEMPORARY TABLE dim (k BIGINT, v BIGINT) WITH ('connector' = 'espalier')");
    expectRefused("path", tables);
    StreamTableEnvironment blank = FlinkFixture.tables(1);
    FlinkFixture.createDim(blank, " ");
    expectRefused("Option 'path' is ' '; it must be not empty", blank);
  }

  private static void expectRefused(String reason, String columns, String... options) {
    StreamTableEnvironment tables = FlinkFixture.tables(1);
    FlinkFixture.createTable(tables, columns, "/nowhere.esp", options);
    expectRefused(reason, tables);
  }

  private static void expectRefused(String reason, StreamTableEnvironment tables) {
    Exception refused = assertThrows(Exception.class, () -> tables.explainSql("SELECT * FROM dim"));
    StringWriter all = new StringWriter();
    refused.printStackTrace(new PrintWriter(all));
    assertTrue(all.toString().contains(reason), all.toString());
  }
}
