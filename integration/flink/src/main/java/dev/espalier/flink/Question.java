// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * What a lookup join asks: rows whose fields are equal to those of a row that it brings.
 *
 * @param asked for each field that it brings whether it is compared with the key; with the value
 *     otherwise
 * @param keyAt the field that is looked up, one that is compared with the key
 */
record Question(RowLayout layout, List<Boolean> asked, int keyAt) implements Serializable {

  /**
   * Makes the question of a lookup join.
   *
   * @param fields which fields of the table it brings, as Flink says it
   * @throws IllegalArgumentException if the key is not among them
   */
  static Question of(RowLayout layout, int[][] fields) {
    List<Boolean> asked =
        java.util.Arrays.stream(fields).map(field -> layout.fieldIsKey().get(field[0])).toList();
    return new Question(layout, asked, asked.indexOf(true));
  }

  Question {
    asked = List.copyOf(asked);
    if (keyAt < 0) {
      throw new IllegalArgumentException("the key is not among the fields of the join");
    }
  }

  /** Returns whether there can be an answer: nothing is null, and the key is one that is wanted. */
  boolean mayHaveAnswer(RowData brought) {
    for (int field = 0; field < asked.size(); field++) {
      if (brought.isNullAt(field)) {
        return false;
      }
    }
    return layout.range().contains(key(brought));
  }

  long key(RowData brought) {
    return brought.getLong(keyAt);
  }

  /** Returns the answer, given what the index has for the key. */
  Collection<RowData> answer(RowData brought, long value) {
    long key = key(brought);
    for (int field = 0; field < asked.size(); field++) {
      if (brought.getLong(field) != (asked.get(field) ? key : value)) {
        return List.of();
      }
    }
    return List.of(layout.row(key, value));
  }
}
