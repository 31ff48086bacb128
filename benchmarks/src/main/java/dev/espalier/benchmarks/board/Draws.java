// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import dev.espalier.experiment.threads.ZipfRanks;
import java.util.SplittableRandom;

/**
 * The entries that skewed operations are for, drawn beforehand, since a draw by Zipf's law takes as
 * long as a lookup. Threads go through the same draws from different places.
 */
final class Draws {
  private static final int LEAST_DRAWS = 1 << 16;
  private static final int MOST_DRAWS = 1 << 22;
  private static final int DRAWS_PER_ENTRY = 4;
  private static final int SEED = 11;

  private final int[] ranks;
  private final int[] places;

  /** Draws from a number of entries. */
  Draws(int entries) {
    int count =
        Math.toIntExact(Math.clamp((long) DRAWS_PER_ENTRY * entries, LEAST_DRAWS, MOST_DRAWS));
    ranks = new int[count];
    places = new int[count];
    ZipfRanks zipf = new ZipfRanks(entries);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < count; i++) {
      ranks[i] = zipf.draw(random);
      places[i] = zipf.place(random.nextDouble());
    }
  }

  /** Returns one thread's sequence. */
  Sequence sequence(Distribution distribution, long seed) {
    return new Sequence(distribution, new SplittableRandom(seed));
  }

  /** A sequence of entries. */
  final class Sequence {
    private final Distribution distribution;
    private final SplittableRandom random;
    private int at;

    private Sequence(Distribution distribution, SplittableRandom random) {
      this.distribution = distribution;
      this.random = random;
      at = random.nextInt(ranks.length);
    }

    SplittableRandom random() {
      return random;
    }

    /** Returns an entry of those from 0 to {@code count - 1}, at least one. */
    long next(long count) {
      if (distribution == Distribution.UNIFORM) {
        return random.nextLong(count);
      }
      at = at + 1 < ranks.length ? at + 1 : 0;
      return distribution == Distribution.ZIPF
          ? Math.min(ranks[at], count - 1)
          : Math.max(0, count - 1 - places[at]);
    }
  }
}
