// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import dev.espalier.LongIndex;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.rel.rules.CoreRules;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.Statistics;
import org.apache.calcite.schema.TranslatableTable;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * A Calcite table over an index, with a row for each entry in the order of the keys; or, without an
 * index, with a row for each row of arrays.
 *
 * <p>Any number of statements may read a table at once, as long as none changes the index. The
 * table does not own the index; once the index is closed, statements fail.
 */
public final class IndexTable extends AbstractTable implements TranslatableTable {
  private final @Nullable LongIndex index;
  private final List<Column> columns;
  private final int keyColumn;

  private IndexTable(@Nullable LongIndex index, List<Column> columns) {
    this.index = index;
    this.columns = List.copyOf(columns);
    Set<String> names = new HashSet<>();
    int key = -1;
    int rows = -1;
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      if (!names.add(column.name())) {
        throw new IllegalArgumentException("two columns are named '" + column.name() + "'");
      }
      if (column.isKey()) {
        if (key >= 0) {
          throw new IllegalArgumentException(
              "both '%s' and '%s' are the key".formatted(columns.get(key).name(), column.name()));
        }
        key = i;
      }
      if (column.isArray()) {
        if (rows >= 0 && column.rows() != rows) {
          throw new IllegalArgumentException(
              "column '%s' has %d rows, and another one %d"
                  .formatted(column.name(), column.rows(), rows));
        }
        rows = column.rows();
      } else if (index == null) {
        throw new IllegalArgumentException(
            "column '" + column.name() + "' needs an index, and the table has none");
      }
    }
    if (columns.isEmpty()) {
      throw new IllegalArgumentException("columns is empty");
    }
    this.keyColumn = key;
  }

  /** Returns a table of the columns K, the key, and V, the value, both BIGINT. */
  public static IndexTable of(LongIndex index) {
    return of(index, List.of(Column.key("K"), Column.value("V")));
  }

  /**
   * Returns a table over an index.
   *
   * @param index the index; if columns are arrays, its values are row numbers in them, from 0
   * @throws IllegalArgumentException if there is no column, two have the same name, two are the
   *     key, or arrays have different numbers of rows
   */
  public static IndexTable of(LongIndex index, List<Column> columns) {
    if (index == null) {
      throw new NullPointerException("index is null");
    }
    return new IndexTable(index, columns);
  }

  /**
   * Returns a table without an index, which is read as a whole, in the order of the rows.
   *
   * @throws IllegalArgumentException as for the table with an index, or if a column is the key or
   *     the value
   */
  public static IndexTable ofRows(List<Column> columns) {
    return new IndexTable(null, columns);
  }

  @Override
  public RelDataType getRowType(RelDataTypeFactory factory) {
    RelDataTypeFactory.Builder builder = factory.builder();
    columns.forEach(column -> builder.add(column.name(), column.type(factory)));
    return builder.build();
  }

  @Override
  public Statistic getStatistic() {
    return keyColumn < 0
        ? Statistics.of(rowCount(), List.of())
        : Statistics.of(
            rowCount(), List.of(ImmutableBitSet.of(keyColumn)), List.of(collation(keyColumn)));
  }

  @Override
  public RelNode toRel(RelOptTable.ToRelContext context, RelOptTable table) {
    RelOptPlanner planner = context.getCluster().getPlanner();
    IndexRules.ALL.forEach(planner::addRule);
    // So that EXISTS and IN become joins of these kinds.
    planner.addRule(CoreRules.PROJECT_TO_SEMI_JOIN);
    planner.addRule(CoreRules.JOIN_TO_SEMI_JOIN);
    return LogicalTableScan.create(context.getCluster(), table, context.getTableHints());
  }

  /** Returns the index, or null if the table has none. */
  @Nullable LongIndex index() {
    return index;
  }

  Column column(int number) {
    return columns.get(number);
  }

  List<Integer> allColumns() {
    List<Integer> numbers = new ArrayList<>();
    for (int column = 0; column < columns.size(); column++) {
      numbers.add(column);
    }
    return numbers;
  }

  /** Returns the number of the key column, or -1 if there is none. */
  int keyColumn() {
    return keyColumn;
  }

  /** Returns the number of rows, or an estimate if the index does not keep count. */
  double rowCount() {
    return index == null ? columns.getFirst().rows() : index.sizeEstimate();
  }

  static RelCollation collation(int field) {
    return RelCollations.of(field);
  }
}
