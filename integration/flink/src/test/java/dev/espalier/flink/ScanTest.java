// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScanTest {
  @TempDir Path folder;
  private Path file;
  private final TreeMap<Long, Long> model = new TreeMap<>();
  private StreamTableEnvironment tables;

  @BeforeEach
  void writeFile() throws IOException {
    file = folder.resolve("dim.esp");
    Random random = new Random(42);
    for (int i = 0; i < 1000; i++) {
      model.put((long) random.nextInt(5000), random.nextLong());
    }
    model.put(Long.MIN_VALUE, 1L);
    model.put(Long.MAX_VALUE, 2L);
    FlinkFixture.write(file, model);
    tables = FlinkFixture.tables(1);
    FlinkFixture.createDim(tables, file.toString());
  }

  @Test
  void aScanHasAllRowsInTheOrderOfTheirKeys() throws Exception {
    List<Row> expected = new ArrayList<>();
    model.forEach((key, value) -> expected.add(Row.of(key, value)));
    assertEquals(expected, FlinkFixture.rows(tables, "SELECT * FROM dim"));
  }

  @Test
  void onlyTheColumnsAskedForAreRead() throws Exception {
    List<Row> expected = new ArrayList<>();
    model.forEach((key, value) -> expected.add(Row.of(value)));
    assertEquals(expected, FlinkFixture.rows(tables, "SELECT v FROM dim"));
    String plan = tables.explainSql("SELECT v FROM dim");
    assertTrue(plan.contains("project=[v]"), plan);
  }

  @Test
  void conditionsOfTheKeyBecomeARange() throws Exception {
    expectPushed("k >= 100 AND k < 200", "filter=[", key -> key >= 100 && key < 200);
    expectPushed("k BETWEEN 300 AND 350", "filter=[", key -> key >= 300 && key <= 350);
    expectPushed("4000 < k", "filter=[", key -> key > 4000);
    expectPushed("k > 9223372036854775807", "filter=[", key -> false);
    expectPushed("k <= 10 AND k >= 20", "", key -> false);
  }

  @Test
  void anEqualityOfTheKeyBecomesARange() throws Exception {
    long key = model.higherKey(17L);
    String query = "SELECT v FROM dim WHERE k = " + key;
    assertTrue(tables.explainSql(query).contains("filter=[=(k, " + key));
    assertEquals(List.of(Row.of(model.get(key))), FlinkFixture.rows(tables, query));
  }

  private void expectPushed(String condition, String inPlan, LongPredicate fulfils)
      throws Exception {
    String query = "SELECT * FROM dim WHERE " + condition;
    String plan = tables.explainSql(query);
    String optimized = plan.substring(plan.indexOf("== Optimized Execution Plan =="));
    assertTrue(optimized.contains(inPlan) && !optimized.contains("Calc("), plan);
    expectRows(query, fulfils);
  }

  private void expectRows(String query, LongPredicate fulfils) throws Exception {
    List<Row> expected = new ArrayList<>();
    model.forEach(
        (key, value) -> {
          if (fulfils.test(key)) {
            expected.add(Row.of(key, value));
          }
        });
    assertEquals(expected, FlinkFixture.rows(tables, query));
  }

  @Test
  void otherConditionsAreLeftToFlink() throws Exception {
    String query = "SELECT * FROM dim WHERE k >= 100 AND MOD(k, 2) = 0";
    String plan = tables.explainSql(query);
    assertTrue(plan.contains("Calc(") && plan.contains("filter=[>=(k, 100"), plan);
    expectRows(query, key -> key >= 100 && key % 2 == 0);
    expectRows("SELECT * FROM dim WHERE k > 10.5", key -> key > 10);
  }

  @Test
  void aBoundedQueryRunsAsABatch() throws Exception {
    StreamTableEnvironment batch =
        FlinkFixture.tables(2, new Configuration(), EnvironmentSettings.inBatchMode());
    FlinkFixture.createDim(batch, file.toString());
    assertEquals(
        new HashSet<>(List.of(Row.of((long) model.size(), Long.MAX_VALUE))),
        new HashSet<>(FlinkFixture.rows(batch, "SELECT COUNT(*), MAX(k) FROM dim")));
  }

  @Test
  void thePrimaryKeyMayBeTheSecondColumn() throws Exception {
    FlinkFixture.createTable(
        tables, "swapped (v BIGINT, k BIGINT, PRIMARY KEY (k) NOT ENFORCED)", file.toString());
    assertEquals(
        List.of(Row.of(1L, Long.MIN_VALUE)),
        FlinkFixture.rows(tables, "SELECT * FROM swapped WHERE k < 0"));
  }
}
