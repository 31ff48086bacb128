// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongEntrySource;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.util.Arrays;

/** Entries in ascending order of their keys. Of those with the same key the last one counts. */
final class SortedEntries implements LongEntrySource {
  private final long[] keys;
  private final long[] values;
  private final int[] order;
  private final int repeats;
  private int position = -1;

  /**
   * Sorts entries in parallel. The arrays are neither copied nor changed.
   *
   * @param count of the entries at the beginning of the arrays
   */
  SortedEntries(long[] keys, long[] values, int count) {
    this.keys = keys;
    this.values = values;
    this.order = new int[count];
    Arrays.setAll(order, i -> i);
    LongArrays.parallelRadixSortIndirect(order, keys, 0, count, true);
    int same = 0;
    for (int i = 1; i < count; i++) {
      if (keys[order[i]] == keys[order[i - 1]]) {
        same++;
      }
    }
    this.repeats = same;
  }

  /** Returns the number of entries that count. */
  int size() {
    return order.length - repeats;
  }

  /** Returns how many entries don't count. */
  int repeats() {
    return repeats;
  }

  @Override
  public boolean next() {
    do {
      position++;
    } while (position + 1 < order.length && keys[order[position]] == keys[order[position + 1]]);
    return position < order.length;
  }

  @Override
  public long key() {
    return keys[order[position]];
  }

  @Override
  public long value() {
    return values[order[position]];
  }
}
