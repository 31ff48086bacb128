// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.calcite.DataContext;
import org.apache.calcite.linq4j.AbstractEnumerable;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.linq4j.function.Function1;
import org.jspecify.annotations.Nullable;

/** Makes the rows of a scan: arrays, or the values themselves if there is one column. */
final class ScanRun implements Function1<DataContext, Enumerable<Object>> {
  private final IndexTable table;
  private final Column[] columns;
  private final KeyRange range;

  ScanRun(IndexTable table, List<Integer> columns, KeyRange range) {
    this.table = table;
    this.columns = columns.stream().map(table::column).toArray(Column[]::new);
    this.range = range;
  }

  @Override
  public Enumerable<Object> apply(DataContext context) {
    LongRange keys = range.at(context);
    Cancellation cancellation = new Cancellation(context);
    LongIndex index = table.index();
    return new AbstractEnumerable<>() {
      @Override
      public Enumerator<Object> enumerator() {
        return index == null
            ? new Rows((long) table.rowCount(), cancellation)
            : new Entries(index.cursor(), keys, cancellation);
      }
    };
  }

  private Object row(long key, long value) {
    if (columns.length == 1) {
      return columns[0].get(key, value);
    }
    Object[] row = new Object[columns.length];
    for (int field = 0; field < row.length; field++) {
      row[field] = columns[field].get(key, value);
    }
    return row;
  }

  /** Walks over rows, one at a time. */
  private abstract static class Walk implements Enumerator<Object> {
    private final Cancellation cancellation;
    private @Nullable Object current;

    Walk(Cancellation cancellation) {
      this.cancellation = cancellation;
    }

    /** Returns the next row, or null at the end. */
    abstract @Nullable Object next();

    @Override
    public Object current() {
      if (current == null) {
        throw new NoSuchElementException("the scan is on no row");
      }
      return current;
    }

    @Override
    public boolean moveNext() {
      cancellation.check();
      current = next();
      return current != null;
    }

    @Override
    public void reset() {
      throw new UnsupportedOperationException("a scan does not go back");
    }

    @Override
    public void close() {
      current = null;
    }
  }

  private final class Rows extends Walk {
    private final long rows;
    private long row;

    Rows(long rows, Cancellation cancellation) {
      super(cancellation);
      this.rows = rows;
    }

    @Override
    @Nullable Object next() {
      return row == rows ? null : row(row, row++);
    }
  }

  private final class Entries extends Walk {
    private final LongCursor cursor;
    private final LongRange keys;
    private boolean isOpen;
    private boolean atEnd;

    Entries(LongCursor cursor, LongRange keys, Cancellation cancellation) {
      super(cancellation);
      this.cursor = cursor;
      this.keys = keys;
    }

    @Override
    @Nullable Object next() {
      if (atEnd) {
        return null;
      }
      atEnd = !(isOpen ? cursor.next() : open()) || cursor.key() > keys.to();
      return atEnd ? null : row(cursor.key(), cursor.value());
    }

    private boolean open() {
      isOpen = true;
      if (keys.isEmpty()) {
        return false;
      }
      cursor.scanTo(keys.to());
      return cursor.ceiling(keys.from());
    }
  }
}
