// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.LongIndex;
import java.util.Collection;
import java.util.List;
import org.apache.flink.table.data.RowData;

/** A question about rows of two fields of type BIGINT. */
final class LongQuestion implements Question<LongIndex> {
  private static final long serialVersionUID = 1;

  private final LongFormat format;

  /** For each field that the join brings whether it is compared with the key, or the value. */
  private final boolean[] askedIsKey;

  /** The field that is looked up, one that is compared with the key. */
  private final int keyAt;

  /**
   * Makes the question of a lookup join.
   *
   * @param askedIsKey for each field that it brings whether it is the key
   * @throws IllegalArgumentException if the key is not among them
   */
  LongQuestion(LongFormat format, boolean[] askedIsKey) {
    this.format = format;
    this.askedIsKey = askedIsKey;
    int at = 0;
    while (at < askedIsKey.length && !askedIsKey[at]) {
      at++;
    }
    if (at == askedIsKey.length) {
      throw new IllegalArgumentException("the key is not among the fields of the join");
    }
    this.keyAt = at;
  }

  @Override
  public boolean mayHaveAnswer(RowData brought) {
    for (int field = 0; field < askedIsKey.length; field++) {
      if (brought.isNullAt(field)) {
        return false;
      }
    }
    return format.range().contains(key(brought));
  }

  @Override
  public int shard(RowData brought, int shards) {
    return Shards.of(key(brought), shards);
  }

  @Override
  public Collection<RowData> answers(LongIndex index, RowData brought) {
    long key = key(brought);
    long[] value = new long[1];
    return index.find(key, value) ? answer(brought, value[0]) : List.of();
  }

  @Override
  public int fields() {
    return askedIsKey.length;
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
    return List.of(format.row(key, value));
  }
}
