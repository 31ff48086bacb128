// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An ordered map from byte strings, in unsigned byte order, to byte strings: what an index and all
 * its views have in common. A key that is a prefix of another comes before it.
 *
 * <p>Methods come in two forms. Those that take arrays are easy to use and return new arrays. Those
 * that take {@link MemorySegment}s allocate nothing. Segments may be in the heap or outside of it;
 * no method keeps them after the call.
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
