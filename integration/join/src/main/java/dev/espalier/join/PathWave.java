// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongIndex;

/**
 * Brings the paths to many keys into the cache, or the pages of a file into memory, before each of
 * the keys is sought by itself. A lookup of all keys together does so: it goes down a level at a
 * time, so that the misses of a level overlap.
 */
final class PathWave {
  /** Few enough for what lies on their paths to be in the cache when the last one is sought. */
  static final int ROWS = 256;

  private final LongIndex inner;
  private final boolean isUsed;
  private final long[] ignored;

  /**
   * Creates a wave.
   *
   * @throws IllegalArgumentException if the options have another method
   */
  PathWave(LongIndex inner, JoinOptions options) {
    this.inner = inner;
    this.isUsed =
        switch (options.method()) {
          case AUTO, GROUP -> true;
          case SINGLE -> false;
          case SORTED, BUFFERED ->
              throw new IllegalArgumentException(
                  "method is " + options.method() + ", which this join does not support");
        };
    this.ignored = new long[isUsed ? ROWS : 0];
  }

  /** Brings the paths to at most {@link #ROWS} keys. */
  void bring(long[] keys, int from, int count) {
    if (isUsed) {
      inner.getAll(keys, from, ignored, 0, count);
    }
  }
}
