// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.io.SlotPageStore.Need;
import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * What every write to a store does before and after the change itself: it goes through the gate,
 * makes sure that there is room, takes locks, tells the log, and waits until its record is durable,
 * if that was promised.
 */
final class StoreWriter {
  /** How often one write is made again at most. */
  private static final int MOST_REFUSALS = 3;

  private final StoreState state;
  private final WriterGate gate;
  private final WriterEntrance entrance;
  private final Checkpoints checkpoints;
  private final boolean everyWrite;
  private final boolean batchesAreAlone;
  private final Transactions transactions;
  private final FailedWrites failedWrites;

  StoreWriter(StoreState state, Checkpoints checkpoints) {
    this.state = state;
    this.gate = state.gate;
    this.entrance = new WriterEntrance(state);
    this.checkpoints = checkpoints;
    this.everyWrite = state.options.durability() instanceof Durability.EveryWrite;
    this.batchesAreAlone = !state.environment.keeps(Rule.NO_CAPTURE_INSIDE_A_BATCH);
    this.transactions = state.transactions;
    this.failedWrites = new FailedWrites(state, checkpoints, this);
  }

  /** Returns the locks of an index whose tree is made for many threads. */
  IndexLocks locksOfKeys() {
    return IndexLocks.ofKeys(state.environment.keeps(Rule.LOG_ORDER_IS_TREE_ORDER));
  }

  /** Tells whether the log has the writes of a tree for many threads before readers see them. */
  boolean tellsBeforeReaders() {
    return state.environment.keeps(Rule.READERS_SEE_WHAT_IS_LOGGED);
  }

  /** Returns the transactions for which writers keep versions. */
  Transactions transactions() {
    return transactions;
  }

  // ---------------------------------------------------------------- one record

  /** Begins a record that stores the value of one key of an index of longs. */
  void beginSet(StoreIndex index, IndexLock[] lock, long key) {
    begin(index.pages(), lock, 1);
    expectWrite(index, lock, key);
  }

  private void expectWrite(StoreIndex index, IndexLock[] lock, long key) {
    lock[0].expectWrite();
    if (lock[0].isOfOneAlone()) {
      keepOrEnd(lock, () -> transactions.keep(index, key));
    }
  }

  /** Expects the write of one key of byte strings, for which a record was begun. */
  void expectWrite(StoreBytesIndex index, IndexLock[] lock, MemorySegment key) {
    lock[0].expectWrite();
    if (lock[0].isOfOneAlone()) {
      keepOrEnd(lock, () -> transactions.keep(index, key));
    }
  }

  private void keepOrEnd(IndexLock[] lock, Runnable keep) {
    try {
      keep.run();
    } catch (RuntimeException | Error failed) {
      end(lock);
      throw failed;
    }
  }

  /**
   * Goes through the gate and takes locks, and begins a record with a given number of writes to an
   * index. {@link #end(IndexLock[])} must follow, whatever happens.
   *
   * @param locks those of the keys that are written
   * @throws MemoryLimitException if there is no room on the device; nothing has changed then
   * @throws IllegalStateException if no changes are taken, or this thread is reading the index
   */
  void begin(SlotPageStore store, IndexLock[] locks, int writes) {
    int bytes = writes * LogRecord.MOST_OPERATION_BYTES;
    begin(store, locks, PageNeeds.ofWrites(store, writes), bytes, Need.GROWTH, false);
  }

  /**
   * Begins a record, as {@link #begin(SlotPageStore, IndexLock[], int)}, with writes of byte
   * strings.
   *
   * @param sharing how many of them are to an index whose long values share pages
   * @param bytes of all the writes, which may take pages of their own
   */
  void begin(SlotPageStore store, IndexLock[] locks, int writes, int sharing, int bytes) {
    begin(store, locks, writes, sharing, bytes, 0);
  }

  /**
   * Begins a record, as {@link #begin(SlotPageStore, IndexLock[], int)}, with writes to several
   * indexes.
   *
   * @param locks those of all the indexes: first those that readers share, then those of keys
   * @param sharing how many of the writes are to indexes whose long values share pages
   * @param bytes of all the writes, which may take pages of their own
   * @param others pages in use of the other indexes
   */
  void begin(
      SlotPageStore store, IndexLock[] locks, int writes, int sharing, int bytes, long others) {
    long pages = PageNeeds.ofWrites(store, writes, sharing, bytes, others);
    begin(store, locks, pages, bytes, Need.GROWTH, batchesAreAlone);
  }

