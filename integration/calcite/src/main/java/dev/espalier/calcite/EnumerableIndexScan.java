// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.adapter.enumerable.EnumerableRelImplementor;
import org.apache.calcite.adapter.enumerable.JavaRowFormat;
import org.apache.calcite.adapter.enumerable.PhysType;
import org.apache.calcite.adapter.enumerable.PhysTypeImpl;
import org.apache.calcite.linq4j.tree.Blocks;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;

/** Reads columns of a range of keys, in the order of the keys. */
final class EnumerableIndexScan extends AbstractRelNode implements EnumerableRel {
  /** The share of the rows that a bound leaves whose number is not known yet. */
  private static final double UNKNOWN_SHARE = 0.5;

  private final RelOptTable optTable;
  private final IndexTable table;
  private final List<Integer> columns;
  private final KeyRange range;

  private EnumerableIndexScan(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelOptTable optTable,
      IndexTable table,
      List<Integer> columns,
      KeyRange range) {
    super(cluster, traits);
    this.optTable = optTable;
    this.table = table;
    this.columns = columns;
    this.range = range;
    this.rowType = rowType(optTable.getRowType(), columns, cluster.getTypeFactory());
  }

  static EnumerableIndexScan create(
      RelOptCluster cluster,
      RelOptTable optTable,
      IndexTable table,
      List<Integer> columns,
      KeyRange range) {
    int keyField = columns.indexOf(table.keyColumn());
    RelTraitSet traits =
        cluster
            .traitSetOf(EnumerableConvention.INSTANCE)
            .replace(keyField < 0 ? RelCollations.EMPTY : IndexTable.collation(keyField));
    return new EnumerableIndexScan(cluster, traits, optTable, table, List.copyOf(columns), range);
  }

  private static RelDataType rowType(
      RelDataType all, List<Integer> columns, RelDataTypeFactory factory) {
    RelDataTypeFactory.Builder builder = factory.builder();
    columns.forEach(column -> builder.add(all.getFieldList().get(column)));
    return builder.build();
  }

  EnumerableIndexScan withColumns(List<Integer> fields) {
    List<Integer> chosen = fields.stream().map(columns::get).toList();
    return create(getCluster(), optTable, table, chosen, range);
  }

  EnumerableIndexScan withRange(KeyRange other) {
    return create(getCluster(), optTable, table, columns, other);
  }

  @Override
  public RelOptTable getTable() {
    return optTable;
  }

  IndexTable indexTable() {
    return table;
  }

  List<Integer> columns() {
    return columns;
  }

  KeyRange range() {
    return range;
  }

  /** Returns the field that is the key, or -1. */
  int keyField() {
    return columns.indexOf(table.keyColumn());
  }

  String tableName() {
    return String.join(".", optTable.getQualifiedName());
  }

  @Override
  public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
    return new EnumerableIndexScan(getCluster(), traits, optTable, table, columns, range);
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer)
        .item("index", tableName())
        .item("columns", columns.stream().map(column -> table.column(column).name()).toList())
        .itemIf("key", range, !range.isAll());
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    LongIndex index = table.index();
    double rows = table.rowCount();
    if (index == null || range.isAll() || rows == 0) {
      return rows;
    }
    rows *= share(index, range.constant());
    for (KeyRange.Bound bound : range.bounds()) {
      rows = bound.comparison() == Comparison.EQUAL ? Math.min(1, rows) : rows * UNKNOWN_SHARE;
    }
    return Math.max(1, rows);
  }

  /** Returns the share of the keys in a range, as if they were equally far from one another. */
  private static double share(LongIndex index, LongRange range) {
    LongCursor cursor = index.cursor();
    if (!cursor.first()) {
      return 1;
    }
    long first = cursor.key();
    cursor.last();
    LongRange all = new LongRange(first, cursor.key());
    LongRange read = all.intersect(range);
    return read.isEmpty() ? 0 : width(read) / width(all);
  }

  private static double width(LongRange range) {
    return (double) range.to() - range.from() + 1;
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    double rows = mq.getRowCount(this);
    return planner.getCostFactory().makeCost(rows, rows * columns.size(), 0);
  }

  @Override
  public Result implement(EnumerableRelImplementor implementor, Prefer prefer) {
    PhysType physType =
        PhysTypeImpl.of(implementor.getTypeFactory(), getRowType(), JavaRowFormat.ARRAY);
    return implementor.result(
        physType,
        Blocks.toBlock(
            Generated.apply(implementor, new ScanRun(table, columns, range), DataContext.ROOT)));
  }
}
