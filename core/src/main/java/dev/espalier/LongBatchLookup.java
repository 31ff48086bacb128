// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * How an index looks up many keys at once. {@code dev.espalier.batch.BatchLookup}, which every tree
 * has, also tells what it chooses and why.
 */
public interface LongBatchLookup {

  /** Looks up keys as {@link LongIndex#getAll(long[], int, long[], int, int)}. */
  void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count);

  /**
   * Looks up keys and tells which are there, as {@link LongIndex#getAll(long[], int, long[], int,
   * int, long[])}.
   */
  int getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found);
}
