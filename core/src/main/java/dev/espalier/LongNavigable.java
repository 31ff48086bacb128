// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * Long keys in signed order, each with a long value: what an index and every view of it can do.
 *
 * <p>The names and their meaning are those of {@link java.util.NavigableMap}. What is absent is
 * answered by {@link #missingValue()}, so no call boxes. Neighbours ({@code floor}, {@code higher},
 * ...) are found through a {@link LongCursor}, which can say "none" without boxing.
 *
 * <p>A view ({@link #subView}, {@link #descendingView}, ...) reads and writes through to its index.
 * It refuses to write keys outside its bounds ({@link IllegalArgumentException}) and sees none.
 *
 * <p>Costs below are for a tree of {@code n} entries with node fan-out {@code B}.
 */
public interface LongNavigable {

  /**
   * Returns the value of {@code key}, or {@link #missingValue()} if there is none. O(log_B n).
   *
   * @throws IllegalStateException if the index is closed; so do all methods
   */
  long get(long key);

  /** Returns the value of {@code key}, or {@code defaultValue} if there is none. */
  long getOrDefault(long key, long defaultValue);

  /** Tells whether {@code key} has a value, {@link #missingValue()} included. */
  boolean containsKey(long key);

  /** Returns what {@link #get}, {@link #put} and {@link #remove} answer for an absent key. */
  long missingValue();

  /**
   * Stores {@code value} for {@code key} and returns the previous value, or {@link
   * #missingValue()}.
   *
   * @throws dev.espalier.memory.MemoryLimitException if the index may not grow further; it is then
   *     as it was before the call
   * @throws IllegalArgumentException if this is a view and {@code key} is outside its bounds
   */
  long put(long key, long value);

  /**
   * Stores {@code value} for {@code key} if there is none yet. Returns the value that was there, or
   * {@link #missingValue()}; throws as {@link #put}.
   */
  long putIfAbsent(long key, long value);

  /** Removes {@code key} and returns its value, or {@link #missingValue()} if it had none. */
  long remove(long key);

  /**
   * Stores {@code value} for {@code key} without asking what was there: never slower than {@link
   * #put}, and much faster on write-optimized trees. Throws as {@link #put}.
   */
  void set(long key, long value);

  /** Removes {@code key} without asking what was there; an absent key is no error. */
  void delete(long key);

  /** Returns the exact number of entries; where that takes a pass, the class says so. */
  long size();

  /** Tells whether there is no entry. Never takes a pass. */
  boolean isEmpty();

  /** Removes all entries. */
  void clear();

  /**
   * Returns a new cursor, positioned nowhere. Cursors are meant to be kept and positioned again.
   */
  LongCursor cursor();

  /**
   * Returns the number of entries between two keys. O(log_B n + entries / entries per leaf).
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to} in this view's order
   */
  long countRange(long from, boolean fromInclusive, long to, boolean toInclusive);

  /**
   * Removes all entries between two keys and returns how many there were.
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to} in this view's order
   */
  long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive);

  /**
   * Returns the part between two keys.
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to} in this view's order,
   *     or either is outside this view's bounds
   */
  LongNavigable subView(long from, boolean fromInclusive, long to, boolean toInclusive);

  /** Returns the part before {@code to}, in this view's order; throws as {@link #subView}. */
  LongNavigable headView(long to, boolean inclusive);

  /** Returns the part after {@code from}, in this view's order; throws as {@link #subView}. */
  LongNavigable tailView(long from, boolean inclusive);

  /** Returns the same entries in the opposite order. */
  LongNavigable descendingView();
}
