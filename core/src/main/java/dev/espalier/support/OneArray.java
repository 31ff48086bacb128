// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.LongIndex;

/** Batched lookup where keys and values are the same array. */
public final class OneArray {
  private OneArray() {}

  /**
   * Looks the keys up one by one, in the order in which no answer overwrites a key that is still to
   * come.
   */
  public static void getAll(
      LongIndex index, long[] array, int keysFrom, int valuesFrom, int count) {
    boolean backwards = valuesFrom > keysFrom;
    for (int i = 0; i < count; i++) {
      int at = backwards ? count - 1 - i : i;
      array[valuesFrom + at] = index.get(array[keysFrom + at]);
    }
  }
}
