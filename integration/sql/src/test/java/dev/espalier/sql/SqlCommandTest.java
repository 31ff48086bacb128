// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.cli.Espalier;
import dev.espalier.io.IndexStore;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlCommandTest {
  private record Run(int status, String out, String err) {}

  @TempDir Path folder;

  private String store = "";

  @BeforeEach
  void makeStore() {
    Path path = folder.resolve("shop.esp");
    store = path.toString();
    try (IndexStore made = IndexStore.open(path)) {
      for (long item = 0; item < 100; item++) {
        made.index("prices").put(item, 10 * item);
        made.index("Stock of items").put(2 * item, item);
      }
      made.bytesIndex("texts").put(new byte[] {1}, new byte[] {2});
    }
  }

  @Test
  void printsRowsAligned() {
    Run run = sql(store, "select k, v as price from prices where k between 9 and 10");
    assertEquals(new Run(0, " K  PRICE\n--  -----\n 9     90\n10    100\n", ""), run);
  }

  @Test
  void printsRowsAsCsvAndAsJson() {
    String query =
        "select p.k, s.v, 'a,\"b' as text from prices p left join \"Stock of items\" s on s.k = p.k"
            + " where p.k in (1, 2) order by p.k";
    assertEquals(
        new Run(0, "K,V,TEXT\n1,,\"a,\"\"b\"\n2,1,\"a,\"\"b\"\n", ""),
        sql(store, query, "--format", "csv"));
    assertEquals(
        new Run(
            0,
            "{\"K\":1,\"V\":null,\"TEXT\":\"a,\\\"b\"}\n{\"K\":2,\"V\":1,\"TEXT\":\"a,\\\"b\"}\n",
            ""),
        sql(store, query, "--format", "json"));
  }

  @Test
  void explainNamesTheIndexAndTheRange() {
    Run run = sql(store, "--explain", "select v from prices where k > 7");
    assertEquals(0, run.status());
    assertTrue(run.out().contains("EnumerableIndexScan(index=[ESPALIER.prices]"), run.out());
    assertTrue(run.out().contains("key=[>= 8]"), run.out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "select k frm prices | line 1, column 14: Encountered \"prices\"",
        "select k from price | line 1, column 15: Object 'PRICE' not found",
        "select price from prices | line 1, column 8: Column 'PRICE' not found in any table",
        "select * from texts | line 1, column 15: Object 'TEXTS' not found",
        "select 'a | line 1, column 8: Encountered",
      })
  void wrongSqlIsExplainedWithItsPlace(String query, String message) {
    Run run = sql(store, query);
    assertEquals(2, run.status());
    assertEquals("", run.out());
    assertTrue(run.err().startsWith("espalier sql: " + message), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void failureOfARunningQueryIsStatusOne() {
    Run run = sql(store, "select 1 / (v - v) from prices");
    assertEquals(1, run.status());
    assertEquals("espalier sql: the query failed: / by zero\n", run.err());
  }

  @Test
  void argumentsAreChecked() {
    assertEquals(2, sql("select 1").status());
    assertEquals(2, sql("--tpch", "0.01", store, "select 1").status());
    assertEquals(2, sql("--tpch", "0", "select * from region").status());
    Run run = sql(folder.resolve("none.esp").toString(), "select 1");
    assertEquals(1, run.status());
    assertTrue(run.err().endsWith("none.esp: no such file\n"), run.err());
  }

  @Test
  void fileIsNotChanged() throws Exception {
    byte[] before = Files.readAllBytes(Path.of(store));
    assertEquals(0, sql(store, "select count(*) from prices").status());
    assertEquals(-1, Arrays.mismatch(before, Files.readAllBytes(Path.of(store))));
  }

  @Test
  void readsTpchTablesAndLeavesStandardErrorEmpty() {
    PrintStream before = System.err;
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
    try {
      Run run =
          sql(
              "--tpch",
              "0.001",
              "select n_name, r_name from nation join region on n_regionkey = r_regionkey where"
                  + " n_nationkey < 2");
      assertEquals(0, run.status(), run.err());
      assertEquals(
          List.of(
              "N_NAME     R_NAME", "---------  -------", "ALGERIA    AFRICA", "ARGENTINA  AMERICA"),
          run.out().lines().toList());
    } finally {
      System.setErr(before);
    }
    assertEquals("", errors.toString(StandardCharsets.UTF_8));
  }

  private static Run sql(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "sql";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        Espalier.run(new PrintWriter(out), new PrintWriter(err), List.of(new SqlCommand()), all);
    return new Run(status, out.toString(), err.toString());
  }
}
