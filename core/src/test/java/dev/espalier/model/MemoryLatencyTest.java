// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MemoryLatencyTest {

  @Test
  void measuresPositiveTimes() {
    MemoryTimes times = MemoryLatency.measure(1 << 26);
    assertTrue(times.t1() > 0, times.toString());
    assertTrue(times.tnext() > 0, times.toString());
  }

  @ParameterizedTest
  @CsvSource({
    // cache MiB, free MiB, region MiB
    "32, 16000, 512",
    "260, 16000, 1024",
    "0, 16000, 1024",
    "32, 700, 256",
    "1, 16000, 64",
    "32, 10, 64"
  })
  void regionIsFarLargerThanTheCacheAndFitsIntoMemory(long cache, long free, long region) {
    assertEquals(region << 20, MemoryLatency.regionBytes(cache << 20, free << 20));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 64, 192, -128})
  void sizeThatIsNoPowerOfTwoIsRefused(long bytes) {
    var e = assertThrows(IllegalArgumentException.class, () -> MemoryLatency.measure(bytes));
    assertEquals(
        "regionBytes is " + bytes + "; it must be a power of two and hold two lines",
        e.getMessage());
  }
}
