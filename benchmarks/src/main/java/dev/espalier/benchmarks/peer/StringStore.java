// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

/** A map from strings to byte strings in files of its own, which it makes and deletes. */
public interface StringStore extends AutoCloseable {

  /**
   * Stores the entries {@code from} to {@code to - 1} as one change, all or nothing of which a
   * crash leaves, and waits until it is safe.
   */
  void putTogether(StringEntries entries, int from, int to);

  /** Does what the store's documentation recommends between a load and lookups. */
  default void settle() {}

  /**
   * Closes the files and opens them again to read only, past the system's cache, with an empty
   * cache of {@code cacheBytes}.
   */
  void reopen(long cacheBytes);

  /**
   * Looks up keys, {@code group} at a time; returns the sum of the longs that the found values
   * begin with.
   */
  long getAll(PackedStrings probes, int group);

  @Override
  void close();
}
