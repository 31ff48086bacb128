// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import org.apache.flink.table.data.RowData;

/** What a lookup join asks: rows whose fields are equal to those of a row that it brings. */
final class Question implements Serializable {
  private static final long serialVersionUID = 1;

  private final RowLayout layout;

  /** For each field that the join brings whether it is compared with the key, or the value. */
  private final boolean[] askedIsKey;

  /** The field that is looked up, one that is compared with the key. */
  private final int keyAt;

  /**
   * Makes the question of a lookup join.
   *
   * @param fields which fields of the table it brings, as Flink names them
   * @throws IllegalArgumentException if the key is not among them
   */
  Question(RowLayout layout, int[][] fields) {
    this.layout = layout;
    this.askedIsKey = layout.areKey(fields);
    int at = 0;
    while (at < askedIsKey.length && !askedIsKey[at]) {
      at++;
    }
    if (at == askedIsKey.length) {
      throw new IllegalArgumentException("the key is not among the fields of the join");
    }
    this.keyAt = at;
  }

  /** Returns whether there can be an answer: nothing is null, and the key is one that is wanted. */
  boolean mayHaveAnswer(RowData brought) {
    for (int field = 0; field < askedIsKey.length; field++) {
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
    for (int field = 0; field < askedIsKey.length; field++) {
      if (brought.getLong(field) != (askedIsKey[field] ? key : value)) {
        return List.of();
      }
    }
    return List.of(layout.row(key, value));
  }
}
