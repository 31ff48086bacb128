// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

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
    write(batch, () -> {});
  }

  /**
   * Makes the writes of a batch, and tells the log.
   *
   * @param check called when nobody else writes in between; nothing has changed if it throws
   */
  void write(WriteBatch batch, Runnable check) {
    OpenIndex[] targets = targets(batch);
    if (batch.size() == 0) {
      return;
    }
    for (OpenIndex target : targets) {
      if (target instanceof StoreBytesIndex strings) {
        strings.checkNotReading();
      }
    }
    IndexLock[] locks = locks(batch, targets);
    long sequence;
    SlotPageStore first = targets[0].pages();
    long others = 0;
    for (int i = 1; i < targets.length; i++) {
      others += targets[i].pages().pagesInUse();
    }
    if (batch.removesOnly()) {
      writer.beginRemoval(first, locks, batch.size(), batch.recordBytes(), others);
    } else {
      int sharing = sharing(batch, targets);
      writer.begin(first, locks, batch.size(), sharing, batch.recordBytes(), others);
    }
    try {
      for (OpenIndex target : targets) {
        target.pages().checkUsable();
      }
      check.run();
      checkLeaving(batch, targets);
      if (locks[0].isOfOneAlone()) {
        keepVersions(batch, targets);
      }
      sequence = writer.whole(() -> apply(batch, targets, writer.record(locks)));
    } finally {
      writer.end(locks);
    }
    writer.acknowledge(sequence);
  }

  /** Returns how many writes of a batch may change pages that long values share. */
  private static int sharing(WriteBatch batch, OpenIndex[] targets) {
    int sharing = 0;
    for (int i = 0; i < batch.size(); i++) {
      if (targets[batch.target(i)] instanceof StoreBytesIndex strings) {
        sharing += strings.sharing(1);
      }
    }
    return sharing;
  }

  /**
   * Makes sure that all long values that a batch replaces or removes can be freed, before the log
   * is told and anything is changed: one that can't would leave the trees halfway, and recovery
   * too.
   */
  private static void checkLeaving(WriteBatch batch, OpenIndex[] targets) {
    for (int i = 0; i < batch.size(); i++) {
      if (targets[batch.target(i)] instanceof StoreBytesIndex strings) {
        try {
          strings.tree().checkLeaving(batch.keyBytes(i));
        } catch (RuntimeException failed) {
          throw strings.failures().ofWrite(failed);
        }
      }
    }
  }

  /** Keeps what the keys of a batch are, by the thread that is alone. */
  private void keepVersions(WriteBatch batch, OpenIndex[] targets) {
    Transactions transactions = writer.transactions();
    for (int i = 0; i < batch.size(); i++) {
      if (targets[batch.target(i)] instanceof StoreIndex index) {
        transactions.keep(index, batch.key(i));
      } else if (targets[batch.target(i)] instanceof StoreBytesIndex strings) {
        transactions.keep(strings, batch.keyBytes(i));
      }
    }
    transactions.reachInTurn(Transactions.Place.VERSIONS_ARE_PUT);
  }

  /**
   * Returns the locks of all writes: first those that readers share, then those of keys, both in
   * the order of the indexes.
   */
  private static IndexLock[] locks(WriteBatch batch, OpenIndex[] targets) {
    long[] bits = new long[targets.length];
    for (int i = 0; i < batch.size(); i++) {
      int target = batch.target(i);
      if (targets[target] instanceof StoreBytesIndex) {
        bits[target] |= IndexLocks.bit(IndexLocks.keyOf(batch.keyBytes(i)));
      } else if (targets[target].locks().areOfKeys()) {
        bits[target] |= IndexLocks.bit(batch.key(i));
      }
    }
    return IntStream.range(0, targets.length)
        .boxed()
        .sorted(
            Comparator.comparing((Integer i) -> targets[i].locks().areOfKeys())
                .thenComparingInt(i -> targets[i].id()))
        .flatMap(i -> Arrays.stream(targets[i].locks().some(bits[i])))
        .toArray(IndexLock[]::new);
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
   * Makes the writes of a batch, in any order except for those to the same key, and tells the log;
   * before those to trees whose readers could see them at once.
   *
   * @return the sequence number of the record
   */
  private long apply(WriteBatch batch, OpenIndex[] targets, LogRecord record) {
    OpenIndex at = targets[0];
    try {
      SortedWrites[] writes = new SortedWrites[targets.length];
      for (int i = 0; i < batch.size(); i++) {
        at = targets[batch.target(i)];
        if (at instanceof StoreBytesIndex strings) {
          add(batch, i, strings.id(), record);
          if (!isToldFirst(strings)) {
            apply(batch, i, strings);
          }
        } else {
          SortedWrites known = writes[batch.target(i)];
          SortedWrites sorted = known != null ? known : gathering((StoreIndex) at, batch);
          writes[batch.target(i)] = sorted;
          add(batch, i, at.id(), sorted, record);
        }
      }
      for (int i = 0; i < targets.length; i++) {
        at = targets[i];
        if (writes[i] != null && !isToldFirst(at)) {
          writes[i].apply();
        }
      }
      if (!state.environment.keeps(Rule.NO_CAPTURE_INSIDE_A_BATCH)) {
        checkpoints.make(false);
      }
      long sequence = writer.append(record);
      for (int i = 0; i < targets.length; i++) {
        at = targets[i];
        if (writes[i] != null && isToldFirst(at)) {
          writes[i].apply();
        }
      }
      for (int i = 0; i < batch.size(); i++) {
        at = targets[batch.target(i)];
        if (at instanceof StoreBytesIndex strings && isToldFirst(strings)) {
          apply(batch, i, strings);
        }
      }
      return sequence;
    } catch (RuntimeException failed) {
      throw at.failures().ofWrite(failed);
    }
  }

  private boolean isToldFirst(OpenIndex target) {
    return target.locks().areOfKeys() && writer.tellsBeforeReaders();
  }

  /** Returns what gathers writes to an index: all, if the log is told of them first. */
  private SortedWrites gathering(StoreIndex index, WriteBatch batch) {
    return isToldFirst(index)
        ? new SortedWrites(index.tree(), Math.max(SortedWrites.USUAL_MOST, batch.size()))
        : new SortedWrites(index.tree());
  }

  private static void add(
      WriteBatch batch, int write, int index, SortedWrites sorted, LogRecord record) {
    if (batch.isDelete(write)) {
      sorted.delete(batch.key(write));
      record.delete(index, batch.key(write));
    } else {
      sorted.set(batch.key(write), batch.value(write));
      record.set(index, batch.key(write), batch.value(write));
    }
  }

  private static void add(WriteBatch batch, int write, int index, LogRecord record) {
    MemorySegment key = batch.keyBytes(write);
    if (batch.isDelete(write)) {
      record.delete(index, key);
    } else {
      record.set(index, key, batch.valueBytes(write));
    }
  }

  private static void apply(WriteBatch batch, int write, StoreBytesIndex target) {
    MemorySegment key = batch.keyBytes(write);
    if (batch.isDelete(write)) {
      target.tree().delete(key);
    } else {
      target.tree().set(key, batch.valueBytes(write));
    }
  }
}
