// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sql;

import dev.espalier.LongIndex;
import dev.espalier.calcite.Column;
import dev.espalier.calcite.IndexTable;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Rows of a table while it is generated, column by column. */
final class Rows {
  /** Strings that are kept once for each column, as long as there are few. */
  private static final int FEW = 1024;

  private final boolean hasKey;
  private final List<Values> columns = new ArrayList<>();

  /** The order of the rows; none if they stay as they came. */
  private int[] order = {};

  private Rows(boolean hasKey) {
    this.hasKey = hasKey;
  }

  static Rows withoutKey() {
    return new Rows(false);
  }

  /** Makes a table whose first column is the key of its index, and ascends. */
  static Rows withKey(String name) {
    return new Rows(true).longs(name);
  }

  Rows longs(String name) {
    columns.add(new Numbers(name, -1));
    return this;
  }

  Rows decimals(String name, int scale) {
    columns.add(new Numbers(name, scale));
    return this;
  }

  Rows ints(String name) {
    columns.add(new Ints(name, false));
    return this;
  }

  Rows dates(String name) {
    columns.add(new Ints(name, true));
    return this;
  }

  Rows strings(String name) {
    columns.add(new Strings(name));
    return this;
  }

  void add(Object... row) {
    for (int column = 0; column < row.length; column++) {
      columns.get(column).add(row[column]);
    }
  }

  /** Puts the rows into the order of a column of dates; those of one day stay as they are. */
  void sortBy(String name) {
    for (Values column : columns) {
      if (column instanceof Ints dates && dates.name.equals(name)) {
        // Numbers of rows in the lower half keep the order of equal ones.
        long[] sorted = new long[dates.values.size()];
        for (int row = 0; row < sorted.length; row++) {
          sorted[row] = (long) dates.values.getInt(row) << Integer.SIZE | row;
        }
        Arrays.parallelSort(sorted);
        order = new int[sorted.length];
        for (int row = 0; row < sorted.length; row++) {
          order[row] = (int) sorted[row];
        }
      }
    }
  }

  boolean hasKey() {
    return hasKey;
  }

  IndexTable withoutIndex() {
    IntUnaryOperator source = order.length == 0 ? row -> row : row -> order[row];
    return IndexTable.ofRows(columns.stream().map(column -> column.column(source)).toList());
  }

  /** Fills an index with the numbers of the rows by their keys. */
  IndexTable withIndex(LongIndex index) {
    Numbers key = (Numbers) columns.getFirst();
    long[] rows = IntStream.range(0, key.values.size()).asLongStream().toArray();
    index.bulkload(key.values.toLongArray(), rows);
    List<Column> all = new ArrayList<>(List.of(Column.key(key.name)));
    columns.stream().skip(1).map(column -> column.column(row -> row)).forEach(all::add);
    return IndexTable.of(index, all);
  }

  private abstract static class Values {
    final String name;

    Values(String name) {
      this.name = name;
    }

    abstract void add(Object value);

    /** Returns the column, with rows taken from where the operator says. */
    abstract Column column(IntUnaryOperator source);
  }

  private static final class Numbers extends Values {
    private final int scale;
    private final LongArrayList values = new LongArrayList();

    /** A scale below 0 makes a BIGINT. */
    Numbers(String name, int scale) {
      super(name);
      this.scale = scale;
    }

    @Override
    void add(Object value) {
      values.add((long) value);
    }

    @Override
    Column column(IntUnaryOperator source) {
      long[] taken = new long[values.size()];
      Arrays.setAll(taken, row -> values.getLong(source.applyAsInt(row)));
      return scale < 0 ? Column.longs(name, taken) : Column.decimals(name, scale, taken);
    }
  }

  private static final class Ints extends Values {
    private final boolean areDates;
    private final IntArrayList values = new IntArrayList();

    Ints(String name, boolean areDates) {
      super(name);
      this.areDates = areDates;
    }

    @Override
    void add(Object value) {
      values.add((int) value);
    }

    @Override
    Column column(IntUnaryOperator source) {
      int[] taken = new int[values.size()];
      Arrays.setAll(taken, row -> values.getInt(source.applyAsInt(row)));
      return areDates ? Column.dates(name, taken) : Column.ints(name, taken);
    }
  }

  private static final class Strings extends Values {
    private final Map<String, String> known = new HashMap<>();
    private final List<String> values = new ArrayList<>();

    Strings(String name) {
      super(name);
    }

    @Override
    void add(Object value) {
      String text = (String) value;
      values.add(known.size() < FEW ? known.computeIfAbsent(text, same -> same) : text);
    }

    @Override
    Column column(IntUnaryOperator source) {
      String[] taken = new String[values.size()];
      Arrays.setAll(taken, row -> values.get(source.applyAsInt(row)));
      return Column.strings(name, taken);
    }
  }
}
