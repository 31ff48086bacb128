// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.Serializable;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;

/** Which fields the rows of a table have, and which rows are wanted. */
final class RowLayout implements Serializable {
  private static final long serialVersionUID = 1;

  /** For each field of a row whether it is the key; it is the value otherwise. */
  private final boolean[] fieldIsKey;

  private final LongRange range;

  private RowLayout(boolean[] fieldIsKey, LongRange range) {
    this.fieldIsKey = fieldIsKey;
    this.range = range;
  }

  /** Returns the layout of all rows with both fields. */
  static RowLayout ofTable(int keyField) {
    return new RowLayout(new boolean[] {keyField == 0, keyField == 1}, LongRange.ALL);
  }

  /** Returns the keys that are wanted. */
  LongRange range() {
    return range;
  }

  /** Returns for each of some fields, as Flink names them, whether it is the key. */
  boolean[] areKey(int[][] fields) {
    boolean[] areKey = new boolean[fields.length];
    for (int i = 0; i < fields.length; i++) {
      areKey[i] = fieldIsKey[fields[i][0]];
    }
    return areKey;
  }

  RowLayout withFields(int[][] fields) {
    return new RowLayout(areKey(fields), range);
  }

  RowLayout withRange(LongRange other) {
    return new RowLayout(fieldIsKey, other);
  }

  RowData row(long key, long value) {
    GenericRowData row = new GenericRowData(fieldIsKey.length);
    for (int field = 0; field < fieldIsKey.length; field++) {
      row.setField(field, fieldIsKey[field] ? key : value);
    }
    return row;
  }
}
