// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.prefetch.NativeStatus.State;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds with native code and without. */
@Tag("fallback-too")
final class PrefetchTest {

  private static final long[] OFFSETS = {0, 64, -64, Long.MAX_VALUE, Long.MIN_VALUE};

  @Test
  void isNativeExactlyWhenTheLibraryIsAvailable() {
    assertEquals(Prefetch.status().state() == State.AVAILABLE, Prefetch.isNative());
    assertEquals(Prefetch.status().isAvailable(), Prefetch.isNative());
  }

  @Test
  void buildRunsTheseTestsWithNativeAccessAndWithout() {
    String run = System.getProperty("espalier.test.run");
    assumeTrue(run != null, "not run by the build");
    boolean nativeRun = run.equals("native");
    assertEquals(nativeRun, Prefetch.class.getModule().isNativeAccessEnabled());
    assertEquals(nativeRun, ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent());
    assertEquals(!nativeRun, Prefetch.status().state() == State.ACCESS_DENIED);
  }

  @ParameterizedTest
  @EnumSource
  void anyAddressIsHarmless(Locality locality) {
    for (long address : new long[] {0, 1, 0xdead_beefL, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      Prefetch.lines(address, 3, locality);
      Prefetch.batch(address, OFFSETS, 0, OFFSETS.length, 3, locality);
      Prefetch.linesAtEach(address, OFFSETS, 0, OFFSETS.length, 3, locality);
    }
  }

  @ParameterizedTest
  @EnumSource
  void memoryAndOffsetsKeepTheirContents(Locality locality) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1024, 64).fill((byte) 7);
      MemorySegment nativeOffsets = arena.allocateFrom(ValueLayout.JAVA_LONG, 0, 64, 512);
      long[] offsets = {0, 64, 512};
      Prefetch.lines(memory.address(), 16, locality);
      Prefetch.batch(memory.address(), offsets, 0, 3, 2, locality);
      Prefetch.batch(memory.address(), nativeOffsets, 0, 3, 2, locality);
      assertEquals(-1, memory.mismatch(arena.allocate(1024).fill((byte) 7)));
      assertArrayEquals(new long[] {0, 64, 512}, offsets);
      assertArrayEquals(offsets, nativeOffsets.toArray(ValueLayout.JAVA_LONG));
    }
  }

  @Test
  void noLinesAndNoOffsetsAreNothingToDo() {
    Prefetch.lines(0, 0);
    Prefetch.lines(0, Integer.MIN_VALUE);
    Prefetch.batch(0, OFFSETS, OFFSETS.length, 0, 1);
    Prefetch.batch(0, OFFSETS, 0, OFFSETS.length, -1);
    Prefetch.batch(0, new long[0], 0, 0, 1);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 6, 'Range [0, 0 + 6) out of bounds for length 5'",
    "4, 2, 'Range [4, 4 + 2) out of bounds for length 5'",
    "-1, 2, 'Range [-1, -1 + 2) out of bounds for length 5'",
    "0, -1, 'Range [0, 0 + -1) out of bounds for length 5'",
    "2147483647, 2, 'Range [2147483647, 2147483647 + 2) out of bounds for length 5'"
  })
  void offsetsOutsideTheArrayAreRefused(int from, int count, String message) {
    IndexOutOfBoundsException ofArray =
        assertThrows(
            IndexOutOfBoundsException.class, () -> Prefetch.batch(0, OFFSETS, from, count, 1));
    assertEquals(message, ofArray.getMessage());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment offsets = arena.allocateFrom(ValueLayout.JAVA_LONG, OFFSETS);
      IndexOutOfBoundsException ofSegment =
          assertThrows(
              IndexOutOfBoundsException.class,
              () -> Prefetch.batch(0, offsets, from, count, 1, Locality.T0));
      assertEquals(message, ofSegment.getMessage());
    }
  }

  @Test
  void halfALongAtTheEndOfASegmentIsNoOffset() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment offsets = arena.allocate(15, 8);
      Prefetch.batch(0, offsets, 0, 1, 1, Locality.T0);
      assertThrows(
          IndexOutOfBoundsException.class, () -> Prefetch.batch(0, offsets, 0, 2, 1, Locality.T0));
    }
  }
}
