// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.concurrent.SwappableIndex;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOptions;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;

/** Rows of two fields of type BIGINT, the key and its value, in an index of longs. */
final class LongFormat implements TableFormat<LongIndex> {
  private static final long serialVersionUID = 1;

  private final String keyName;

  /** The field of the table that is the key. */
  private final int keyField;

  /** For each field that is wanted whether it is the key; it is the value otherwise. */
  private final boolean[] fieldIsKey;

  private final LongRange range;

  private LongFormat(String keyName, int keyField, boolean[] fieldIsKey, LongRange range) {
    this.keyName = keyName;
    this.keyField = keyField;
    this.fieldIsKey = fieldIsKey;
    this.range = range;
  }

  /** Returns the format of all rows with both fields. */
  static LongFormat ofTable(String keyName, int keyField) {
    return new LongFormat(
        keyName, keyField, new boolean[] {keyField == 0, keyField == 1}, LongRange.ALL);
  }

  @Override
  public LongIndex open(Path file, FileOptions options) {
    return Espalier.open(file, options);
  }

  @Override
  public SwappableIndex<LongIndex> swappable(LongIndex first) {
    return SwappableIndex.of(first);
  }

  @Override
  public Optional<TableFormat<LongIndex>> narrowedTo(ResolvedExpression condition) {
    return new KeyConditions<>(keyName, LongRange.BOUNDS)
        .range(condition)
        .map(other -> new LongFormat(keyName, keyField, fieldIsKey, range.intersect(other)));
  }

  @Override
  public TableFormat<LongIndex> withFields(int[][] fields) {
    return new LongFormat(keyName, keyField, areKey(fields), range);
  }

  @Override
  public LongQuestion question(int[][] fields) {
    return new LongQuestion(this, areKey(fields));
  }

  /** Returns for each of some fields, as Flink names them, whether it is the key. */
  private boolean[] areKey(int[][] fields) {
    boolean[] areKey = new boolean[fields.length];
    for (int i = 0; i < fields.length; i++) {
      areKey[i] = fieldIsKey[fields[i][0]];
    }
    return areKey;
  }

  @Override
  public Iterator<RowData> rows(LongIndex index) {
    LongCursor cursor = index.cursor();
    cursor.scanTo(range.to());
    return new Rows(cursor);
  }

  @Override
  public int shard(RowData row, int shards) {
    return Shards.of(row.getLong(keyField), shards);
  }

  @Override
  public RowCollector collector(Path file, long memoryBytes) {
    return new LongCollector(file, keyField, memoryBytes);
  }

  /** Returns the keys that are wanted. */
  LongRange range() {
    return range;
  }

  RowData row(long key, long value) {
    GenericRowData row = new GenericRowData(fieldIsKey.length);
    for (int field = 0; field < fieldIsKey.length; field++) {
      row.setField(field, fieldIsKey[field] ? key : value);
    }
    return row;
  }

  private final class Rows implements Iterator<RowData> {
    private final LongCursor cursor;
    private boolean isOnRow;

    Rows(LongCursor cursor) {
      this.cursor = cursor;
      this.isOnRow = cursor.ceiling(range.from());
    }

    @Override
    public boolean hasNext() {
      return isOnRow && cursor.key() <= range.to();
    }

    @Override
    public RowData next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      RowData row = row(cursor.key(), cursor.value());
      isOnRow = cursor.next();
      return row;
    }
  }
}
