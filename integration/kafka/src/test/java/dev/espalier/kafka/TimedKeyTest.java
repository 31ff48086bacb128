// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.Test;

class TimedKeyTest {
  private static final Comparator<TimedKey> ORDER =
      Comparator.comparing(TimedKey::key)
          .thenComparingLong(TimedKey::time)
          .thenComparingLong(TimedKey::second);

  @Test
  void bytesAreInTheOrderOfKeysAndNumbers() {
    Random random = new Random(5);
    long[] numbers = {Long.MIN_VALUE, -1, 0, 1, 255, 256, Long.MAX_VALUE};
    List<TimedKey> keys = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      keys.add(
          new TimedKey(
              StoreComparison.key(random),
              numbers[random.nextInt(numbers.length)],
              numbers[random.nextInt(numbers.length)]));
    }
    for (TimedKey one : keys) {
      assertEquals(one, TimedKey.decode(one.encode()));
      Bytes end = Entries.endOfPrefix(TimedKey.prefix(one.key()));
      for (TimedKey other : keys) {
        assertEquals(
            Integer.signum(ORDER.compare(one, other)),
            Integer.signum(one.encode().compareTo(other.encode())),
            () -> one + ", " + other);
        boolean isBefore = other.encode().compareTo(end) < 0;
        assertEquals(other.key().compareTo(one.key()) <= 0, isBefore, () -> one + ", " + other);
      }
      assertTrue(TimedKey.lowest(one.key(), one.time()).compareTo(one.encode()) <= 0);
      assertTrue(TimedKey.highest(one.key(), one.time()).compareTo(one.encode()) >= 0);
    }
  }
}
