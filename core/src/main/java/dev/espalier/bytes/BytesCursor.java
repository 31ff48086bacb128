// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;

/**
 * A position among the entries of an index or view, in its order: on an entry, or nowhere.
 *
 * <p>The seeks ({@link #first} to {@link #higher}) move the cursor to an entry and return true, or
 * leave it nowhere and return false. From nowhere, {@link #next} goes to the first entry and {@link
 * #previous} to the last.
 *
 * <p>The index may change while a cursor is open. The cursor remembers its key: {@link #next} goes
 * to the entry that now follows this key, whether or not the key still has an entry. If it has
 * none, the cursor is on no entry. A cursor must not be used by several threads at once.
 *
 * <p>A cursor of an index for many threads, or {@linkplain BytesIndex#withReadWriteLock behind a
 * lock}, copies the key when it moves, and the value if that has no more than 64 KiB, since other
 * threads may write before they are read: it returns the copies, even if the entry has since
 * changed or been removed. A longer value is read from the entry when it is asked for; this, {@link
 * #setValue} and {@link #remove} require that the entry still exists.
 *
 * <p>Every method throws {@link IllegalStateException} once the index is closed, and those that
 * need an entry throw it if the cursor is on none.
 */
public interface BytesCursor extends BytesEntrySource {

  /** Goes to the first entry. O(log_B n), like every seek. */
  boolean first();

  /** Goes to the last entry. */
  boolean last();

  /** Goes to the last entry at or before {@code key}, in the cursor's order. */
  boolean floor(MemorySegment key);

  /** Goes to the first entry at or after {@code key}, in the cursor's order. */
  boolean ceiling(MemorySegment key);

  /** Goes to the last entry strictly before {@code key}, in the cursor's order. */
  boolean lower(MemorySegment key);

  /** Goes to the first entry strictly after {@code key}, in the cursor's order. */
  boolean higher(MemorySegment key);

  /**
   * Goes to the next entry. At the end, returns false and leaves the cursor nowhere. O(1)
   * amortized.
   */
  @Override
  boolean next();

  /**
   * Goes to the previous entry. At the start, returns false and leaves the cursor nowhere. O(1)
   * amortized.
   */
  boolean previous();

  /**
   * Announces that scans by {@link #next} will stop at {@code key}, so that the tree fetches
   * nothing beyond it ahead of time. A hint: it changes no result.
   */
  default void scanTo(MemorySegment key) {}

  /** Which values of the entries that a cursor goes to will be asked for. */
  enum Expected {
    /** None. */
    NONE,
    /** Those that have no more than 64 KiB; longer ones perhaps. */
    SHORT,
    /** All, whatever their length. */
    ALL
  }

  /**
   * Announces which values will be asked for, {@link Expected#SHORT} unless this was called. Only a
   * cursor of an index for many threads, or behind a lock, makes a difference: it copies those
   * values as it moves, and reads others from their entries when they are asked for.
   */
  default void expectValues(Expected expected) {}

  /**
   * Returns the key of the entry, in the cursor's own memory: read-only, and valid until the cursor
   * moves.
   */
  @Override
  MemorySegment key();

  /** Returns a copy of the key of the entry. */
  byte[] keyArray();

  /** Replaces the value of the entry. */
  void setValue(MemorySegment value);

  /**
   * Removes the entry. The cursor is then on no entry, and {@link #next} and {@link #previous} go
   * to the neighbours of the removed one.
   */
  void remove();
}
