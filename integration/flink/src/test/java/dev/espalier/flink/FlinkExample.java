// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.nio.file.Path;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

class FlinkExample {
  @SuppressWarnings("try") // Its close says that it may throw any exception.
  static void run(Path folder) throws Exception {
    // Shown:
    TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inBatchMode());
    tables.executeSql(
        """
        CREATE TABLE prices (item BIGINT, price BIGINT, PRIMARY KEY (item) NOT ENFORCED) WITH (
          'connector' = 'espalier', 'path' = '%s/prices.esp',
          'refresh-interval' = '1 min', 'lookup.async' = 'true')
        """
            .formatted(folder));
    tables.executeSql("INSERT INTO prices VALUES (17, 250), (4711, 990)").await();

    tables.executeSql(
        "CREATE VIEW orders AS SELECT *, PROCTIME() AS ts FROM (VALUES (1, 17), (2, 99)) AS o (id,"
            + " item)");
    String query =
        """
        SELECT o.id, p.price FROM orders AS o
        LEFT JOIN prices FOR SYSTEM_TIME AS OF o.ts AS p ON o.item = p.item
        """;
    try (CloseableIterator<Row> rows = tables.executeSql(query).collect()) {
      rows.forEachRemaining(System.out::println);
    }
  }
}
