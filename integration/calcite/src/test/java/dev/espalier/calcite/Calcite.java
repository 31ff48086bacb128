// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.calcite.DataContext;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.Driver;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.ScannableTable;
import org.apache.calcite.schema.Schema;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.Statistics;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.util.ImmutableIntList;

/** Connections of Calcite, in which tables need no name of a schema. */
final class Calcite {
  private Calcite() {}

  static Connection connect(Schema schema) throws SQLException {
    Connection connection = new Driver().connect("jdbc:calcite:", new Properties());
    CalciteConnection calcite = connection.unwrap(CalciteConnection.class);
    calcite.getRootSchema().add("S", schema);
    calcite.setSchema("S");
    return connection;
  }

  /** Connects to tables that Calcite knows nothing of but their rows. */
  static Connection connectWithoutRules(Map<String, IndexTable> tables) throws SQLException {
    return connect(
        new AbstractSchema() {
          @Override
          protected Map<String, Table> getTableMap() {
            Map<String, Table> plain = new TreeMap<>();
            tables.forEach((name, table) -> plain.put(name, new PlainTable(table)));
            return plain;
          }
        });
  }

  /** Returns the rows, each as text, in their order. */
  static List<String> rows(Connection connection, String sql, Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      List<String> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery()) {
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
          List<String> row = new ArrayList<>();
          for (int column = 1; column <= columns; column++) {
            row.add(result.getString(column));
          }
          rows.add(String.join("|", row));
        }
      }
      return rows;
    }
  }

  static String plan(Connection connection, String sql) throws SQLException {
    return String.join("\n", rows(connection, "EXPLAIN PLAN FOR " + sql));
  }

  /** The rows of an index table, for Calcite's own operators. */
  private static final class PlainTable extends AbstractTable implements ScannableTable {
    private final IndexTable table;

    PlainTable(IndexTable table) {
      this.table = table;
    }

    @Override
    public RelDataType getRowType(RelDataTypeFactory factory) {
      return table.getRowType(factory);
    }

    @Override
    public Statistic getStatistic() {
      return Statistics.of(table.rowCount(), List.of());
    }

    @Override
    public Enumerable<Object[]> scan(DataContext root) {
      ScanRun scan = new ScanRun(table, ImmutableIntList.copyOf(table.allColumns()), KeyRange.ALL);
      return scan.apply(root)
          .select(row -> row instanceof Object[] fields ? fields : new Object[] {row});
    }
  }
}
