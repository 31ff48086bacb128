// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * An ordered map from long keys, in signed order, to long values: what an index and all its views
 * have in common.
 *
 * <p>Methods are named after those of {@link java.util.NavigableMap} and behave alike. Where a map
 * returns null, these return {@link #missingValue()} or fill a {@link LongEntry}, so nothing is
 * boxed.
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
   * Combines the value of a key with another value, and stores the result; an absent key gets the
   * other value itself. The function is given the old value first, and then the other. Throws the
   * same exceptions as {@link #put}.
   *
   * <p>This method, {@link #addTo}, {@link #computeIfAbsent} and {@link #compute} each take effect
   * at one moment in an index that several threads may write. What is given to them runs without a
   * lock, and is called again if another thread has changed the entry meanwhile.
   *
   * @return the value that was stored
   */
  default long merge(long key, long value, LongBinaryOperator function) {
    Objects.requireNonNull(function, "function");
    for (long absent = value; ; absent = ~absent) {
      long before = getOrDefault(key, absent);
      // The entry may have the very value that stands for none: then the insertion finds it.
      if (before == absent) {
        if (insert(key, value)) {
          return value;
        }
      } else {
        long merged = function.applyAsLong(before, value);
        if (replace(key, before, merged)) {
          return merged;
        }
      }
    }
  }

  /**
   * Adds to the value of a key, as {@link #merge} does; an absent key counts as 0. The sum wraps
   * around like that of two {@code long} values.
   *
   * @return the value that was stored
   */
  default long addTo(long key, long delta) {
    return merge(key, delta, Long::sum);
  }

  /**
   * Returns the value of a key, after storing a computed value if the key is absent. The function
   * is called with the key, at most once; if another thread inserts the key first, the computed
   * value is dropped. Throws the same exceptions as {@link #put}.
   *
   * @return the existing value, or the one that was stored
   */
  default long computeIfAbsent(long key, LongUnaryOperator function) {
    Objects.requireNonNull(function, "function");
    boolean isComputed = false;
    long computed = 0;
    for (long absent = missingValue(); ; absent = ~absent) {
      long value = getOrDefault(key, absent);
      if (value != absent) {
        return value;
      }
      // The key is not there, or has the very value that says so: then the insertion finds it.
      if (!isComputed) {
        if (containsKey(key)) {
          continue;
        }
        computed = function.applyAsLong(key);
        isComputed = true;
      }
      if (insert(key, computed)) {
        return computed;
      }
    }
  }

  /**
   * Lets {@code update} decide what becomes of a key: it is shown whether there is an entry and
   * with which value, and says whether there is to be one and with which value. Throws the same
   * exceptions as {@link #put}.
   *
   * @param entry what {@code update} is given; afterwards it has the value that was stored, if any
   * @return whether the key has an entry now
   */
  default boolean compute(long key, LongEntry entry, LongUpdate update) {
    Objects.requireNonNull(update, "update");
    for (long absent = missingValue(); ; absent = ~absent) {
      long before = getOrDefault(key, absent);
      boolean isThere = before != absent;
      if (!isThere && containsKey(key)) {
        continue; // The entry has the very value that stands for none, or is new.
      }
      entry.set(key, before);
      boolean stays = update.update(entry, isThere);
      entry.set(key, entry.value());
      if (!stays ? !isThere || remove(key, before) : stores(key, isThere, before, entry.value())) {
        return stays;
      }
    }
  }

  private boolean stores(long key, boolean isThere, long before, long value) {
    return isThere ? replace(key, before, value) : insert(key, value);
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
   * Returns the first key in this view's order. O(log_B n), like everything that asks for one
   * neighbour.
   *
   * @throws NoSuchElementException if there are no entries
   */
  default long firstKey() {
    LongEntry entry = new LongEntry();
    return keyOf(entry, first(entry));
  }

  /**
   * Returns the last key in this view's order.
   *
   * @throws NoSuchElementException if there are no entries
   */
  default long lastKey() {
    LongEntry entry = new LongEntry();
    return keyOf(entry, last(entry));
  }

  private static long keyOf(LongEntry entry, boolean isThere) {
    if (!isThere) {
      throw new NoSuchElementException("there are no entries");
    }
    return entry.key();
  }

  /**
   * Finds the first entry in this view's order.
   *
   * <p>In an index that several threads may write, this and the other methods that ask for one
   * neighbour find what a {@linkplain #cursor() cursor} would: an entry that was there during the
   * call, and none that was between it and the key all the time.
   *
   * @param entry receives the entry; undefined if there is none
   * @return whether there is one
   */
  default boolean first(LongEntry entry) {
    LongCursor cursor = cursor();
    return entry.take(cursor, cursor.first());
  }

  /** Finds the last entry in this view's order, as {@link #first} does. */
  default boolean last(LongEntry entry) {
    LongCursor cursor = cursor();
    return entry.take(cursor, cursor.last());
  }

  /** Finds the last entry at or before {@code key} in this view's order, as {@link #first} does. */
  default boolean floor(long key, LongEntry entry) {
    LongCursor cursor = cursor();
    return entry.take(cursor, cursor.floor(key));
  }

  /** Finds the first entry at or after {@code key} in this view's order, as {@link #first} does. */
  default boolean ceiling(long key, LongEntry entry) {
    LongCursor cursor = cursor();
    return entry.take(cursor, cursor.ceiling(key));
  }

  /**
   * Finds the last entry strictly before {@code key} in this view's order, as {@link #first} does.
   */
  default boolean lower(long key, LongEntry entry) {
    LongCursor cursor = cursor();
    return entry.take(cursor, cursor.lower(key));
  }

  /**
   * Finds the first entry strictly after {@code key} in this view's order, as {@link #first} does.
   */
  default boolean higher(long key, LongEntry entry) {
    LongCursor cursor = cursor();
    return entry.take(cursor, cursor.higher(key));
  }

  /**
   * Removes the first entry in this view's order.
   *
   * <p>In an index that several threads may write, only one of them gets the entry, which {@link
   * #first} has found during the call; meanwhile others may have put one before it.
   *
   * @param entry receives the entry; undefined if there was none
   * @return whether there was one
   */
  default boolean pollFirst(LongEntry entry) {
    return CursorRanges.poll(this, true, entry);
  }

  /** Removes the last entry in this view's order, as {@link #pollFirst} does the first. */
  default boolean pollLast(LongEntry entry) {
    return CursorRanges.poll(this, false, entry);
  }

  /**
   * Passes each entry to {@code action}, in this view's order, as fast as {@link
   * LongCursor#nextRun} reads them.
   *
   * <p>The action must not change the index, unless several threads may write it. What they write
   * meanwhile may be passed or not, as a cursor may see it or not.
   */
  default void forEach(LongLongConsumer action) {
    Objects.requireNonNull(action, "action");
    LongCursor cursor = cursor();
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      MemorySegment segment = run.segment();
      long key = run.keysOffset();
      long value = run.valuesOffset();
      for (int i = 0; i < run.count(); i++, key += run.stride(), value += run.stride()) {
        action.accept(
            segment.get(ValueLayout.JAVA_LONG, key), segment.get(ValueLayout.JAVA_LONG, value));
      }
    }
  }

  /**
   * Passes entries to {@code action} as {@link #forEach} does, as long as it answers true.
   *
   * @return whether it answered true for all
   */
  default boolean forEachWhile(LongLongPredicate action) {
    Objects.requireNonNull(action, "action");
    LongCursor cursor = cursor();
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      for (int i = 0; i < run.count(); i++) {
        if (!action.test(run.key(i), run.value(i))) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Returns the entries in this view's order, for a loop. All are the same {@link LongEntry}, which
   * takes the next key and value when the loop goes on; copy what is to stay. The loop may change
   * the index; its iterators do what those of {@link LongIndex#asMap} do.
   */
  default Iterable<LongEntry> entries() {
    missingValue(); // which is refused if the index is closed
    return () -> {
      LongEntry entry = new LongEntry();
      return new CursorIterator<>(
          this,
          (key, value) -> {
            entry.set(key, value);
            return entry;
          });
    };
  }

  /**
   * Returns the keys in this view's order. In parallel, the range of keys is divided into halves
   * again and again. The stream reads when it is run; it must not change the index, unless several
   * threads may write it.
   */
  default LongStream keyStream() {
    return EntrySpliterator.stream(this, true);
  }

  /** Returns the values in the order of their keys in this view, as {@link #keyStream} does. */
  default LongStream valueStream() {
    return EntrySpliterator.stream(this, false);
  }

  /**
   * Removes the entries for which {@code filter} answers true, in one pass.
   *
   * <p>In an index that several threads may write, each goes at one moment, and only with a value
   * for which the filter has answered true. The filter is called without a lock.
   *
   * @return how many entries this call removed
   */
  default long removeIf(LongLongPredicate filter) {
    Objects.requireNonNull(filter, "filter");
    LongCursor cursor = cursor();
    long[] value = new long[1];
    long removed = 0;
    while (cursor.next()) {
      long key = cursor.key();
      value[0] = cursor.value();
      boolean isThere = true;
      while (isThere && filter.test(key, value[0])) {
        if (remove(key, value[0])) {
          removed++;
          break;
        }
        isThere = find(key, value); // Another thread has changed the entry.
      }
    }
    return removed;
  }

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
