// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.function.LongSupplier;

/**
 * What every write to a store does before and after the change itself: it takes its turn, makes
 * sure that there is room, tells the log, and waits until it is durable, if that was promised.
 */
final class StoreWriter {
  /** Pages that one write changes at most, most of the time: a leaf, and what a split touches. */
  private static final int PAGES_PER_WRITE = 4;

  private final StoreState state;
  private final Checkpoints checkpoints;
  private final boolean everyWrite;

  StoreWriter(StoreState state, Checkpoints checkpoints) {
    this.state = state;
    this.checkpoints = checkpoints;
    this.everyWrite = state.options.durability() instanceof Durability.EveryWrite;
  }

  // ---------------------------------------------------------------- one record

  /**
   * Waits for this thread's turn, and begins a record with a given number of writes. {@link #end}
   * must follow, whatever happens.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room on the device; nothing has
   *     changed then
   * @throws IllegalStateException if no changes are taken
   */
  void begin(SlotPageStore store, int writes) {
    begin(store, (long) PAGES_PER_WRITE * writes, writes * LogRecord.MOST_OPERATION_BYTES);
  }

  /**
   * Begins a record, as {@link #begin(SlotPageStore, int)}, with writes of byte strings.
   *
   * @param bytes of all the writes, which may take pages of their own
   */
  void begin(SlotPageStore store, int writes, int bytes) {
    int inPage = store.pageBytes() - store.pageBytes() / 16; // which has a header as well
    long ofBytes = bytes / inPage;
    begin(store, (long) PAGES_PER_WRITE * writes + ofBytes, bytes);
  }

  private void begin(SlotPageStore store, long pages, int bytes) {
    for (boolean again = false; ; again = true) {
      state.writing.lock();
      try {
        store.beforeChange();
        ensureRoom(store, pages, bytes);
        state.record.begin(LogRecord.BATCH);
        return;
      } catch (NoSlotException full) {
        state.writing.unlock();
        if (again) {
          throw full.asLimit();
        }
      } catch (RuntimeException | Error refused) {
        state.writing.unlock();
        throw refused;
      }
      makeRoom();
    }
  }

  private void ensureRoom(SlotPageStore store, long pages, int bytes) {
    store.ensureSlots(pages);
    try {
      ensureLogRoom(LogRecord.logBytes(bytes));
    } catch (PageFileException full) {
      if (SlotSpace.isFull(full)) {
        throw new NoSlotException(full);
      }
      throw state.condition.noteFailure(full);
    }
  }

  private void ensureLogRoom(int bytes) {
    state.log.ensureRoom(bytes, state.header.checkpoint());
  }

  /** Frees what only the last checkpoint needs, by making another. */
  private void makeRoom() {
    try {
      checkpoints.make(false);
    } catch (NoSlotException full) {
      throw full.asLimit();
    }
  }

  /** Returns the record that was begun. */
  LogRecord record() {
    return state.record;
  }

  /** Appends the record, and returns its sequence number. */
  long append() {
    return state.log.append(state.record, state.header.checkpoint());
  }

  /** Appends a record of one write, instead of {@link #record}; returns its sequence number. */
  long appendSet(int index, long key, long value) {
    return state.log.appendSet(index, key, value, state.header.checkpoint());
  }

  /** Lets others write. */
  void end() {
    state.writing.unlock();
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

  // ---------------------------------------------------------------- without a record

  /** Begins a change that the log is not told of; {@link #endUnlogged} must follow. */
  void beginUnlogged(SlotPageStore store) {
    checkpoints.lock.lock();
    try {
      begin(store, 1);
    } catch (RuntimeException | Error refused) {
      checkpoints.lock.unlock();
      throw refused;
    }
  }

  /**
   * Makes the change durable, with both locks held: nothing may be logged before. If that fails,
   * the store can't go on, for what is logged next would survive without the change.
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
  void endUnlogged() {
    state.writing.unlock();
    checkpoints.lock.unlock();
  }

  // ---------------------------------------------------------------- commit

  /** Appends a note. */
  void note(byte[] note) {
    state.writing.lock();
    try {
      state.condition.checkTakesChanges();
      state.record.begin(LogRecord.NOTE);
      state.record.note(note);
      ensureLogRoom(state.record.logBytes());
      append();
      state.note = note;
    } finally {
      state.writing.unlock();
    }
  }

  /** Waits until all that was written so far is durable. */
  void commit() {
    if (!state.condition.isReadOnly()) {
      state.log.await(state.log.appended());
    }
  }
}
