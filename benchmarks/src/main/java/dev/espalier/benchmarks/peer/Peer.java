// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import dev.espalier.LongEntrySource;

/**
 * An ordered map from long to long under measurement: what all compared structures can do, each in
 * the way its own documentation recommends. For one thread.
 *
 * <p>The calls that are measured do nothing beside the structure's own work: no check, no copy that
 * the structure does not itself demand.
 */
public interface Peer extends AutoCloseable {
  /** What {@link #get} answers for an absent key; never stored. */
  long MISSING = Long.MIN_VALUE;

  /** Returns the value of {@code key}, or {@link #MISSING}. */
  long get(long key);

  /** Looks up {@code count} keys; one by one where the structure has nothing better. */
  default void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    for (int i = 0; i < count; i++) {
      values[valuesFrom + i] = get(keys[keysFrom + i]);
    }
  }

  /** Stores {@code value} for {@code key}, by the call that applications use to do so. */
  void put(long key, long value);

  /** As {@link #put}, by a call that does not look at what was there, where there is one. */
  default void set(long key, long value) {
    put(key, value);
  }

  /** Removes {@code key}. */
  void remove(long key);

  /**
   * Fills the empty structure; by ascending puts where it has nothing better for sorted entries.
   */
  default void bulkload(LongEntrySource entries, long total) {
    while (entries.next()) {
      put(entries.key(), entries.value());
    }
  }

  /** Visits all entries one by one, in order, and returns the sum of all keys and values. */
  long scanEntries();

  /** As {@link #scanEntries}, by the fastest way the structure has to visit all entries. */
  default long scanRuns() {
    return scanEntries();
  }

  /**
   * Visits up to {@code count} entries from the first key at or after {@code from} on, and returns
   * the sum of their keys and values.
   */
  long scanRange(long from, int count);

  /** Returns the number of entries; may take a pass. */
  long size();

  /**
   * Returns the bytes that all entries take outside the Java heap.
   *
   * @throws UnsupportedOperationException if they are on it
   */
  default long bytes() {
    throw new UnsupportedOperationException("the entries are on the Java heap");
  }

  /** Frees what the structure holds: memory, files. */
  @Override
  void close();
}