  /**
   * Begins a record, as {@link #begin(SlotPageStore, IndexLock[], int)}, that only removes. On a
   * full device there is room for it: each change of an index leaves some, and a checkpoint gives
   * it back.
   *
   * @param locks those of all the indexes
   * @param bytes of the record
   * @param others pages in use of the other indexes
   */
  void beginRemoval(SlotPageStore store, IndexLock[] locks, int writes, int bytes, long others) {
    long pages = PageNeeds.ofRemovals(store, writes, bytes, others);
    begin(store, locks, pages, bytes, Need.REMOVAL, batchesAreAlone);
  }

  /** Begins a record that removes one entry of an index of longs. */
  void beginRemoval(StoreIndex index, IndexLock[] lock, long key) {
    beginClear(index.pages(), lock);
    expectWrite(index, lock, key);
  }

  /** Begins a record that removes all entries of an index. */
  void beginClear(SlotPageStore store, IndexLock[] locks) {
    beginRemoval(store, locks, 1, LogRecord.MOST_OPERATION_BYTES, 0);
  }

  /**
   * Begins a record that removes a range. If the device has no room for the pages that a long range
   * may change, the record is to remove a part of it.
   *
   * @param bytes of the record
   * @return the most entries that it may remove, {@link RangeParts#ALL} for any number
   */
  int beginRange(SlotPageStore store, IndexLock[] locks, int bytes) {
    if (entrance.enterIfRoom(store, locks, PageNeeds.ofRange(store), bytes, Need.GROWTH, false)
        == null) {
      return RangeParts.ALL;
    }
    int pages = store.slotsForRemovals();
    begin(store, locks, pages, bytes, Need.REMOVAL, false);
    return pages / PageNeeds.PER_WRITE;
  }

  private void begin(
      SlotPageStore store, IndexLock[] locks, long pages, int bytes, Need need, boolean alone) {
    if (entrance.enterIfRoom(store, locks, pages, bytes, need, alone) != null) {
      makeRoom();
      // Alone, for what others have promised may be what was lacking.
      NoSlotException full = entrance.enterIfRoom(store, locks, pages, bytes, need, true);
      if (full != null) {
        throw full.asLastWord();
      }
    }
  }

  /** Frees what only the last checkpoint needs, by making another. */
  private void makeRoom() {
    if (transactions.isWriting()) {
      return; // A checkpoint would have half of the write within which this one is.
    }
    try {
      checkpoints.make(false);
    } catch (NoSlotException full) {
      throw full.asLimit();
    }
  }

  /**
   * Makes room, by a checkpoint, for a write that its tree refused and has taken back: how many
   * pages it takes is not known before, and those that only the last checkpoint needs may be
   * enough. The write is to be made again. A tree that was refused in the middle of a long
   * reorganization goes on with it then, and may be refused once more.
   *
   * @param refused what was thrown
   * @param refusals how often the tree has refused this write before
   * @throws MemoryLimitException the same one if a checkpoint would give nothing back, another one
   *     if there is no room for that
   */
  void makeRoomAfter(MemoryLimitException refused, int refusals) {
    if (!(refused.getCause() instanceof NoSlotException) || refusals == MOST_REFUSALS) {
      throw refused;
    }
    if (checkpoints.wouldMakeRoom()) {
      makeRoom();
    } else if (refusals > 0) {
      throw refused;
    } // Else another thread may have made one meanwhile.
  }

  /** Begins a record for the thread that holds some locks. */
  LogRecord record(IndexLock[] locks) {
    return record(locks[0]);
  }

  private LogRecord record(IndexLock lock) {
    LogRecord record = lock.isOfOneAlone() ? state.record : lock.record();
    record.begin(LogRecord.BATCH);
    return record;
  }

  /** Appends a record, and returns its sequence number. */
  long append(LogRecord record) {
    return state.log.append(record, state.header.checkpoint());
  }

  /** Appends a record of one write, and returns its sequence number. */
  long appendSet(int index, long key, long value) {
    return state.log.appendSet(index, key, value, state.header.checkpoint());
  }

  /** Appends a record of one removal, and returns its sequence number. */
  long appendDelete(IndexLock lock, int index, long key) {
    LogRecord record = record(lock);
    record.delete(index, key);
    return append(record);
  }

  /** Appends a record of one write to an index of byte strings, and returns its sequence number. */
  long appendSet(IndexLock lock, int index, MemorySegment key, MemorySegment value) {
    LogRecord record = record(lock);
    record.set(index, key, value);
    return append(record);
  }

  /** Appends a record of one removal from an index of byte strings. */
  long appendDelete(IndexLock lock, int index, MemorySegment key) {
    LogRecord record = record(lock);
    record.delete(index, key);
    return append(record);
  }

