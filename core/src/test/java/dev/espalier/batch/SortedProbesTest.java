// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys of several distributions, more and fewer than stay in a cache. */
final class SortedProbesTest {
  private static final int CAPACITY = 200_000;

  private final SplittableRandom random = new SplittableRandom(1);

  /** Turns random numbers into keys. */
  enum Distribution {
    UNIFORM(number -> number),
    ALL_THE_SAME(_ -> -7),
    FEW_DIFFERENT(number -> number % 5),
    DENSE(number -> number & 0xFFFFF),
    /** One part of any division gets nearly all. */
    CLUSTERED(number -> (number & 63) == 0 ? number : number & 0xFFF | 1L << 40),
    EXTREMES(number -> (number & 1) == 0 ? Long.MIN_VALUE + (number & 2) : Long.MAX_VALUE);

    final LongUnaryOperator key;

    Distribution(LongUnaryOperator key) {
      this.key = key;
    }
  }

  @ParameterizedTest
  @EnumSource
  void keysAreSortedWithTheirPlaces(Distribution distribution) {
    SortedProbes probes = new SortedProbes(CAPACITY);
    for (int count : new int[] {0, 1, 2, 1000, 32_768, 32_769, CAPACITY, 100}) {
      long[] keys = random.longs(count + 3).map(distribution.key).toArray();
      probes.sort(keys, 3, count);
      long[] expected = Arrays.copyOfRange(keys, 3, 3 + count);
      Arrays.sort(expected);
      assertArrayEquals(expected, Arrays.copyOf(probes.keys, count));
      boolean[] seen = new boolean[count];
      for (int i = 0; i < count; i++) {
        int place = probes.places[i];
        assertEquals(probes.keys[i], keys[3 + place]);
        seen[place] = true;
      }
      assertEquals(count, countOf(seen));
    }
  }

  private static int countOf(boolean[] seen) {
    int count = 0;
    for (boolean one : seen) {
      count += one ? 1 : 0;
    }
    return count;
  }
}
