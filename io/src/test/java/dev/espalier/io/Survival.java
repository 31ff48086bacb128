// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Decides what outlives one power loss of what was done to one thing since it was forced.
 *
 * <p>The chance to be kept is itself drawn, and may be none or all: were it always a half, of fifty
 * sectors there would never be all but one, which is where protocols break.
 */
final class Survival {
  private static final double[] CHANCES = {0, 0.1, 0.5, 0.9, 1};

  private final RandomGenerator random;
  private final double chance;

  Survival(RandomGenerator random) {
    this.random = random;
    this.chance = CHANCES[random.nextInt(CHANCES.length)];
  }

  /** Tells whether something is kept. */
  boolean keeps() {
    return random.nextDouble() < chance;
  }

  /** Returns the old version, or one of the newer ones. */
  byte[] choose(byte[] old, List<byte[]> newer) {
    if (newer.isEmpty() || !keeps()) {
      return old;
    }
    return keeps() ? newer.getLast() : newer.get(random.nextInt(newer.size()));
  }
}
