// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.function.Consumer;

/**
 * Takes back what the log was told of writes that have failed since: by a record of what there is
 * of their keys, or by a checkpoint, as recovery replays nothing of what comes before one.
 */
final class FailedWrites {
  /** More finds no room in the log beside what other writers were promised. */
  private static final long MOST_BYTES = LogBuffer.BYTES;

  /** The same for a thread that is alone, which has the whole log: as much as a record may have. */
  private static final long MOST_BYTES_ALONE = WriteBatch.MOST_BYTES;

  private final StoreState state;
  private final Checkpoints checkpoints;
  private final StoreWriter writer;

  FailedWrites(StoreState state, Checkpoints checkpoints, StoreWriter writer) {
    this.state = state;
    this.checkpoints = checkpoints;
    this.writer = writer;
  }

  /**
   * Tells the log what there is of some keys, after it was told of writes to them that may not have
   * been made. Where there is no room for that, or damage keeps the keys from being read, {@link
   * StoreWriter#end} takes the writes back, when this thread holds no locks: recovery would meet
   * the same damage.
   *
   * @param held the locks of the keys
   * @param bytes of what there is of the keys, or about so many
   * @param stored adds that to a record
   * @param cause why the writes have failed
   */
  void takeBack(IndexLock[] held, long bytes, Consumer<LogRecord> stored, RuntimeException cause) {
    try {
      if (bytes > (held[0].isOfOneAlone() ? MOST_BYTES_ALONE : MOST_BYTES)) {
        held[0].failed = cause;
        return;
      }
      LogRecord record = writer.record(held);
      stored.accept(record);
      if (!tryAppend(record)) {
        held[0].failed = cause;
      }
    } catch (RuntimeException second) {
      cause.addSuppressed(second);
      boolean isFull = second instanceof PageFileException full && SlotSpace.isFull(full);
      if (isFull || second instanceof CorruptPageException || IndexFailures.isDoubtful(second)) {
        held[0].failed = cause; // A checkpoint takes little room, and reads none of the keys.
      } else {
        state.noteHalfway(cause);
      }
    } catch (OutOfMemoryError none) {
      cause.addSuppressed(none);
      held[0].failed = cause; // A checkpoint needs no memory for the values.
    }
  }

  /**
   * Appends a record for which no room was promised, unless there is none beside what was. That of
   * a thread that is alone may be as long as any.
   *
   * @return whether it was appended
   * @throws RuntimeException if the log can't have room for it
   */
  boolean tryAppend(LogRecord record) {
    int bytes = record.logBytes();
    long checkpoint = state.header.checkpoint();
    if (state.gate.isAlone()) {
      state.log.ensureRoom(bytes, checkpoint);
    } else if (!state.log.ensureRoom(state.gate, state.gate.sum(), bytes, checkpoint)) {
      return false;
    }
    writer.append(record);
    return true;
  }

  /**
   * Makes a checkpoint, which has what the trees have, by a thread that holds no locks and is not
   * within the gate. Others may write meanwhile, even to the same keys: the log tells of that later
   * than of what is taken back, so recovery comes to the same before and after the checkpoint.
   */
  void takeBackByCheckpoint(RuntimeException cause) {
    boolean isMade = false;
    try {
      state.transactions.checkNotWriting();
      checkpoints.make(false);
      isMade = true;
    } catch (RuntimeException second) {
      cause.addSuppressed(second);
    } finally {
      if (!isMade) {
        noteHalfway(cause);
      }
    }
  }

  private void noteHalfway(RuntimeException cause) {
    state.gate.enterAlone();
    try {
      state.noteHalfway(cause);
    } finally {
      state.gate.leaveAlone();
    }
  }
}
