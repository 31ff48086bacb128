// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class SumsTest {

  @Test
  void everyLengthIsAddedUpToItsEnd() {
    long[] longs = WorkKeys.keys(0, 200);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_LONG, longs);
      for (int from = 0; from < 10; from++) {
        for (int count = 0; from + count <= longs.length; count++) {
          long expected = LongStream.of(longs).skip(from).limit(count).sum();
          assertEquals(expected, Sums.of(segment, from * 8L, count));
          assertEquals(expected, Sums.scalar(segment, from * 8L, count));
        }
      }
    }
  }
}
