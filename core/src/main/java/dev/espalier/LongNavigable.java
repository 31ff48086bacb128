// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * An ordered map from long keys, in signed order, to long values: what an index and all its views
 * have in common.
 *
 * <p>Methods are named after those of {@link java.util.NavigableMap} and behave alike. Where a map
 * returns null, these return {@link #missingValue()}, so nothing is boxed. Use a {@link LongCursor}
 * to find neighbours ({@code floor}, {@code higher}, ...).
 *
 * <p>A view ({@link #subView}, {@link #descendingView}, ...) reads and writes through to its index.
 * It shows no keys outside its bounds, and throws {@link IllegalArgumentException} on an attempt to
 * write one.
 *
 * <p>Costs are given for a tree of {@code n} entries whose nodes have {@code B} children.
 */
public interface LongNavigable {

  /**
   * Returns the value of {@code key}, or {@link #missingValue()} if there is none. O(log_B n).
   *
   * @throws IllegalStateException if the index is closed; applies to every method
   */
  long get(long key);

  /** Returns the value of {@code key}, or {@code defaultValue} if there is none. */
  long getOrDefault(long key, long defaultValue);

  /**
   * Returns whether there is an entry for {@code key}, even if its value is {@link
   * #missingValue()}.
   */
  boolean containsKey(long key);

  /**
   * Looks up {@code key} and tells whether it has an entry, even if its value is {@link
   * #missingValue()}. The trees of this library need only one lookup, whatever the answer.
   *
   * @param value an array whose first element receives the value; undefined if there is none
   */
  default boolean find(long key, long[] value) {
    for (long absent = missingValue(); ; absent = ~absent) {
      value[0] = getOrDefault(key, absent);
      if (value[0] != absent) {
        return true;
      }
      if (!containsKey(key)) {
        return false;
      }
      // The entry has the very value that stands for none, or is new.
    }
  }

  /**
   * Returns the value that {@link #get}, {@link #put} and {@link #remove} return for an absent key.
   */
  long missingValue();

  /**
   * Stores {@code value} for {@code key} and returns the previous value, or {@link
   * #missingValue()}.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room for the entry; the index
   *     is then unchanged
   * @throws IllegalArgumentException if this is a view and {@code key} is outside its bounds
   */
  long put(long key, long value);

  /**
   * Stores {@code value} for {@code key} unless the key already has a value. Returns the existing
   * value, or {@link #missingValue()} if there was none. Throws the same exceptions as {@link
   * #put}.
   */
  long putIfAbsent(long key, long value);

  /** Removes {@code key} and returns its value, or {@link #missingValue()} if it had none. */
  long remove(long key);

  /**
   * Stores {@code value} for {@code key} without returning the previous value: at least as fast as
   * {@link #put}, and much faster in write-optimized trees, which do not look for it. Throws the
   * same exceptions as {@link #put}.
   */
  void set(long key, long value);

  /** Removes {@code key}, if present, without returning its value. */
  void delete(long key);

  /**
   * Stores {@code value} for {@code key} unless the key has an entry, and tells whether it did.
   * Unlike {@link #putIfAbsent}, this works even if {@link #missingValue()} is among the values.
   * Throws the same exceptions as {@link #put}.
   *
   * <p>This method, {@link #replace} and {@link #remove(long, long)} each take effect at one moment
   * in an index that several threads may write.
   */
  default boolean insert(long key, long value) {
    if (containsKey(key)) {
      return false;
    }
    set(key, value);
    return true;
  }

  /**
   * Stores {@code value} for {@code key} if the key has an entry with the value {@code expected},
   * and tells whether it did.
   */
  default boolean replace(long key, long expected, long value) {
    if (getOrDefault(key, ~expected) != expected) {
      return false;
    }
    set(key, value);
    return true;
  }

  /**
   * Removes {@code key} if it has an entry with the value {@code expected}, and tells whether it
   * did.
   */
  default boolean remove(long key, long expected) {
    if (getOrDefault(key, ~expected) != expected) {
      return false;
    }
    delete(key);
    return true;
  }

  /**
   * Returns the exact number of entries. O(1), except that bounded views count their entries, as do
   * those trees whose Javadoc says so.
   */
  long size();

  /** Returns whether there are no entries, without counting them. */
  boolean isEmpty();

  /** Removes all entries. */
  void clear();

  /**
   * Returns a new cursor that is on no entry yet. Reuse a cursor for many seeks rather than
   * creating one for each.
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
   * Returns a view of the entries between two keys.
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to} in this view's order,
   *     or either is outside this view's bounds
   */
  LongNavigable subView(long from, boolean fromInclusive, long to, boolean toInclusive);

  /**
   * Returns a view of the entries before {@code to}, in this view's order. Throws the same
   * exceptions as {@link #subView}.
   */
  LongNavigable headView(long to, boolean inclusive);

  /**
   * Returns a view of the entries after {@code from}, in this view's order. Throws the same
   * exceptions as {@link #subView}.
   */
  LongNavigable tailView(long from, boolean inclusive);

  /** Returns a view of the same entries in reverse order. */
  LongNavigable descendingView();
}
