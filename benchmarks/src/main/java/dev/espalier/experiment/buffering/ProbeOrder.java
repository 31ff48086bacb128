// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.experiment.Entries;
import java.util.Arrays;
import java.util.Random;

/** Which keys are looked up, and in what order (6.5). */
enum ProbeOrder {
  UNIFORM("uniform") {
    @Override
    long rank(Random random, int keys) {
      return random.nextInt(keys);
    }
  },

  /** 95% of the probes go to the fifth of the keys in the middle. */
  GAUSSIAN("gaussian") {
    @Override
    long rank(Random random, int keys) {
      double rank = keys / 2.0 + random.nextGaussian() * keys * DEVIATION;
      return Math.clamp((long) rank, 0, keys - 1);
    }
  },

  /** Uniform, then sorted. */
  SORTED("sorted") {
    @Override
    long rank(Random random, int keys) {
      return random.nextInt(keys);
    }
  };

  /** The share of the keys that a gaussian distribution gives to 95% of the probes. */
  static final double FAVOURED = 0.2;

  /** Of the keys: 95% of a normal distribution are within 1.96 deviations of its middle. */
  private static final double DEVIATION = FAVOURED / 2 / 1.96;

  private static final int SEED = 5;

  private final String label;

  ProbeOrder(String label) {
    this.label = label;
  }

  abstract long rank(Random random, int keys);

  /** Returns keys of {@code count} probes of a tree of {@code keys} entries. */
  long[] probes(int keys, int count) {
    Random random = new Random(SEED);
    long[] probes = new long[count];
    for (int i = 0; i < count; i++) {
      probes[i] = Entries.key(rank(random, keys));
    }
    if (this == SORTED) {
      Arrays.sort(probes);
    }
    return probes;
  }

  @Override
  public String toString() {
    return label;
  }
}