  /** Returns what takes back writes that have failed after the log was told of them. */
  FailedWrites failedWrites() {
    return failedWrites;
  }

  /** Waits until nobody writes in order to read, and tells whether that was in time. */
  boolean tryAlone(long nanos) {
    return gate.tryEnterAlone(nanos);
  }

  /** Lets others write again. */
  void endAlone() {
    gate.leaveAlone();
  }

  /** Lets others write and read what was written. */
  void end(IndexLock[] locks) {
    long entered = locks[0].entered;
    RuntimeException failed = locks[0].takeFailed();
    locks[0].tells = false;
    try {
      if (entered == WriterGate.ALONE) {
        transactions.endTurn();
      }
    } finally {
      for (IndexLock lock : locks) {
        if (entered != WriterGate.ALONE || !lock.isOfKeys()) {
          lock.release();
        }
      }
      gate.leave(entered);
    }
    if (failed != null) {
      failedWrites.takeBackByCheckpoint(failed);
    }
  }

  /** Waits until a record is durable, if every write is to be. */
  void acknowledge(long sequence) {
    if (everyWrite) {
      state.log.await(sequence);
    }
  }

  /**
   * Makes a change of many entries, which is no record's if it ends halfway.
   *
   * @return what the change does
   */
  long whole(LongSupplier change) {
    try {
      return change.getAsLong();
    } catch (IllegalArgumentException refused) {
      throw refused;
    } catch (RuntimeException | Error failed) {
      state.noteHalfway(failed);
      throw failed;
    }
  }

  // ---------------------------------------------------------------- a new index

  /**
   * Makes sure that there is room for what the log and the next checkpoint tell of an index, while
   * this thread is alone.
   *
   * @throws MemoryLimitException if the device has no room for it
   * @throws PageFileException if the log has none
   */
  void beginMaking(IndexPages index) {
    int bytes = index.asMade().bytes().length;
    entrance.ensureLogRoom(LogRecord.logBytes(LogRecord.createBytes(bytes)));
    try {
      checkpoints.reserveFor(index, bytes);
    } catch (NoSlotException full) {
      throw full.asLimit();
    }
  }

  /** Appends the record of an index that was made, and returns its sequence number. */
  long make(IndexPages index) {
    state.record.begin(LogRecord.BATCH);
    state.record.create(index.asMade());
    return append(state.record);
  }

  // ---------------------------------------------------------------- without a record

  /** Begins a change that the log is not told of; {@link #endUnlogged} must follow. */
  void beginUnlogged(SlotPageStore store, IndexLock[] locks) {
    transactions.checkNotWriting();
    checkpoints.lock.lock();
    try {
      begin(store, locks, PageNeeds.ofWrite(), LogRecord.MOST_OPERATION_BYTES, Need.GROWTH, true);
    } catch (RuntimeException | Error refused) {
      checkpoints.lock.unlock();
      throw refused;
    }
  }

  /**
   * Makes the change durable, with all locks held: nothing may be logged before. If that fails, the
   * store can't go on, for what is logged next would survive without the change.
   */
  void skip() {
    try {
      state.log.skip();
      if (state.environment.keeps(Rule.UNLOGGED_CHANGES_END_IN_A_CHECKPOINT)) {
        checkpoints.make(false);
      }
    } catch (RuntimeException | Error failed) {
      state.noteHalfway(failed);
      throw failed;
    }
  }

  /** Lets others write. */
  void endUnlogged(IndexLock[] locks) {
    try {
      end(locks);
    } finally {
      checkpoints.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- commit

  /**
   * Appends a note.
   *
   * @throws MemoryLimitException if the device has no room for it; nothing has changed then
   */
  void note(byte[] note) {
    try {
      noteIfRoom(note);
    } catch (NoSlotException full) {
      makeRoom();
      try {
        noteIfRoom(note);
      } catch (NoSlotException stillFull) {
        throw stillFull.asLastWord();
      }
    }
  }

  private void noteIfRoom(byte[] note) {
    gate.enterAlone();
    try {
      state.condition.checkTakesChanges();
      state.record.begin(LogRecord.NOTE);
      state.record.note(note);
      try {
        entrance.ensureLogRoom(state.record.logBytes());
      } catch (PageFileException failed) {
        throw entrance.ofLogRoom(failed);
      }
      append(state.record);
      state.note = note;
    } finally {
      gate.leaveAlone();
    }
  }

  /** Waits until all that was written so far is durable. */
  void commit() {
    if (!state.condition.isReadOnly()) {
      state.log.await(state.log.appended());
    }
  }
}
