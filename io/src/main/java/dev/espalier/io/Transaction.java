// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Reads and writes to indexes of a store that take effect together at {@link #commit}, or not at
 * all. Made by {@link IndexStore#begin}.
 *
 * <p>A transaction sees all indexes as they were when it began, and its own writes. It takes no
 * locks, and neither waits for others nor makes them wait until it commits. If somebody has written
 * meanwhile what it has written or, {@linkplain Isolation#SERIALIZABLE if so asked}, read, the
 * commit is refused by {@link TransactionConflictException}. Writes without a transaction are
 * transactions of one write or batch, and are never refused.
 *
 * <p>Transactions are for milliseconds to seconds: what others write meanwhile is kept in memory,
 * 160 bytes for each key that they change and, of byte strings, the key and the value that it had,
 * as are the transaction's own writes. When the store has 64 MiB of these, it ends the oldest
 * transaction, whose next call throws {@link TransactionTooOldException}. For a report that takes
 * minutes there is {@link IndexStore#snapshot()}. While any transaction is open, writers to the
 * store take turns.
 *
 * <p>A transaction is for one thread at a time, and so are its indexes and cursors. Once it is
 * over, all their methods throw {@link IllegalStateException}.
 */
public final class Transaction implements AutoCloseable {
  /** Bytes of memory of a write that can be taken back. */
  private static final int UNDO_BYTES = 64;

  private final TransactionIndexes source;
  private final Transactions transactions;
  private final BatchWrites batches;
  private final Isolation isolation;
  private final OpenTransaction open;
  private final Cleaner.Cleanable whenDropped;
  private final Map<String, Part> parts = new LinkedHashMap<>();

  /** What can be taken back, since the first savepoint. */
  private final List<Runnable> undo = new ArrayList<>();

  private final List<Savepoint> savepoints = new ArrayList<>();
  private boolean ended;

  /** An index of the transaction, for its commit. */
  interface Part {
    /** Returns how many keys were written. */
    int writeCount();

    /** Adds all writes to a batch. */
    void addTo(WriteBatch batch);

    /** Has the pages of the keys that were written in the pool, if there is room. */
    void readAhead();

    /**
     * Checks that nobody has changed what the transaction has written or, if it notes that, read.
     *
     * @throws TransactionConflictException if somebody has
     */
    void checkUnchanged();
  }

  /** Begins. */
  Transaction(
      TransactionIndexes source, BatchWrites batches, Isolation isolation, StoreState state) {
    this.isolation = Objects.requireNonNull(isolation, "isolation");
    this.source = source;
    this.transactions = state.transactions;
    this.batches = batches;
    this.open = transactions.begin();
    try {
      this.whenDropped = Dropped.once(this, open);
    } catch (RuntimeException | Error failed) {
      transactions.end(open); // Nobody else would ever do so.
      throw failed;
    }
  }

  /** Returns what this transaction is kept from noticing of others. */
  public Isolation isolation() {
    return isolation;
  }

  /**
   * Returns an index of the store as this transaction sees it; the same object each time. It takes
   * all reads and writes, views and maps of {@link LongIndex}. {@code bulkload}, {@code shrink},
   * {@code flush}, {@code verify} and what tells of the tree's nodes throw {@link
   * UnsupportedOperationException}.
   *
   * @throws IllegalArgumentException if the store has no such index, or it has byte strings
   * @throws IllegalStateException if this transaction has used an index of byte strings of that
   *     name, which was dropped
   */
  public LongIndex index(String name) {
    checkOpen();
    if (parts.get(Objects.requireNonNull(name, "name")) instanceof TransactionIndex known) {
      return known;
    }
    return added(name, new TransactionIndex(this, transactions, source.index(name)));
  }

  /**
   * Returns an index of byte strings of the store as this transaction sees it; the same object each
   * time. It takes all reads and writes, views and maps of {@link BytesIndex}. {@code bulkload},
   * {@code flush}, {@code verify} and what tells of the tree's pages throw {@link
   * UnsupportedOperationException}.
   *
   * @throws IllegalArgumentException if the store has no such index, or it has longs
   * @throws IllegalStateException if this transaction has used an index of longs of that name,
   *     which was dropped
   */
  public BytesIndex bytesIndex(String name) {
    checkOpen();
    if (parts.get(Objects.requireNonNull(name, "name")) instanceof TransactionBytesIndex known) {
      return known;
    }
    return added(name, new TransactionBytesIndex(this, transactions, source.bytesIndex(name)));
  }

  /** Adds an index to those of the commit. */
  private <T extends Part> T added(String name, T index) {
    if (parts.containsKey(name)) {
      throw new IllegalStateException(
          "the transaction has used another index '%s', which was dropped".formatted(name));
    }
    parts.put(name, index);
    return index;
  }

  /**
   * Returns the present moment, to which {@link #rollbackTo} takes the writes back. From the first
   * savepoint on, writes take more memory: also those to a key that was written before.
   */
  public Savepoint savepoint() {
    checkOpen();
    Savepoint savepoint = new Savepoint(undo.size());
    savepoints.add(savepoint);
    return savepoint;
  }

  /**
   * Takes back what was written after a savepoint, which can be used again; later ones can't. What
   * was read stays read.
   *
   * @throws IllegalArgumentException if the savepoint is not one of this transaction, or is later
   *     than one to which the writes were taken back
   */
  @SuppressWarnings("ReferenceEquality") // A savepoint is only ever itself.
  public void rollbackTo(Savepoint savepoint) {
    checkOpen();
    int place = savepoints.size() - 1;
    while (place >= 0 && savepoints.get(place) != savepoint) {
      place--;
    }
    if (place < 0) {
      throw new IllegalArgumentException("the transaction has no such savepoint, or no longer");
    }
    savepoints.subList(place + 1, savepoints.size()).clear();
    while (undo.size() > savepoint.writes) {
      undo.removeLast().run();
      charge(-UNDO_BYTES);
    }
  }

  /**
   * Makes all writes, and ends the transaction. They are one record of the log: after a crash, all
   * of them are there or none. The store's {@link Durability} says when they are safe; others see
   * them at once, and what they commit thereafter never survives without them.
   *
   * @throws TransactionConflictException if somebody has changed what this transaction has written
   *     or read; it is over, and has changed nothing
   * @throws TransactionTooOldException if it was ended before; it has changed nothing
   * @throws dev.espalier.memory.MemoryLimitException if the device has no room for the writes; the
   *     transaction is over, and has changed nothing
   */
  public void commit() {
    checkOpen();
    try {
      WriteBatch batch = new WriteBatch();
      for (Part part : parts.values()) {
        if (part.writeCount() > 0) {
          checkAlive();
          part.readAhead();
          part.addTo(batch);
        }
      }
      if (batch.size() > 0) {
        batches.write(batch, this::check);
      }
    } finally {
      close();
    }
  }

  /** Checks, when nobody else writes, whether this transaction may. */
  private void check() {
    if (transactions.isWithinWrite()) {
      throw new IllegalStateException("a transaction can't commit within a write");
    }
    for (Part part : parts.values()) {
      part.checkUnchanged();
    }
    checkAlive();
  }

  /** Ends the transaction without its writes, unless it is over. */
  @Override
  public void close() {
    if (!ended) {
      ended = true;
      transactions.end(open);
      whenDropped.clean();
      parts.clear();
      undo.clear();
    }
  }

  // ---------------------------------------------------------------- for its indexes

  long time() {
    return open.time;
  }

  boolean isEnded() {
    return ended;
  }

  void checkOpen() {
    if (ended) {
      throw new IllegalStateException("the transaction is over");
    }
  }

  void checkAlive() {
    if (open.isDoomed()) {
      throw new TransactionTooOldException(transactions.mostBytes);
    }
  }

  /** Tells whether writes may have to be taken back. */
  boolean hasSavepoints() {
    return !savepoints.isEmpty();
  }

  /** Adds what takes a write back. */
  void addUndo(Runnable action) {
    undo.add(action);
    charge(UNDO_BYTES);
  }

  /** Adds to the bytes of this transaction's writes. */
  void charge(int bytes) {
    transactions.charge(open, bytes);
  }
}
