// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Comparing keys byte by byte gives the order of longs, signs included. */
class BytewiseSearchTest {
  private static final long[] KEYS = {
    Long.MIN_VALUE, -257, -256, -1, 0, 1, 255, 256, 0x0102_0304_0506_0708L, Long.MAX_VALUE
  };

  @Test
  void findsWhatComparingLongsFinds() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nodes = arena.allocate((long) KEYS.length * Long.BYTES, Long.BYTES);
      for (int slot = 0; slot < KEYS.length; slot++) {
        Words.putLong(nodes, (long) slot * Long.BYTES, KEYS[slot]);
      }
      long[] probes =
          LongStream.of(KEYS).flatMap(key -> LongStream.of(key - 1, key, key + 1)).toArray();
      for (int count = 0; count <= KEYS.length; count++) {
        for (long probe : probes) {
          assertEquals(
              Keys.lowerBoundBinary(nodes, 0, count, probe),
              BytewiseSearch.lowerBound(nodes, 0, count, probe),
              "key " + probe + " among " + count);
        }
      }
    }
  }
}
