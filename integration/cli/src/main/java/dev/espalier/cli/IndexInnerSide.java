// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.join.IndexNestedLoopJoin;
import dev.espalier.join.JoinBatch;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.JoinStatistics;
import dev.espalier.join.ParallelJoin;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** An index of the family, probed by the join operator. */
final class IndexInnerSide implements InnerSide<LongJoinInput> {
  private final LongIndex index;
  private final int threads;

  /**
   * Makes an inner side of an index.
   *
   * @param threads how many probe it at once
   */
  IndexInnerSide(LongIndex index, int threads) {
    this.index = index;
    this.threads = threads;
  }

  static Kind<LongJoinInput> kind(TreeVariant variant, List<ProbeMethod> methods, int threads) {
    return new Kind<LongJoinInput>(
            variant.name(),
            methods,
            input -> new IndexInnerSide(load(variant, input.innerKeys()), threads))
        .probedBy(threads);
  }

  private static LongIndex load(TreeVariant variant, long[] keys) {
    LongIndex index = variant.create(IndexOptions.DEFAULT);
    index.bulkload(new RowNumbers(keys), 1.0, keys.length, ProgressListener.NONE);
    return index;
  }

  @Override
  public long bytes(long heapGrowth) {
    return index.statistics().usedBytes();
  }

  @Override
  public JoinDigest join(LongJoinInput input, JoinOptions options) {
    if (threads > 1) {
      return joinInParallel(input, options);
    }
    try (var join = new IndexNestedLoopJoin(input.outer(), index, options)) {
      join.open();
      long checksum = 0;
      while (join.next()) {
        checksum += checksumOf(join.batch());
      }
      return new JoinDigest(join.statistics().rowsOut(), checksum);
    }
  }

  private JoinDigest joinInParallel(LongJoinInput input, JoinOptions options) {
    LongAdder checksum = new LongAdder();
    JoinStatistics done =
        ParallelJoin.run(
            input.outer(), index, options, threads, (_, rows) -> checksum.add(checksumOf(rows)));
    return new JoinDigest(done.rowsOut(), checksum.sum());
  }

  private static long checksumOf(JoinBatch rows) {
    long checksum = 0;
    for (int row = 0; row < rows.count(); row++) {
      checksum += JoinDigest.hash(rows.outerPayload(row), rows.innerValue(row));
    }
    return checksum;
  }

  @Override
  public void close() {
    index.close();
  }
}
