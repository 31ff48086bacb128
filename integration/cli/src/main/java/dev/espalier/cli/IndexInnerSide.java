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
import java.util.List;

/** An index of the family, probed by the join operator. */
final class IndexInnerSide implements InnerSide<LongJoinInput> {
  private final LongIndex index;

  IndexInnerSide(LongIndex index) {
    this.index = index;
  }

  static Kind<LongJoinInput> kind(TreeVariant variant, List<ProbeMethod> methods) {
    return new Kind<>(
        variant.name(), methods, input -> new IndexInnerSide(load(variant, input.innerKeys())));
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
    try (var join = new IndexNestedLoopJoin(input.outer(), index, options)) {
      join.open();
      long checksum = 0;
      while (join.next()) {
        JoinBatch rows = join.batch();
        for (int row = 0; row < rows.count(); row++) {
          checksum += JoinDigest.hash(rows.outerPayload(row), rows.innerValue(row));
        }
      }
      return new JoinDigest(join.statistics().rowsOut(), checksum);
    }
  }

  @Override
  public void close() {
    index.close();
  }
}
