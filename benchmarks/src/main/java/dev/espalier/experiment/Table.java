// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The rows of an experiment, in typed columns. */
public final class Table {
  private final List<Column> columns;
  private final List<List<Object>> rows = new ArrayList<>();

  /** Makes a table without rows. */
  public Table(Column... columns) {
    this.columns = List.of(columns);
  }

  /**
   * Adds a row.
   *
   * @param values one for each column
   * @throws IllegalArgumentException if a value is missing, not of its column's type or not finite
   */
  public void add(Object... values) {
    if (values.length != columns.size()) {
      throw new IllegalArgumentException(values.length + " values for columns " + columns);
    }
    List<Object> row = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      row.add(columns.get(i).checked(values[i]));
    }
    rows.add(List.copyOf(row));
  }

  /** Returns the columns. */
  public List<Column> columns() {
    return columns;
  }

  /** Returns the rows; their values are of type String, Long or Double. */
  public List<List<Object>> rows() {
    return Collections.unmodifiableList(rows);
  }

  /**
   * Returns a column.
   *
   * @throws IllegalArgumentException if none has that name
   */
  public Column column(String name) {
    return columns.get(indexOf(name));
  }

  /**
   * Returns the numbers of one column.
   *
   * @throws IllegalArgumentException if no column has that name
   * @throws ClassCastException if it holds texts
   */
  public double[] numbers(String name) {
    int column = indexOf(name);
    return rows.stream().mapToDouble(row -> ((Number) row.get(column)).doubleValue()).toArray();
  }

  /**
   * Returns the texts of one column.
   *
   * @throws IllegalArgumentException if no column has that name
   */
  public List<String> texts(String name) {
    int column = indexOf(name);
    return rows.stream().map(row -> row.get(column).toString()).toList();
  }

  /**
   * Returns the rows with each text of a column as a table, in the order of the texts' first rows.
   *
   * @throws IllegalArgumentException if no column has that name
   */
  public Map<String, Table> by(String name) {
    int column = indexOf(name);
    Map<String, Table> parts = new LinkedHashMap<>();
    for (List<Object> row : rows) {
      parts
          .computeIfAbsent(
              row.get(column).toString(), _ -> new Table(columns.toArray(Column[]::new)))
          .rows
          .add(row);
    }
    return parts;
  }

  /**
   * Returns the rows with one text of a column.
   *
   * @throws IllegalArgumentException if no column has that name, or no row that text
   */
  public Table where(String name, String text) {
    Table part = by(name).get(text);
    if (part == null) {
      throw new IllegalArgumentException("no row has " + text + " as " + name);
    }
    return part;
  }

  /**
   * Returns the rows whose text in a column passes a test.
   *
   * @throws IllegalArgumentException if no column has that name
   */
  public Table where(String name, Predicate<String> test) {
    int column = indexOf(name);
    Table part = new Table(columns.toArray(Column[]::new));
    rows.stream().filter(row -> test.test(row.get(column).toString())).forEach(part.rows::add);
    return part;
  }

  private int indexOf(String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("no column " + name + " among " + columns);
  }
}
