// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.concurrent.SwappableIndex;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOptions;
import dev.espalier.io.StoreOptions;
import dev.espalier.tuple.TupleWriter;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.jspecify.annotations.Nullable;

/** Rows of any columns in an index of byte strings, the key and the other fields as tuples. */
final class TupleFormat implements TableFormat<BytesIndex> {
  private static final long serialVersionUID = 1;

  private final TupleColumns columns;

  /** The columns that are wanted, in their order. */
  private final int[] fields;

  private final TupleRange range;

  private TupleFormat(TupleColumns columns, int[] fields, TupleRange range) {
    this.columns = columns;
    this.fields = fields;
    this.range = range;
  }

  /** Returns the format of all rows with all columns. */
  static TupleFormat ofTable(TupleColumns columns) {
    return new TupleFormat(columns, IntStream.range(0, columns.count()).toArray(), TupleRange.ALL);
  }

  @Override
  public BytesIndex open(Path file, FileOptions options) {
    return Espalier.openBytes(file, StoreOptions.DEFAULT.withFiles(options));
  }

  @Override
  public SwappableIndex<BytesIndex> swappable(BytesIndex first) {
    return SwappableIndex.of(first);
  }

  @Override
  public Optional<TableFormat<BytesIndex>> narrowedTo(ResolvedExpression condition) {
    int first = columns.keyColumn(0);
    return new KeyConditions<>(columns.name(first), new TupleBounds(columns.type(first)))
        .range(condition)
        .map(other -> new TupleFormat(columns, fields, range.intersect(other)));
  }

  @Override
  public TableFormat<BytesIndex> withFields(int[][] wanted) {
    return new TupleFormat(columns, columnsOf(wanted), range);
  }

  @Override
  public Question<BytesIndex> question(int[][] brought) {
    return new TupleQuestion(this, columns, columnsOf(brought));
  }

  /** Returns the columns of the table that some fields are, as Flink names them. */
  private int[] columnsOf(int[][] wanted) {
    int[] found = new int[wanted.length];
    for (int i = 0; i < wanted.length; i++) {
      found[i] = fields[wanted[i][0]];
    }
    return found;
  }

  @Override
  public Iterator<RowData> rows(BytesIndex index) {
    return rows(index, range);
  }

  @Override
  public int shard(RowData row, int shards) {
    TupleWriter part = new TupleWriter();
    int column = columns.keyColumn(0);
    columns.write(part, column, columns.getter(column, column).getFieldOrNull(row));
    return Shards.of(part.toBytes(), part.size(), shards);
  }

  @Override
  public RowCollector collector(Path file, long memoryBytes) {
    return new TupleCollector(columns, file, memoryBytes);
  }

  /** Returns the keys that are wanted. */
  TupleRange range() {
    return range;
  }

  /** Returns the rows whose keys are in a range, in the order of their keys. */
  Iterator<RowData> rows(BytesIndex index, TupleRange keys) {
    return new Rows(index.cursor(), keys);
  }

  /** Returns a row of the fields that are wanted, given those of all columns. */
  RowData row(@Nullable Object[] all) {
    GenericRowData row = new GenericRowData(fields.length);
    for (int field = 0; field < fields.length; field++) {
      row.setField(field, all[fields[field]]);
    }
    return row;
  }

  private final class Rows implements Iterator<RowData> {
    private final BytesCursor cursor;
    private final TupleRange keys;
    private byte @Nullable [] key;

    Rows(BytesCursor cursor, TupleRange keys) {
      this.cursor = cursor;
      this.keys = keys;
      if (keys.to() != null) {
        cursor.scanTo(MemorySegment.ofArray(keys.to()));
      }
      take(keys.goToFirst(cursor));
    }

    private void take(boolean isOnEntry) {
      key = isOnEntry ? cursor.keyArray() : null;
      if (key != null && keys.isBefore(key)) {
        key = null;
      }
    }

    @Override
    public boolean hasNext() {
      return key != null;
    }

    @Override
    public RowData next() {
      if (key == null) {
        throw new NoSuchElementException();
      }
      RowData row = row(columns.read(key, cursor.valueArray()));
      take(cursor.next());
      return row;
    }
  }
}
