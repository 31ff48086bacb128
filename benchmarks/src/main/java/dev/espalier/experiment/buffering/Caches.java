// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.model.CacheSizes;

/** The caches of this machine. */
final class Caches {
  /** Where the system does not tell how large the last level is. */
  private static final long TYPICAL_BYTES = 32 << 20;

  private static final int LINE_LONGS = 8;

  /** A bound, for an array. */
  private static final long MOST_BYTES = 1 << 29;

  private static final long[] OTHER_THINGS = new long[(int) (twiceTheLastLevel() / Long.BYTES)];

  private Caches() {}

  private static long twiceTheLastLevel() {
    long known = CacheSizes.ofThisMachine().lastLevelBytes();
    return Math.min(2 * (known > 0 ? known : TYPICAL_BYTES), MOST_BYTES);
  }

  /** Writes to twice as many lines as the caches have, so that they hold nothing else. */
  static void fillWithOtherThings() {
    for (int i = 0; i < OTHER_THINGS.length; i += LINE_LONGS) {
      OTHER_THINGS[i]++;
    }
  }
}
