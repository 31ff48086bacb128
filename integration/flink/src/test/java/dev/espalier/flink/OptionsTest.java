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
  void shardsAreSomeAndNotTooMany() {
    expectRefused("Option 'shards' is '0'; it must be from 1 to 1024", COLUMNS, "shards", "0");
    expectRefused("Option 'shards' is '1025'", COLUMNS, "shards", "1025");
  }

  @Test
  void rowsAreGatheredForTwoNumbersInOneFileOnly() {
    String refusal = "it is for tables of two columns of type BIGINT in one file";
    expectRefused(refusal, "dim (k BIGINT, v STRING)", "lookup.async", "true");
    expectRefused(refusal, COLUMNS, "lookup.async", "true", "shards", "2");
  }

  @Test
  void columnsThatCannotBeKeptAreNamed() {
    expectRefused(
        "Column 'v' of table default_catalog.default_database.dim has type ARRAY<INT>, which an"
            + " index file can't keep",
        "dim (k BIGINT, v ARRAY<INT>)");
    expectRefused("Column 'k'", "dim (k DOUBLE, v BIGINT)");
    expectRefused(
        "has type FLOAT NOT NULL, which can't be a key",
        "dim (k BIGINT, v FLOAT, PRIMARY KEY (k, v) NOT ENFORCED)");
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
