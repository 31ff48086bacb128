// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

/** A store on a device, whose writes are compared once they are safe from a crash. */
interface DurableStore extends AutoCloseable {

  /** Stores a value, which is safe after {@link #commit}. */
  void put(long key, long value);

  /** Waits until all that was put is safe. */
  void commit();

  /**
   * Stores values as one change, all or none of which a crash leaves, and waits until it is safe.
   */
  void putTogether(long[] keys, long[] values, int from, int count);

  /** Stores a value and waits until it is safe; by many threads at once. */
  void putSafely(long key, long value);

  /** Returns the value of a key. */
  long get(long key);

  @Override
  void close();
}
