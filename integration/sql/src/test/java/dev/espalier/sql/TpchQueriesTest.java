// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.calcite.EspalierSchema;
import dev.espalier.calcite.IndexTable;
import java.sql.Connection;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.calcite.DataContext;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.Driver;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Linq4j;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.ScannableTable;
import org.apache.calcite.schema.Schema;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.schema.impl.AbstractTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queries of TPC-H, as far as its columns go, against Calcite's own operators. */
class TpchQueriesTest {
  private static final double SCALE = 0.01;

  /** Queries, and the index that their plans look up keys in. */
  private enum Query {
    Q3(
        "ORDERS",
        """
        SELECT l_orderkey, SUM(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate,
          o_shippriority
        FROM lineitem JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey
        WHERE c_mktsegment = 'BUILDING' AND o_orderdate < DATE '1995-03-15'
          AND l_shipdate > DATE '1995-03-15'
        GROUP BY l_orderkey, o_orderdate, o_shippriority
        """),
    Q4(
        "ORDERS",
        """
        SELECT l_shipmode, COUNT(*) FROM lineitem
        WHERE l_commitdate < l_receiptdate AND EXISTS (SELECT * FROM orders
          WHERE o_orderkey = l_orderkey AND o_orderdate < l_commitdate)
        GROUP BY l_shipmode
        """),
    Q12(
        "ORDERS",
        """
        SELECT l_shipmode, SUM(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH'
          THEN 1 ELSE 0 END) AS high, COUNT(*)
        FROM orders JOIN lineitem ON o_orderkey = l_orderkey
        WHERE l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate
          AND l_shipdate < l_commitdate AND l_receiptdate >= DATE '1994-01-01'
          AND l_receiptdate < DATE '1995-01-01'
        GROUP BY l_shipmode
        """),
    Q14(
        "PART",
        """
        SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount)
          ELSE 0 END) / SUM(l_extendedprice * (1 - l_discount))
        FROM lineitem JOIN part ON l_partkey = p_partkey
        WHERE l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-10-01'
        """),
    Q19(
        "PART",
        """
        SELECT SUM(l_extendedprice * (1 - l_discount)) FROM lineitem JOIN part
          ON p_partkey = l_partkey AND l_quantity >= p_size AND l_quantity <= p_size + 10
        WHERE l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON'
        """),
    OUTER(
        "CUSTOMER",
        """
        SELECT COUNT(*), COUNT(c_custkey) FROM orders LEFT JOIN customer
          ON o_custkey = c_custkey AND c_acctbal > o_totalprice / 100
        """);

    private final String index;
    private final String sql;

    Query(String index, String sql) {
      this.index = index;
      this.sql = sql;
    }
  }

  private static TpchSchema tables;
  private static Connection indexed;
  private static Connection plain;

  @BeforeAll
  static void generate() throws SQLException {
    tables = TpchSchema.generate(SCALE, TpchSchema.NAMES);
    indexed = connect(EspalierSchema.of(tables.tables()));
    plain = connect(new PlainSchema(tables.tables()));
  }

  @AfterAll
  static void close() throws SQLException {
    indexed.close();
    plain.close();
    tables.close();
  }

  @Tag("thorough")
  @ParameterizedTest
  @EnumSource
  void planUsesTheIndexAndAnswersAsCalciteDoes(Query query) throws SQLException {
    String plan = String.join("\n", rows(indexed, "EXPLAIN PLAN FOR " + query.sql));
    assertTrue(plan.contains("EnumerableIndexNestedLoopJoin("), plan);
    assertTrue(plan.contains("index=[S." + query.index + "]"), plan);
    assertFalse(String.join("\n", rows(plain, "EXPLAIN PLAN FOR " + query.sql)).contains("Index"));
    List<String> rows = rows(indexed, query.sql);
    assertFalse(rows.isEmpty());
    assertEquals(rows(plain, query.sql), rows);
  }

  private static Connection connect(Schema schema) throws SQLException {
    Connection connection = new Driver().connect("jdbc:calcite:", new Properties());
    CalciteConnection calcite = connection.unwrap(CalciteConnection.class);
    calcite.getRootSchema().add("S", schema);
    calcite.setSchema("S");
    return connection;
  }

  private static List<String> rows(Connection connection, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
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

  /** The same rows, in tables of which Calcite knows nothing else. */
  private static final class PlainSchema extends AbstractSchema {
    private final Map<String, IndexTable> tables;

    PlainSchema(Map<String, IndexTable> tables) {
      this.tables = tables;
    }

    @Override
    protected Map<String, Table> getTableMap() {
      Map<String, Table> plain = new TreeMap<>();
      tables.forEach((name, table) -> plain.put(name, new PlainTable(name, table)));
      return plain;
    }
  }

  private static final class PlainTable extends AbstractTable implements ScannableTable {
    private final IndexTable table;
    private final List<Object[]> rows = new ArrayList<>();

    PlainTable(String name, IndexTable table) {
      this.table = table;
      try (Connection connection = connect(EspalierSchema.of(Map.of(name, table)));
          Statement statement = connection.createStatement();
          ResultSet result = statement.executeQuery("SELECT * FROM " + name)) {
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
          Object[] row = new Object[columns];
          for (int column = 0; column < columns; column++) {
            Object value = result.getObject(column + 1);
            row[column] =
                value instanceof Date date ? (Object) (int) date.toLocalDate().toEpochDay() : value;
          }
          rows.add(row);
        }
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public RelDataType getRowType(RelDataTypeFactory factory) {
      return table.getRowType(factory);
    }

    @Override
    public Enumerable<Object[]> scan(DataContext root) {
      return Linq4j.asEnumerable(rows);
    }
  }
}
