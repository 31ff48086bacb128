// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.List;
import java.util.stream.IntStream;

/**
 * How much the tests do. {@code mvn verify} takes sizes that end within minutes; {@code -Pthorough}
 * takes the large ones, and runs what is tagged {@code thorough} as well.
 */
public final class TestSize {
  private static final boolean THOROUGH =
      "thorough".equals(System.getProperty("espalier.test.size"));

  private TestSize() {}

  /** Tells whether this is a thorough run. */
  public static boolean isThorough() {
    return THOROUGH;
  }

  /** Returns a quarter of the rounds, one at least, or all of them in a thorough run. */
  public static int rounds(int all) {
    return THOROUGH ? all : Math.ceilDiv(all, 4);
  }

  /** Returns one of so many in a row, the first one included, or all in a thorough run. */
  public static <T> List<T> oneIn(int row, List<T> all) {
    return IntStream.range(0, all.size())
        .filter(i -> THOROUGH || i % row == 0)
        .mapToObj(all::get)
        .toList();
  }

  /** Returns one size or the other. */
  public static int of(int usual, int thorough) {
    return THOROUGH ? thorough : usual;
  }
}
