// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import dev.espalier.io.IndexStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.calcite.jdbc.CalciteConnection;

class CalciteExample {
  static void run(Path folder) throws SQLException {
    // Shown:
    try (IndexStore store = IndexStore.open(folder.resolve("shop.esp"));
        Connection connection = DriverManager.getConnection("jdbc:calcite:caseSensitive=false");
        Statement statement = connection.createStatement()) {
      store.index("prices").put(17, 250);
      store.index("prices").put(4711, 990);
      store.index("orders").put(1, 17);
      store.index("orders").put(2, 99);

      CalciteConnection calcite = connection.unwrap(CalciteConnection.class);
      calcite.getRootSchema().add("shop", EspalierSchema.of(store));
      calcite.setSchema("shop");
      String query =
          """
          SELECT o.k AS id, p.v AS price FROM orders AS o LEFT JOIN prices AS p ON o.v = p.k
          ORDER BY o.k
          """;
      try (ResultSet rows = statement.executeQuery(query)) {
        while (rows.next()) {
          System.out.println(rows.getLong("id") + ": " + rows.getObject("price"));
        }
      }
    }
  }
}
