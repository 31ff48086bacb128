// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongIndex;
import java.util.Arrays;

/** Looks up the keys of an array, by the method that costs least. */
public final class BatchLookup {
  private static final int CHUNK = 1024;

  private BatchLookup() {}

  /** As {@link LongIndex#getAll(long[], int, long[], int, int)}; arguments were checked. */
  public static void getAll(
      LongIndex index,
      TreeLevels levels,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count) {
    for (int done = 0; done < count; done += CHUNK) {
      int some = Math.min(CHUNK, count - done);
      Arrays.fill(values, valuesFrom + done, valuesFrom + done + some, levels.root());
      levels.answer(levels.height() - 1, keys, keysFrom + done, values, valuesFrom + done, some);
    }
  }

  public static void buffered(
      TreeLevels tree, VirtualNodes nodes, int capacity, long[] keys, long[] values) {
    BufferedLookup.getAll(tree, nodes, capacity, keys, 0, values, 0, keys.length);
  }
}
