// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import java.util.NavigableMap;
import java.util.SplittableRandom;

/**
 * Chooses keys: some that are there, some beside them, some anywhere, some extreme, and some in
 * rows, as programs insert them. How changes from time to time.
 */
final class KeyChoice {
  private static final long[] EXTREMES = {
    Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, Long.MAX_VALUE - 1, Long.MAX_VALUE
  };

  private final SplittableRandom random;
  private final NavigableMap<Long, Long> model;

  /** Keys anywhere are from its negative to this. */
  private final long reach;

  private long place;
  private long stride = 1;

  /**
   * Begins.
   *
   * @param entries how many entries there will be about
   */
  KeyChoice(SplittableRandom random, NavigableMap<Long, Long> model, int entries) {
    this.random = random;
    this.model = model;
    this.reach = random.nextInt(3) == 0 ? Long.MAX_VALUE : 2L * entries;
  }

  /** Goes on elsewhere, in another way. */
  void move() {
    place = anywhere();
    stride = random.nextBoolean() ? 1 : random.nextLong(-3, reach / (1 << 16) + 4);
  }

  /** Returns a key that is there, if there are any. */
  long present() {
    Long key = model.ceilingKey(anywhere());
    if (key == null && !model.isEmpty()) {
      key = model.firstKey();
    }
    return key == null ? anywhere() : key;
  }

  /** Returns a key that may be there. */
  long any() {
    int kind = random.nextInt(64);
    if (kind == 0) {
      return EXTREMES[random.nextInt(EXTREMES.length)];
    }
    if (kind < 24) {
      return present();
    }
    return kind < 30 ? present() + random.nextLong(-2, 3) : anywhere();
  }

  /** Returns keys for a batch: in rows, or anywhere, sometimes with some twice. */
  long[] batch(int count) {
    long[] keys = new long[count];
    boolean inRows = random.nextInt(3) == 0;
    boolean isDense = random.nextInt(3) == 0;
    long from = anywhere();
    for (int i = 0; i < count; i++) {
      if (inRows) {
        place += stride;
        keys[i] = place;
      } else {
        keys[i] = isDense ? from + random.nextInt(2 * count) : any();
      }
    }
    return keys;
  }

  private long anywhere() {
    return reach == Long.MAX_VALUE ? random.nextLong() : random.nextLong(-reach, reach);
  }
}
