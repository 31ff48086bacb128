// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

/** An ordered map from long to long that patterns of access work on. */
public interface PatternTarget extends AutoCloseable {
  /** What stands for no key; never stored. */
  long NONE = Long.MIN_VALUE;

  /** Returns the value of a key, {@link #NONE} if there is none. */
  long get(long key);

  /** Stores a value, whatever was there before. */
  void put(long key, long value);

  /** Removes a key. */
  void remove(long key);

  /** Returns the least key, {@link #NONE} if there is none. */
  long first();

  /** Visits up to {@code count} entries from a key on; returns the sum of their keys. */
  long scan(long from, int count);

  /** Removes the keys from {@code from} on that are less than {@code to}. */
  void removeRange(long from, long to);

  /** Frees what it holds. */
  @Override
  void close();
}
