// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StringOrderTest {
  /** How keys lie. */
  private enum Keys {
    RANDOM {
      @Override
      Supplier<byte[]> of(Random random) {
        return () -> bytes(random, random.nextInt(30), 256);
      }
    },
    /** Some are shorter than the numbers that are compared, and end in what those end in. */
    ZEROS {
      @Override
      Supplier<byte[]> of(Random random) {
        return () -> new byte[random.nextInt(30)];
      }
    },
    ONE {
      @Override
      Supplier<byte[]> of(Random random) {
        byte[] key = bytes(random, 5, 256);
        return () -> key;
      }
    },
    EMPTY {
      @Override
      Supplier<byte[]> of(Random random) {
        return () -> new byte[0];
      }
    },
    LONG_PREFIX {
      @Override
      Supplier<byte[]> of(Random random) {
        byte[] key = bytes(random, 60, 256);
        return () -> {
          byte[] changed = Arrays.copyOf(key, 40 + random.nextInt(21));
          changed[30 + random.nextInt(10)] += (byte) random.nextInt(3);
          return changed;
        };
      }
    },
    /**
     * Bytes of few values, below and above the sign, so that many keys share what they begin with.
     */
    FEW_VALUES {
      @Override
      Supplier<byte[]> of(Random random) {
        return () -> {
          byte[] key = bytes(random, random.nextInt(25), 2);
          for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (key[i] * 0xff);
          }
          return key;
        };
      }
    },
    /** Each is what the next ones begin with. */
    NESTED {
      @Override
      Supplier<byte[]> of(Random random) {
        byte[] key = bytes(random, 2_000, 256);
        return () -> Arrays.copyOf(key, random.nextInt(key.length));
      }
    };

    abstract Supplier<byte[]> of(Random random);

    static byte[] bytes(Random random, int length, int values) {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        bytes[i] = (byte) random.nextInt(values);
      }
      return bytes;
    }
  }

  @ParameterizedTest
  @EnumSource(Keys.class)
  void keysAreSortedAndEqualOnesStayInTheOrderInWhichTheyWereWritten(Keys kind) {
    Random random = new Random(11);
    for (int count : new int[] {0, 1, 2, 24, 25, 26, 1_000, 20_000}) {
      Supplier<byte[]> draw = kind.of(random);
      byte[][] keys = new byte[count][];
      int[] starts = new int[count];
      int[] lengths = new int[count];
      int end = random.nextInt(3);
      for (int i = 0; i < count; i++) {
        keys[i] = draw.get();
        starts[i] = end;
        lengths[i] = keys[i].length;
        end += keys[i].length + random.nextInt(3); // a value, which no order depends on
      }
      byte[] bytes = Keys.bytes(random, end, 256);
      for (int i = 0; i < count; i++) {
        System.arraycopy(keys[i], 0, bytes, starts[i], lengths[i]);
      }
      int[] expected =
          IntStream.range(0, count)
              .boxed()
              .sorted(Comparator.comparing(i -> keys[i], Arrays::compareUnsigned))
              .mapToInt(Integer::intValue)
              .toArray();
      assertArrayEquals(expected, StringOrder.of(bytes, starts, lengths, count));
    }
  }
}
