// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import java.util.SplittableRandom;

/**
 * Draws ranks by Zipf's law with exponent 0.99, as YCSB does: the i-th most frequent one is drawn
 * in proportion to i to the power of -0.99. Frequent ranks are spread over all of them. The method
 * is that of Gray et al., "Quickly generating billion-record synthetic databases", SIGMOD 1994.
 */
public final class ZipfRanks {
  private static final double EXPONENT = 0.99;

  private final int count;
  private final double zeta;
  private final double alpha;
  private final double eta;

  /** Prepares draws from 0 to {@code count - 1}; O(count). */
  public ZipfRanks(int count) {
    this.count = count;
    double sum = 0;
    for (int i = 1; i <= count; i++) {
      sum += Math.pow(i, -EXPONENT);
    }
    zeta = sum;
    alpha = 1 / (1 - EXPONENT);
    double ofTwo = 1 + Math.pow(2, -EXPONENT);
    eta = (1 - Math.pow(2.0 / count, 1 - EXPONENT)) / (1 - ofTwo / zeta);
  }

  /** Draws a rank. */
  public int draw(SplittableRandom random) {
    return spread(place(random.nextDouble()));
  }

  /**
   * Returns how frequent a rank is to be drawn.
   *
   * @param uniform a number from 0 to below 1
   * @return 0 for the most frequent
   */
  public int place(double uniform) {
    double share = uniform * zeta;
    if (share < 1) {
      return 0;
    }
    if (share < 1 + Math.pow(2, -EXPONENT)) {
      return 1;
    }
    return (int) Math.min(count - 1, count * Math.pow(eta * uniform - eta + 1, alpha));
  }

  private int spread(int place) {
    long mixed = (place + 1) * 0x9E3779B97F4A7C15L;
    return (int) Math.floorMod(mixed ^ mixed >>> 32, (long) count);
  }
}
