// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.MemorySegment;

/**
 * Makes the writes of a batch, to indexes of longs and of byte strings, as one record of the log.
 */
final class BatchWrites {
  private final StoreState state;
  private final Checkpoints checkpoints;
  private final StoreWriter writer;

  BatchWrites(StoreState state, Checkpoints checkpoints, StoreWriter writer) {
    this.state = state;
    this.checkpoints = checkpoints;
    this.writer = writer;
  }

  /** Makes the writes of a batch, and tells the log. */
  void write(WriteBatch batch) {
    OpenIndex[] targets = targets(batch);
    if (batch.size() == 0) {
      return;
    }
    long sequence;
    writer.begin(targets[0].pages(), batch.size(), batch.recordBytes());
    try {
      for (OpenIndex target : targets) {
        target.pages().checkUsable();
      }
      writer.whole(() -> apply(batch, targets));
      if (!state.environment.keeps(Rule.NO_CAPTURE_INSIDE_A_BATCH)) {
        checkpoints.make(false);
      }
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
  }

  private OpenIndex[] targets(WriteBatch batch) {
    OpenIndex[] targets = new OpenIndex[batch.indexes().size()];
    for (int i = 0; i < targets.length; i++) {
      if (!(batch.indexes().get(i) instanceof OpenIndex index) || !index.isOf(writer)) {
        throw new IllegalArgumentException(
            "an index of the batch is none of " + state.path + ": " + batch.indexes().get(i));
      }
      targets[i] = index;
    }
    return targets;
  }

  /**
   * Tells the log of a batch, and makes its writes, in any order except for those to the same key.
   */
  private long apply(WriteBatch batch, OpenIndex[] targets) {
    LogRecord record = writer.record();
    SortedWrites[] writes = new SortedWrites[targets.length];
    for (int i = 0; i < batch.size(); i++) {
      int target = batch.target(i);
      if (batch.isOfByteStrings(i)) {
        apply(batch, i, (StoreBytesIndex) targets[target]);
        continue;
      }
      if (writes[target] == null) {
        writes[target] = new SortedWrites(((StoreIndex) targets[target]).tree());
      }
      if (batch.isDelete(i)) {
        writes[target].delete(batch.key(i));
        record.delete(targets[target].id(), batch.key(i));
      } else {
        writes[target].set(batch.key(i), batch.value(i));
        record.set(targets[target].id(), batch.key(i), batch.value(i));
      }
    }
    for (SortedWrites sorted : writes) {
      if (sorted != null) {
        sorted.apply();
      }
    }
    return batch.size();
  }

  private void apply(WriteBatch batch, int write, StoreBytesIndex target) {
    MemorySegment key = batch.keyBytes(write);
    if (batch.isDelete(write)) {
      target.tree().delete(key);
      writer.record().delete(target.id(), key);
    } else {
      MemorySegment value = batch.valueBytes(write);
      target.tree().set(key, value);
      writer.record().set(target.id(), key, value);
    }
  }
}
