// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.Serializable;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;

/**
 * Which fields the rows of a table have, and which rows are wanted.
 *
 * @param fieldIsKey for each field of a row whether it is the key; it is the value otherwise
 * @param range the keys that are wanted
 */
record RowLayout(List<Boolean> fieldIsKey, LongRange range) implements Serializable {

  RowLayout {
    fieldIsKey = List.copyOf(fieldIsKey);
  }

  RowLayout withFields(int[][] fields) {
    List<Boolean> chosen =
        java.util.Arrays.stream(fields).map(field -> fieldIsKey.get(field[0])).toList();
    return new RowLayout(chosen, range);
  }

  RowLayout withRange(LongRange other) {
    return new RowLayout(fieldIsKey, other);
  }

  RowData row(long key, long value) {
    GenericRowData row = new GenericRowData(fieldIsKey.size());
    for (int field = 0; field < fieldIsKey.size(); field++) {
      row.setField(field, fieldIsKey.get(field) ? key : value);
    }
    return row;
  }
}
