// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LastWritesTest {

  /** How keys lie. */
  private enum Keys {
    RANDOM {
      @Override
      LongSupplier of(Random random) {
        return random::nextLong;
      }
    },
    DENSE {
      @Override
      LongSupplier of(Random random) {
        return () -> random.nextInt(3_000) - 1_500;
      }
    },
    ONE {
      @Override
      LongSupplier of(Random random) {
        return () -> 7;
      }
    },
    /** Those that agree in their highest bits are far apart all the same, and some are equal. */
    HEAPS_FAR_APART {
      @Override
      LongSupplier of(Random random) {
        return () ->
            (random.nextInt(4) - 2L << 62) + (random.nextInt(3) << 16) + random.nextInt(50);
      }
    },
    ENDS {
      @Override
      LongSupplier of(Random random) {
        return () -> random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE - random.nextInt(2);
      }
    };

    abstract LongSupplier of(Random random);
  }

  @ParameterizedTest
  @EnumSource(Keys.class)
  void theLastWriteToEachKeyIsFoundInTheOrderOfTheKeys(Keys kind) {
    Random random = new Random(3);
    for (int count : new int[] {0, 1, 2, 24, 25, 26, 1_000, 5_000, 100_000}) {
      LongSupplier draw = kind.of(random);
      Entries entries = new Entries();
      TreeMap<Long, Integer> expected = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        long key = draw.getAsLong();
        entries.add(key, i);
        expected.put(key, i);
      }
      assertArrayEquals(
          expected.values().stream().mapToInt(Integer::intValue).toArray(), LastWrites.of(entries));
    }
  }
}
