// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.util.List;
import java.util.Optional;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * The columns of a table as it was declared.
 *
 * @param key which of them are the key, at least one
 */
record TableColumns(List<String> names, List<LogicalType> types, List<Integer> key) {

  /**
   * Returns the columns of a table.
   *
   * @throws ValidationException if one can't be kept in an index file; the message names it
   */
  static TableColumns of(DynamicTableFactory.Context context) {
    List<Column> columns =
        context.getCatalogTable().getResolvedSchema().getColumns().stream()
            .filter(Column::isPhysical)
            .toList();
    List<String> names = columns.stream().map(Column::getName).toList();
    List<LogicalType> types =
        columns.stream().map(column -> column.getDataType().getLogicalType()).toList();
    Optional<UniqueConstraint> primaryKey =
        context.getCatalogTable().getResolvedSchema().getPrimaryKey();
    List<Integer> key =
        primaryKey
            .map(declared -> declared.getColumns().stream().map(names::indexOf).toList())
            .orElse(List.of(0));
    TableColumns all = new TableColumns(names, types, key);
    all.check(context.getObjectIdentifier().asSummaryString());
    return all;
  }

  private void check(String table) {
    for (int column = 0; column < names.size(); column++) {
      Optional<TupleType> type = TupleType.of(types.get(column));
      if (type.isEmpty()) {
        throw refusal(table, column, "which an index file can't keep");
      }
      if (key.contains(column) && !type.get().isForKeys()) {
        throw refusal(table, column, "which can't be a key");
      }
    }
  }

  private ValidationException refusal(String table, int column, String why) {
    return new ValidationException(
        "Column '%s' of table %s has type %s, %s"
            .formatted(names.get(column), table, types.get(column).asSummaryString(), why));
  }

  /** Returns the first column of the key. */
  String firstOfKey() {
    return names.get(key.getFirst());
  }

  /** Returns how rows with these columns are kept. */
  TableFormat<?> format() {
    boolean areLongs = types.stream().allMatch(type -> type.is(LogicalTypeRoot.BIGINT));
    if (areLongs && types.size() == 2 && key.size() == 1) {
      return LongFormat.ofTable(firstOfKey(), key.getFirst());
    }
    return TupleFormat.ofTable(
        new TupleColumns(names, types, key.stream().mapToInt(column -> column).toArray()));
  }
}
