// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * A place among the entries of an index or view, in its order: on an entry, or nowhere.
 *
 * <p>The seeks ({@link #first} to {@link #higher}) position the cursor on an entry and return true,
 * or on none and return false. A cursor that is nowhere and is asked for {@link #next} goes to the
 * first entry, for {@link #previous} to the last.
 *
 * <p>The index may be changed while a cursor is open. The cursor then keeps its key: {@link #next}
 * goes to the entry that now follows that key, whether or not the key still has an entry. While it
 * has none, the cursor is on no entry. A cursor is not safe for use by several threads.
 *
 * <p>A cursor of an index {@linkplain LongIndex#withReadWriteLock behind a lock} takes key and
 * value along when it moves, since others may write before it is asked for them: {@link #key} and
 * {@link #value} answer what they were then, even if the entry has changed or is gone. {@link
 * #setValue} and {@link #remove} need an entry that is there.
 *
 * <p>Every method throws {@link IllegalStateException} once the index is closed.
 */
public interface LongCursor extends LongEntrySource {

  /** Goes to the first entry. O(log_B n), as every seek. */
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
   * Goes to the next entry. At the end it returns false and leaves the cursor nowhere. O(1)
   * amortized.
   */
  @Override
  boolean next();

  /**
   * Says that scans by {@link #next} and {@link #nextRun} will not be continued beyond {@code key}.
   * That changes no result; a tree that fetches ahead then fetches nothing beyond it. O(log_B n) at
   * most.
   */
  default void scanTo(long key) {}

  /** Goes to the entry before; at the start it returns false and leaves the cursor nowhere. */
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
   * Removes the entry. The cursor is then on none, and {@link #next} and {@link #previous} go to
   * the neighbours of the entry that was removed.
   *
   * @throws IllegalStateException if the cursor is on no entry
   */
  void remove();

  /**
   * Hands out the entries from the next one on that lie together in memory, at least one, and moves
   * the cursor to the last of them: a loop over {@code nextRun} sees the same entries as a loop
   * over {@link #next}, at memory speed. Returns false at the end, as {@link #next} does.
   *
   * <p>The run is valid until the index is next changed or this cursor is next moved.
   */
  boolean nextRun(LongRun run);
}
