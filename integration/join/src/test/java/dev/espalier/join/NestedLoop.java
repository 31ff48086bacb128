// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Joins as textbooks begin them: each outer row is compared with all entries of the inner side. */
final class NestedLoop {
  private NestedLoop() {}

  /** An entry of the inner side. */
  record Entry(long key, long value) {}

  /**
   * A row of a join's output.
   *
   * @param partner null if the row has none, or the join's type no inner values
   */
  record Row(long key, long payload, boolean matched, @Nullable Entry partner) {}

  /** Says which entries are the partners of an outer row, in their order. */
  interface Partners {
    List<Entry> of(int outerRow);
  }

  /** Returns the output of a join. */
  static List<Row> join(long[] keys, long[] payloads, JoinType type, Partners partners) {
    List<Row> rows = new ArrayList<>();
    for (int row = 0; row < keys.length; row++) {
      List<Entry> found = partners.of(row);
      boolean matched = !found.isEmpty();
      switch (type) {
        case INNER -> add(rows, keys[row], payloads[row], found);
        case LEFT -> {
          add(rows, keys[row], payloads[row], found);
          if (!matched) {
            rows.add(new Row(keys[row], payloads[row], false, null));
          }
        }
        case SEMI, ANTI -> {
          if (matched == (type == JoinType.SEMI)) {
            rows.add(new Row(keys[row], payloads[row], matched, null));
          }
        }
      }
    }
    return rows;
  }

  private static void add(List<Row> rows, long key, long payload, List<Entry> partners) {
    partners.forEach(partner -> rows.add(new Row(key, payload, true, partner)));
  }

  /** Opens a join, takes all its rows, and closes it. */
  static List<Row> drain(BatchJoin<JoinBatch> join, JoinType type) {
    List<Row> rows = new ArrayList<>();
    try (join) {
      join.open();
      while (join.next()) {
        addAll(join.batch(), type, rows);
      }
    }
    return rows;
  }

  /** Adds copies of the rows of a batch to a list. */
  static void addAll(JoinBatch batch, JoinType type, List<Row> rows) {
    for (int row = 0; row < batch.count(); row++) {
      boolean matched = batch.isMatched(row);
      Entry partner =
          matched && type.hasInnerValues()
              ? new Entry(batch.innerKey(row), batch.innerValue(row))
              : null;
      rows.add(new Row(batch.key(row), batch.outerPayload(row), matched, partner));
    }
  }

  /** Returns what several threads give out, in any order. */
  static List<Row> gather(JoinType type, Parallel run) {
    List<Row> rows = Collections.synchronizedList(new ArrayList<>());
    run.to(
        (_, batch) -> {
          List<Row> some = new ArrayList<>();
          addAll(batch, type, some);
          rows.addAll(some);
        });
    return rows;
  }

  /** Runs a join by several threads. */
  interface Parallel {
    JoinStatistics to(ParallelJoin.Output<JoinBatch> output);
  }
}
