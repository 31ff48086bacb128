// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of a join's output.
 *
 * @param value the inner side's; null if the row has no partner or the join's type no inner values
 */
record JoinedRow(long key, long payload, boolean matched, @Nullable Long value) {

  /** Takes all rows of an opened join. */
  static List<JoinedRow> drain(IndexNestedLoopJoin join, JoinType type) {
    List<JoinedRow> rows = new ArrayList<>();
    while (join.next()) {
      JoinBatch batch = join.batch();
      for (int row = 0; row < batch.count(); row++) {
        boolean matched = batch.isMatched(row);
        Long value = type.hasInnerValues() && matched ? (Long) batch.innerValue(row) : null;
        rows.add(new JoinedRow(batch.key(row), batch.outerPayload(row), matched, value));
      }
    }
    return rows;
  }

  /** The join by the textbook: a hash table over the inner side, probed row by row. */
  static List<JoinedRow> hashJoin(
      long[] keys, long[] payloads, Map<Long, Long> inner, JoinType type) {
    List<JoinedRow> rows = new ArrayList<>();
    for (int i = 0; i < keys.length; i++) {
      Long value = inner.get(keys[i]);
      boolean matched = value != null;
      boolean kept =
          switch (type) {
            case INNER, SEMI -> matched;
            case LEFT -> true;
            case ANTI -> !matched;
          };
      if (kept) {
        boolean valued = type == JoinType.INNER || type == JoinType.LEFT;
        rows.add(new JoinedRow(keys[i], payloads[i], matched, valued ? value : null));
      }
    }
    return rows;
  }
}
