// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongIndex;
import java.util.Objects;

/**
 * The index-nested-loop join: looks up the key of each row of the outer side in an index, the inner
 * side.
 *
 * <p>An operator in the iterator model, which produces its output batch by batch:
 *
 * {@snippet :
 * try (var join = new IndexNestedLoopJoin(outer, orders, JoinOptions.DEFAULT)) {
 *   join.open();
 *   while (join.next()) {
 *     JoinBatch rows = join.batch();
 *     for (int row = 0; row < rows.count(); row++) {
 *       consume(rows.outerPayload(row), rows.innerValue(row));
 *     }
 *   }
 * }
 * }
 *
 * <p>If the index is far larger than the cache, the lookups of large batches are buffered ({@link
 * dev.espalier.batch.BatchLookup}), which temporarily takes another 16 bytes per row. An index
 * behind a lock supports the methods {@code AUTO} and {@code SINGLE} only.
 *
 * <p>A join allocates memory once, about 25 bytes per row of the batch size. Rows come out in the
 * order of the outer side, unless the options allow any order. Closing the join does not close the
 * index. The index may be changed between two calls of {@link #next}; later rows then reflect its
 * new state. A join is used by one thread at a time; several joins may read the same index.
 *
 * <p>The index may hold any values, including its {@code missingValue()}: a row has a partner if
 * its key is present. Each key is looked up once.
 */
public final class IndexNestedLoopJoin implements BatchJoin<JoinBatch> {
  private final OuterSource outer;
  private final JoinBatch batch;
  private final BatchProbe probe;
  private final JoinProgress progress = new JoinProgress();

  /**
   * Creates a join, which must then be opened.
   *
   * @param outer the outer side, opened and closed by the join
   * @param inner the index to look up keys in
   * @param options the type of the join, and how to look up keys
   * @throws IllegalStateException if the index is closed and the options leave the batch size to
   *     the join
   */
  public IndexNestedLoopJoin(OuterSource outer, LongIndex inner, JoinOptions options) {
    this.outer = Objects.requireNonNull(outer, "outer is null");
    Objects.requireNonNull(inner, "inner is null");
    Objects.requireNonNull(options, "options is null");
    this.batch = JoinBatch.ofEqualKeys(options.type(), BatchProbe.batchSize(inner, options));
    this.probe = new BatchProbe(inner, options, batch);
  }

  @Override
  public void open() {
    progress.open(outer::open);
  }

  @Override
  public boolean next() {
    progress.checkOpen();
    batch.clear();
    while (!progress.isAtEnd() && batch.count() == 0) {
      int rows = progress.read(outer.nextBatch(batch.keys, batch.payloads), batch.keys.length);
      if (rows > 0) {
        probe.probe(rows);
        batch.keep(rows);
      }
    }
    return progress.giveOut(batch.count());
  }

  @Override
  public JoinBatch batch() {
    return batch;
  }

  @Override
  public JoinStatistics statistics() {
    return progress.statistics(probe.choice());
  }

  @Override
  public void close() {
    if (progress.close()) {
      batch.clear();
      probe.close();
      outer.close();
    }
  }
}
