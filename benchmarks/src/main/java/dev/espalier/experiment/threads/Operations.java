// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.experiment.Entries;
import java.util.SplittableRandom;

/**
 * What the threads are to do, drawn beforehand: each operation has a random rank, and for a write
 * the key next to that of the rank, so that every key that was loaded stays.
 */
final class Operations {
  private static final byte GET = 0;
  private static final byte PUT = 1;
  private static final byte REMOVE = 2;

  private static final int SEED = 11;

  private final int[] ranks;
  private final byte[] kinds;

  /** Draws operations; half of them write, and half of these remove, if there are to be writes. */
  Operations(int count, int entries, boolean writes) {
    this.ranks = new int[count];
    this.kinds = new byte[count];
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < count; i++) {
      ranks[i] = random.nextInt(entries);
      int choice = random.nextInt(4);
      kinds[i] = !writes || choice < 2 ? GET : choice == 2 ? PUT : REMOVE;
    }
  }

  int count() {
    return ranks.length;
  }

  int rank(int i) {
    return ranks[i];
  }

  boolean isGet(int i) {
    return kinds[i] == GET;
  }

  boolean isPut(int i) {
    return kinds[i] == PUT;
  }

  /** Returns the key to look up, insert or remove. */
  long key(int i) {
    return Entries.key(ranks[i]) + (isGet(i) ? 0 : 1);
  }
}
