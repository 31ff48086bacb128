// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * An ordered map from byte strings, in unsigned byte order, to byte strings: what an index and all
 * its views have in common. A key that is a prefix of another comes before it.
 *
 * <p>Methods come in two forms. Those that take arrays are easy to use and return new arrays. Those
 * that take {@link MemorySegment}s allocate nothing. Segments may be in the heap or outside of it;
 * no method keeps them after the call.
 *
 * <p>Only writes that store a value refuse a key longer than {@link BytesIndex#MAX_KEY}. Elsewhere
 * it is a key like others that has no entry: lookups and removals do not find it, and searches,
 * ranges and views may begin or end at it.
 *
 * <p>A view reads and writes through to its index. It shows no keys outside its bounds, and throws
 * {@link IllegalArgumentException} on an attempt to write one.
 *
 * <p>Costs are given for a tree of {@code n} entries whose pages have {@code B} children.
 */
public interface BytesNavigable {

  /**
   * Returns a copy of the value of {@code key}, or null if there is none. O(log_B n).
   *
   * @throws IllegalStateException if the index is closed; applies to every method
   */
  byte @Nullable [] get(byte[] key);

  /**
   * Shows the value of {@code key} to {@code reader}, where it lies, without copying it.
   *
   * @return whether there is an entry; if not, the reader is not called
   */
  boolean get(MemorySegment key, ValueReader reader);

  /**
   * Copies the value of {@code key} to the beginning of {@code into}, as much of it as fits.
   *
   * @return the length of the whole value in bytes, or -1 if there is no entry
   */
  long get(MemorySegment key, MemorySegment into);

  /** Returns whether there is an entry for {@code key}. */
  boolean containsKey(byte[] key);

  /** Returns whether there is an entry for {@code key}. */
  boolean containsKey(MemorySegment key);

  /**
   * Stores {@code value} for {@code key}, and returns the previous value, or null.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room for the entry; the index
   *     is then unchanged
   * @throws IllegalArgumentException if key or value is longer than {@link BytesIndex#MAX_KEY} or
   *     {@link BytesIndex#MAX_VALUE}, or if this is a view and {@code key} is outside its bounds
   */
  byte @Nullable [] put(byte[] key, byte[] value);

  /**
   * Stores {@code value} for {@code key} unless the key has a value. Returns the existing value, or
   * null if there was none. Throws the same exceptions as {@link #put}.
   */
  byte @Nullable [] putIfAbsent(byte[] key, byte[] value);

  /** Removes {@code key} and returns its value, or null if it had none. */
  byte @Nullable [] remove(byte[] key);

  /** Stores {@code value} for {@code key}. Throws the same exceptions as {@link #put}. */
  void set(byte[] key, byte[] value);

  /** Stores {@code value} for {@code key}. Throws the same exceptions as {@link #put}. */
  void set(MemorySegment key, MemorySegment value);

  /** Removes {@code key}. Returns whether there was an entry. */
  boolean delete(byte[] key);

  /** Removes {@code key}. Returns whether there was an entry. */
  boolean delete(MemorySegment key);

  /** Returns the exact number of entries. O(1), except that bounded views count their entries. */
  long size();

  /** Returns whether there are no entries, without counting them. */
  boolean isEmpty();

  /** Removes all entries. */
  void clear();

  /**
   * Returns a copy of the first key in this view's order.
   *
   * @throws NoSuchElementException if there are no entries
   */
  default byte[] firstKey() {
    BytesCursor cursor = cursor();
    cursor.expectValues(BytesCursor.Expected.NONE);
    return keyOf(cursor, cursor.first());
  }

  /**
   * Returns a copy of the last key in this view's order.
   *
   * @throws NoSuchElementException if there are no entries
   */
  default byte[] lastKey() {
    BytesCursor cursor = cursor();
    cursor.expectValues(BytesCursor.Expected.NONE);
    return keyOf(cursor, cursor.last());
  }

  private static byte[] keyOf(BytesCursor cursor, boolean isThere) {
    if (!isThere) {
      throw new NoSuchElementException("there are no entries");
    }
    return cursor.keyArray();
  }

  /**
   * Shows the first entry in this view's order to {@code reader}. This and the other methods that
   * ask for one neighbour make a {@linkplain #cursor() cursor}: keep one where that is too much.
   *
   * @return whether there is one; if not, the reader is not called
   */
  default boolean first(BytesEntryReader reader) {
    BytesCursor cursor = cursor();
    cursor.expectValues(BytesCursor.Expected.ALL);
    return shown(cursor, cursor.first(), reader);
  }

  /** Shows the last entry in this view's order, as {@link #first} does. */
  default boolean last(BytesEntryReader reader) {
    BytesCursor cursor = cursor();
    cursor.expectValues(BytesCursor.Expected.ALL);
    return shown(cursor, cursor.last(), reader);
  }

  /** Shows the last entry at or before {@code key} in this view's order, as {@link #first} does. */
  default boolean floor(MemorySegment key, BytesEntryReader reader) {
    BytesCursor cursor = cursor();
    cursor.expectValues(BytesCursor.Expected.ALL);
    return shown(cursor, cursor.floor(key), reader);
  }

  /** Shows the first entry at or after {@code key} in this view's order, as {@link #first} does. */
  default boolean ceiling(MemorySegment key, BytesEntryReader reader) {
    BytesCursor cursor = cursor();
    cursor.expectValues(BytesCursor.Expected.ALL);
    return shown(cursor, cursor.ceiling(key), reader);
  }

  /**
   * Shows the last entry strictly before {@code key} in this view's order, as {@link #first} does.
   */
  default boolean lower(MemorySegment key, BytesEntryReader reader) {
    BytesCursor cursor = cursor();
    cursor.expectValues(BytesCursor.Expected.ALL);
    return shown(cursor, cursor.lower(key), reader);
  }

  /**
   * Shows the first entry strictly after {@code key} in this view's order, as {@link #first} does.
   */
  default boolean higher(MemorySegment key, BytesEntryReader reader) {
    BytesCursor cursor = cursor();
    cursor.expectValues(BytesCursor.Expected.ALL);
    return shown(cursor, cursor.higher(key), reader);
  }

  private static boolean shown(BytesCursor cursor, boolean isThere, BytesEntryReader reader) {
    if (isThere) {
      reader.read(cursor);
    }
    return isThere;
  }

  /**
   * Removes the first entry in this view's order, and shows it to {@code reader}. Of several
   * threads, only one gets the entry.
   *
   * @return whether there was one; if not, the reader is not called
   */
  default boolean pollFirst(BytesEntryReader reader) {
    return TakenEntry.poll(this, BytesCursor::first, reader);
  }

  /** Removes the last entry in this view's order, as {@link #pollFirst} does the first. */
  default boolean pollLast(BytesEntryReader reader) {
    return TakenEntry.poll(this, BytesCursor::last, reader);
  }

  /**
   * Returns a new cursor that is on no entry yet. Reuse a cursor for many seeks rather than
   * creating one for each.
   */
  BytesCursor cursor();

  /**
   * Returns the number of entries between two keys. O(log_B n + entries).
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to} in this view's order
   */
  long countRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive);

  /**
   * Removes all entries between two keys and returns how many there were.
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to} in this view's order
   */
  long removeRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive);

  /**
   * Returns a view of the entries between two keys.
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to} in this view's order,
   *     or either is outside this view's bounds
   */
  BytesNavigable subView(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive);

  /**
   * Returns a view of the entries before {@code to}, in this view's order. Throws the same
   * exceptions as {@link #subView}.
   */
  BytesNavigable headView(byte[] to, boolean inclusive);

  /**
   * Returns a view of the entries after {@code from}, in this view's order. Throws the same
   * exceptions as {@link #subView}.
   */
  BytesNavigable tailView(byte[] from, boolean inclusive);

  /**
   * Returns a view of the entries whose keys begin with {@code prefix}: all entries of this view,
   * if the prefix is empty.
   */
  BytesNavigable prefixView(byte[] prefix);

  /** Returns a view of the same entries in reverse order. */
  BytesNavigable descendingView();
}
