// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.List;
import java.util.stream.LongStream;

/**
 * How much the tests do. Of shapes and seeds a run takes a part, always the same, but for {@code
 * -Pexhaustive}, which takes all of them. {@code mvn verify} does with it what ends within minutes;
 * {@code -Pthorough} takes large sizes, and runs what is tagged {@code thorough} as well. So what
 * passes {@code -Pthorough} is hardly ever refused by {@code mvn verify}.
 */
public final class TestSize {
  private static final boolean THOROUGH =
      "thorough".equals(System.getProperty("espalier.test.size"));

  private TestSize() {}

  /** Tells whether this is a thorough run. */
  public static boolean isThorough() {
    return THOROUGH;
  }

  /** Returns the number from which a test makes its seeds, the same in every run. */
  public static long seed() {
    return Draw.current().seed();
  }

  /** Returns the run's part of many. */
  public static <T> List<T> part(List<T> all) {
    return part("", all);
  }

  /**
   * Returns the run's part of many.
   *
   * @param from names the many; what has another name is drawn apart
   */
  public static <T> List<T> part(String from, List<T> all) {
    return Draw.current().of(from, all);
  }

  /**
   * Returns seeds, of which each is a case of its own: the run's part of all, but usually not more
   * than so many.
   */
  public static long[] seeds(int usual, int all) {
    return seeds("", usual, all);
  }

  /**
   * Returns such seeds, drawn apart from those of other names: where there are few, not all tests
   * have theirs in the same runs.
   */
  public static long[] seeds(String from, int usual, int all) {
    List<Long> drawn = Draw.current().of(from, LongStream.range(0, all).boxed().toList());
    return drawn.stream().limit(THOROUGH ? all : usual).mapToLong(i -> i).toArray();
  }

  /**
   * Returns seeds, of which each is a case of its own: the run's part of all, but usually not more
   * than a quarter of all.
   */
  public static long[] seeds(int all) {
    return seeds(Math.ceilDiv(all, 4), all);
  }

  /**
   * Returns how often to do what is different each time: in a thorough run a part of all, at least
   * ten, and usually no more than that. Hundreds are rounded up so that threads and rounds can
   * divide them.
   */
  public static int share(int usual, int all) {
    if (isExhaustive()) {
      return all;
    }
    int part = Math.ceilDiv(all, Draw.current().parts());
    int share = part < 100 ? Math.max(part, Math.min(all, 10)) : Math.ceilDiv(part, 20) * 20;
    return THOROUGH ? share : Math.min(usual, share);
  }

  /** Tells whether nothing is left out. */
  public static boolean isExhaustive() {
    return THOROUGH && Draw.current().parts() == 1;
  }

  /**
   * Returns the number to go on with after another, where each from 1 on is a case of its own, such
   * as the operation to fail: one of the run's part.
   */
  public static int after(int number) {
    int row = Draw.current().parts();
    int next = number + 1;
    return next + Math.floorMod(Draw.current().seed() + 1 - next, row);
  }

  /** Returns one size or the other. */
  public static int of(int usual, int thorough) {
    return THOROUGH ? thorough : usual;
  }
}
