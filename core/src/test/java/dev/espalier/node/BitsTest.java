// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sets of small numbers, against those of the JDK. */
class BitsTest {
  private static final int NUMBERS = 3 * Long.SIZE;

  /** Sets that are empty, nearly empty, half full, nearly full and full. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.02, 0.5, 0.98, 1})
  void nextMissingNumberIsFoundFromEveryNumberToEveryEnd(double share) {
    SplittableRandom random = new SplittableRandom(11);
    long[] bits = new long[Bits.words(NUMBERS)];
    BitSet model = new BitSet();
    for (int number = 0; number < NUMBERS; number++) {
      if (random.nextDouble() < share) {
        Bits.add(bits, number);
        model.set(number);
      }
    }
    for (int from = 0; from <= NUMBERS; from++) {
      for (int end = from; end <= NUMBERS; end++) {
        int expected = Math.min(model.nextClearBit(from), end);
        assertEquals(expected, Bits.nextMissing(bits, from, end));
      }
    }
  }
}
