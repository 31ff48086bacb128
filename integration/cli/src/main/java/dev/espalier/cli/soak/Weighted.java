// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Things of which one is drawn, the likelier the older it is.
 *
 * @param <T> the things
 */
final class Weighted<T> {
  private final List<T> all = new ArrayList<>();

  /** Of each, the sum of the weights up to it. */
  private final List<Double> sums = new ArrayList<>();

  /** Adds one that has waited for so many events, four times as likely as for half as many. */
  void addAged(T added, double events) {
    all.add(added);
    sums.add((sums.isEmpty() ? 0 : sums.getLast()) + (1 + events) * (1 + events));
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  T draw(SplittableRandom random) {
    double drawn = random.nextDouble() * sums.getLast();
    int i = 0;
    while (i < all.size() - 1 && sums.get(i) <= drawn) {
      i++;
    }
    return all.get(i);
  }
}
