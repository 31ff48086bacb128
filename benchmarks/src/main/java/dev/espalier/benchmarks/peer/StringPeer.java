// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

/**
 * An ordered map from strings to byte strings under measurement, in memory, for one thread. Each
 * call does the work of a whole round, so that the loop around it is compiled for the structure.
 */
public interface StringPeer extends AutoCloseable {

  /** Stores the entries {@code from} to {@code to - 1}. */
  void put(StringEntries entries, int from, int to);

  /** Does what the structure's documentation recommends between a load and lookups. */
  default void settle() {}

  /**
   * Looks up keys one after the other; returns the sum of the longs that the found values begin
   * with.
   */
  long get(PackedStrings probes);

  /**
   * Visits all entries in order; returns the sum of the longs that values begin with, and of the
   * bytes of the keys.
   */
  long scan();

  /** Frees what the structure holds: memory, files. */
  @Override
  void close();
}
