// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * Looks up many keys of an index at once. {@link dev.espalier.batch.BatchLookup}, the
 * implementation of all trees, also lets you choose the method, and says what it chooses and why.
 */
public interface LongBatchLookup {

  /** Looks up keys as {@link LongIndex#getAll(long[], int, long[], int, int)} does. */
  void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count);

  /**
   * Looks up keys and reports which are present, as {@link LongIndex#getAll(long[], int, long[],
   * int, int, long[])} does.
   */
  int getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found);
}
