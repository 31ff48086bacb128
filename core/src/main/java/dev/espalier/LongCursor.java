// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

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
 * <p>A cursor of an index {@linkplain LongIndex#withReadWriteLock behind a lock} copies key and
 * value when it moves, since other threads may write before they are read: {@link #key} and {@link
 * #value} return the copies, even if the entry has since changed or been removed. {@link #setValue}
 * and {@link #remove} require that the entry still exists.
 *
 * <p>Every method throws {@link IllegalStateException} once the index is closed.
 */
public interface LongCursor extends LongEntrySource {

  /** Goes to the first entry. O(log_B n), like every seek. */
  boolean first();

  /** Goes to the last entry. */
  boolean last();

  /** Goes to the last entry at or before {@code key}, in the cursor's order. */
  boolean floor(long key);

  /** Goes to the first entry at or after {@code key}, in the cursor's order. */
  boolean ceiling(long key);

  /** Goes to the last entry strictly before {@code key}, in the cursor's order. */
  boolean lower(long key);

  /** Goes to the first entry strictly after {@code key}, in the cursor's order. */
  boolean higher(long key);

  /**
   * Goes to the next entry. At the end, returns false and leaves the cursor nowhere. O(1)
   * amortized.
   */
  @Override
  boolean next();

  /**
   * Announces that scans by {@link #next} and {@link #nextRun} will stop at {@code key}, so that
   * the tree fetches nothing beyond it ahead of time. A hint: it changes no result. At most O(log_B
   * n).
   */
  default void scanTo(long key) {}

  /**
   * Goes to the previous entry. At the start, returns false and leaves the cursor nowhere. O(1)
   * amortized.
   */
  boolean previous();

  /**
   * Returns the key of the entry.
   *
   * @throws IllegalStateException if the cursor is on no entry
   */
  @Override
  long key();

  /**
   * Returns the value of the entry.
   *
   * @throws IllegalStateException if the cursor is on no entry
   */
  @Override
  long value();

  /**
   * Replaces the value of the entry.
   *
   * @throws IllegalStateException if the cursor is on no entry
   */
  void setValue(long value);

  /**
   * Removes the entry. The cursor is then on no entry, and {@link #next} and {@link #previous} go
   * to the neighbours of the removed one.
   *
   * @throws IllegalStateException if the cursor is on no entry
   */
  void remove();

  /**
   * Fills {@code run} with the entries that follow and lie together in memory, at least one, and
   * moves the cursor to the last of them. A loop over {@code nextRun} sees the same entries as a
   * loop over {@link #next}, but is much faster. At the end, returns false and leaves the cursor
   * nowhere.
   *
   * <p>The run is valid until the index changes or this cursor moves.
   */
  boolean nextRun(LongRun run);

  /**
   * Tells whether runs are copies of this cursor's own, which stay as they are until it moves, even
   * if the index changes.
   */
  default boolean copiesRuns() {
    return false;
  }
}
