// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which part a run takes of what would be too much for each, and from which number tests draw. Both
 * are the same in every run, but for {@code -Dseed}; as many consecutive seeds as there are parts
 * take everything once.
 *
 * @param seed any number
 * @param parts of which one is taken; with one, that is everything
 */
record Draw(long seed, int parts) {
  /** Decides what each run tests; as good as any other number. */
  private static final long USUAL_SEED = 20_785;

  /** What Maven asks for; where it does not run the tests, everything. */
  static final Draw OF_RUN = ofRun();

  private static volatile Draw current = OF_RUN;

  /** Returns that of the run, or the one that {@link #instead} has put in its place. */
  static Draw current() {
    return current;
  }

  /** Runs something with this draw instead of that of the run. */
  void instead(Runnable what) {
    Draw before = current;
    current = this;
    try {
      what.run();
    } finally {
      current = before;
    }
  }

  private static Draw ofRun() {
    int parts = Integer.getInteger("espalier.test.draw", 1);
    String given = System.getProperty("espalier.test.seed", "");
    long seed =
        switch (given) {
          case "" -> USUAL_SEED;
          case "fresh" -> LocalDate.now(ZoneOffset.UTC).toEpochDay();
          default -> Long.parseLong(given);
        };
    if (!given.isEmpty()) {
      System.out.println("Drawn with -Dseed=" + seed);
    }
    return new Draw(seed, parts);
  }

  /**
   * Tells whether one of many is taken.
   *
   * @param from names the many; what has another name is drawn apart, so that a shape that one test
   *     leaves out is in another
   */
  boolean takes(String from, long index) {
    return Math.floorMod(index + from.hashCode() + seed, (long) parts) == 0;
  }

  /** Returns those that are taken, in their order; of fewer than there are parts always one. */
  <T> List<T> of(String from, List<T> all) {
    int row = Math.min(parts, Math.max(all.size(), 1));
    return IntStream.range(0, all.size())
        .filter(i -> new Draw(seed, row).takes(from, i))
        .mapToObj(all::get)
        .toList();
  }
}
