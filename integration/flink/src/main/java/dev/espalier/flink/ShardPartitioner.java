// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import org.apache.flink.table.connector.source.abilities.SupportsLookupCustomShuffle.InputDataPartitioner;
import org.apache.flink.table.data.RowData;

/** Sends the rows of a lookup join that ask one shard to one task. */
final class ShardPartitioner implements InputDataPartitioner {
  private static final long serialVersionUID = 1;

  private final Question<?> question;
  private final int shards;

  ShardPartitioner(Question<?> question, int shards) {
    this.question = question;
    this.shards = shards;
  }

  @Override
  public int partition(RowData joinKeys, int numPartitions) {
    // Any task can answer any row. Flink leaves fields out that are constant; then it may be any.
    boolean isWhole = joinKeys.getArity() == question.fields() && question.mayHaveAnswer(joinKeys);
    return isWhole ? question.shard(joinKeys, shards) % numPartitions : 0;
  }
}
