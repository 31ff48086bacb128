// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import dev.espalier.LongIndex;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.apache.calcite.DataContext;
import org.apache.calcite.linq4j.AbstractEnumerable;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.linq4j.function.Function1;
import org.apache.calcite.linq4j.function.Function2;
import org.apache.calcite.linq4j.function.Predicate1;
import org.apache.calcite.rel.core.JoinRelType;
import org.jspecify.annotations.Nullable;

/**
 * Runs a join: gathers rows of the outer side, looks up their keys together, and makes the rows
 * that come out. Those of the inner side are written straight into them.
 */
final class JoinRun
    implements Function1<
        DataContext,
        Function2<Enumerable<Object>, @Nullable Predicate1<Object[]>, Enumerable<Object>>> {
  /** The most rows that are gathered: enough to hide misses, and few enough to stay cached. */
  static final int BATCH = 1024;

  /** Rows of the first batch: statements that end early shall not read much. */
  private static final int FIRST_BATCH = 64;

  private final JoinRelType type;
  private final LongIndex index;
  private final Column[] columns;
  private final KeyRange range;
  private final int outerKey;
  private final int outerFields;

  JoinRun(
      JoinRelType type,
      IndexTable table,
      List<Integer> columns,
      KeyRange range,
      int outerKey,
      int outerFields) {
    this.type = type;
    this.index = Objects.requireNonNull(table.index());
    this.columns = columns.stream().map(table::column).toArray(Column[]::new);
    this.range = range;
    this.outerKey = outerKey;
    this.outerFields = outerFields;
  }

  @Override
  public Function2<Enumerable<Object>, @Nullable Predicate1<Object[]>, Enumerable<Object>> apply(
      DataContext context) {
    LongRange keys = range.at(context);
    Cancellation cancellation = new Cancellation(context);
    return (outer, residual) ->
        new AbstractEnumerable<>() {
          @Override
          public Enumerator<Object> enumerator() {
            return new Rows(outer.enumerator(), residual, keys, cancellation);
          }
        };
  }

  private final class Rows implements Enumerator<Object> {
    private final Enumerator<Object> outer;
    private final @Nullable Predicate1<Object[]> residual;
    private final LongRange keyRange;
    private final Cancellation cancellation;

    /** Rows of the outer side; those of the inner side are in the same places. */
    private final @Nullable Object[] rows = new @Nullable Object[BATCH];

    private final long[] keys = new long[BATCH];
    private final long[] values = new long[BATCH];
    private final long[] found = new long[BATCH / Long.SIZE];

    /** Bits of rows whose key is null or outside of the range. */
    private final long[] without = new long[BATCH / Long.SIZE];

    private int batch = FIRST_BATCH;
    private int count;
    private int place;
    private boolean atEnd;
    private boolean isOnRow;

    /** The row that comes out: null if it has but one column, which is null. */
    private @Nullable Object current;

    /** A row of both sides that did not come out, to be used for the next one. */
    private @Nullable Object @Nullable [] spare;

    Rows(
        Enumerator<Object> outer,
        @Nullable Predicate1<Object[]> residual,
        LongRange keyRange,
        Cancellation cancellation) {
      this.outer = outer;
      this.residual = residual;
      this.keyRange = keyRange;
      this.cancellation = cancellation;
    }

    @Override
    public boolean moveNext() {
      current = null;
      isOnRow = false;
      while (!isOnRow) {
        if (place == count && !gather()) {
          return false;
        }
        isOnRow = join(place++);
      }
      return true;
    }

    /** Fills the next batch, and returns whether it has a row. */
    private boolean gather() {
      cancellation.check();
      place = 0;
      count = 0;
      Arrays.fill(without, 0);
      while (!atEnd && count < batch) {
        if (outer.moveNext()) {
          add(outer.current());
        } else {
          atEnd = true;
        }
      }
      index.getAll(keys, 0, values, 0, count, found);
      batch = Math.min(BATCH, 4 * batch);
      return count > 0;
    }

    private void add(@Nullable Object row) {
      @Nullable Object key = row instanceof Object[] fields ? fields[outerKey] : row;
      if (key instanceof Number number && keyRange.contains(number.longValue())) {
        keys[count] = number.longValue();
      } else {
        keys[count] = 0;
        without[count / Long.SIZE] |= 1L << count;
      }
      rows[count++] = row;
    }

    /** Makes what comes out for a row of the outer side, and returns whether anything does. */
    private boolean join(int place) {
      long bit = 1L << place;
      int word = place / Long.SIZE;
      boolean isFound = (found[word] & ~without[word] & bit) != 0;
      @Nullable Object row = rows[place];
      if (!type.projectsRight()) {
        current = row;
        boolean hasPartner = isFound && (residual == null || residual.apply(pair(row, place)));
        return hasPartner == (type == JoinRelType.SEMI);
      }
      if (isFound) {
        @Nullable Object[] pair = pair(row, place);
        if (residual == null || residual.apply(pair)) {
          spare = null;
          current = pair;
          return true;
        }
      }
      if (type == JoinRelType.LEFT) {
        current = withoutPartner(row);
        return true;
      }
      return false;
    }

    private @Nullable Object[] pair(@Nullable Object row, int place) {
      @Nullable Object[] pair =
          spare == null ? new @Nullable Object[outerFields + columns.length] : spare;
      spare = residual == null ? null : pair;
      copy(row, pair);
      for (int field = 0; field < columns.length; field++) {
        pair[outerFields + field] = columns[field].get(keys[place], values[place]);
      }
      return pair;
    }

    private @Nullable Object[] withoutPartner(@Nullable Object row) {
      @Nullable Object[] pair = new @Nullable Object[outerFields + columns.length];
      copy(row, pair);
      return pair;
    }

    private void copy(@Nullable Object row, @Nullable Object[] pair) {
      if (row instanceof Object[] fields) {
        System.arraycopy(fields, 0, pair, 0, outerFields);
      } else {
        pair[0] = row;
      }
    }

    @Override
    public @Nullable Object current() {
      if (!isOnRow) {
        throw new NoSuchElementException("the join is on no row");
      }
      return current;
    }

    @Override
    public void reset() {
      throw new UnsupportedOperationException("a join does not go back");
    }

    @Override
    public void close() {
      outer.close();
    }
  }
}
