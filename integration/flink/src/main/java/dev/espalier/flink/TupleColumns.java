// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.tuple.TupleReader;
import dev.espalier.tuple.TupleWriter;
import java.io.Serializable;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table whose rows are kept as tuples: those of the key, in their order, are one,
 * and the others, in the order of the table, another.
 */
final class TupleColumns implements Serializable {
  private static final long serialVersionUID = 1;

  private final String[] names;
  private final LogicalType[] types;
  private final TupleType[] tupleTypes;

  /** The columns of the key. */
  private final int[] key;

  /** All others. */
  private final int[] rest;

  private final RowData.FieldGetter[] getters;

  /**
   * Takes the columns of a table.
   *
   * @param key which of them are the key; at least one
   */
  TupleColumns(List<String> names, List<LogicalType> types, int[] key) {
    this.names = names.toArray(String[]::new);
    this.types = types.toArray(LogicalType[]::new);
    this.tupleTypes =
        types.stream().map(type -> TupleType.of(type).orElseThrow()).toArray(TupleType[]::new);
    this.key = key;
    boolean[] isKey = new boolean[this.types.length];
    for (int column : key) {
      isKey[column] = true;
    }
    this.rest = IntStream.range(0, isKey.length).filter(i -> !isKey[i]).toArray();
    this.getters = new RowData.FieldGetter[isKey.length];
    for (int column = 0; column < isKey.length; column++) {
      getters[column] = getter(column, column);
    }
  }

  /** Returns the number of columns. */
  int count() {
    return types.length;
  }

  /** Returns the number of columns of the key. */
  int keyCount() {
    return key.length;
  }

  /** Returns a column of the key. */
  int keyColumn(int i) {
    return key[i];
  }

  String name(int column) {
    return names[column];
  }

  LogicalType type(int column) {
    return types[column];
  }

  /** Returns what reads a field of a row that has the type of a column. */
  RowData.FieldGetter getter(int column, int field) {
    return RowData.createFieldGetter(types[column], field);
  }

  /** Adds a field that has the type of a column, in Flink's internal form. */
  void write(TupleWriter tuple, int column, @Nullable Object field) {
    if (field == null) {
      tuple.addNull();
    } else {
      tupleTypes[column].write(tuple, field);
    }
  }

  /**
   * Writes the key of a row of the table.
   *
   * @return the column of it that is null, or -1 if none is
   */
  int writeKey(TupleWriter tuple, RowData row) {
    for (int column : key) {
      Object field = getters[column].getFieldOrNull(row);
      if (field == null) {
        return column;
      }
      write(tuple, column, field);
    }
    return -1;
  }

  /** Writes what is not the key of a row of the table. */
  void writeRest(TupleWriter tuple, RowData row) {
    for (int column : rest) {
      write(tuple, column, getters[column].getFieldOrNull(row));
    }
  }

  /**
   * Returns all fields of a row, in the order of the table and in Flink's internal form.
   *
   * @throws IllegalArgumentException if the entry is none of such a table; the message says so
   */
  @Nullable Object[] read(byte[] keyTuple, byte[] restTuple) {
    @Nullable Object[] fields = new Object[types.length];
    try {
      read(fields, key, new TupleReader(keyTuple));
      read(fields, rest, new TupleReader(restTuple));
    } catch (ClassCastException | IllegalArgumentException | NoSuchElementException e) {
      throw new IllegalArgumentException(
          "an entry of the index is no row with the columns " + String.join(", ", names), e);
    }
    return fields;
  }

  private void read(@Nullable Object[] fields, int[] columns, TupleReader tuple) {
    for (int column : columns) {
      Object part = tuple.next();
      fields[column] = part == null ? null : tupleTypes[column].read(part, types[column]);
    }
    if (tuple.hasNext()) {
      throw new IllegalArgumentException("there are more parts than columns");
    }
  }
}
