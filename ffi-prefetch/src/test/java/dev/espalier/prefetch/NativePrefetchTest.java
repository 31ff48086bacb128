// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefetch;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** What only the native library can show. */
final class NativePrefetchTest {

  /** The two bytes of the instruction, then the bits 3 to 5 of the byte that follows. */
  private static final Map<Locality, int[]> X86_64 =
      Map.ofEntries(
          entry(Locality.NTA, new int[] {0x0f, 0x18, 0}),
          entry(Locality.T0, new int[] {0x0f, 0x18, 1}),
          entry(Locality.T1, new int[] {0x0f, 0x18, 2}),
          entry(Locality.T2, new int[] {0x0f, 0x18, 3}),
          entry(Locality.WRITE, new int[] {0x0f, 0x0d, 1}));

  /** The operation of PRFM, the low five bits of the instruction. */
  private static final Map<Locality, Integer> AARCH64 =
      Map.ofEntries(
          entry(Locality.T0, 0b00000),
          entry(Locality.T1, 0b00010),
          entry(Locality.T2, 0b00100),
          entry(Locality.NTA, 0b00001),
          entry(Locality.WRITE, 0b10000));

  /** A compiler may think that code which only prefetches does nothing, and remove it. */
  @Test
  void eachHintIsAnInstructionInBothLoopsOnX86() throws IOException {
    byte[] library = library("x86_64");
    X86_64.forEach(
        (locality, code) ->
            assertBothLoops(
                locality,
                library.length - 2,
                i ->
                    library[i] == code[0]
                        && library[i + 1] == code[1]
                        && (library[i + 2] >> 3 & 7) == code[2]));
  }

  @Test
  void eachHintIsAnInstructionInBothLoopsOnAarch64() throws IOException {
    ByteBuffer library = ByteBuffer.wrap(library("aarch64")).order(ByteOrder.LITTLE_ENDIAN);
    AARCH64.forEach(
        (locality, operation) ->
            assertBothLoops(
                locality,
                library.capacity() / 4,
                i -> (library.getInt(4 * i) & 0xffc0_001f) == (0xf980_0000 | operation)));
  }

  @Test
  void freedOffsetsAreAnExceptionAndNotACrash() {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    Arena arena = Arena.ofShared();
    MemorySegment offsets = arena.allocate(64, 8);
    arena.close();
    assertThrows(
        IllegalStateException.class, () -> Prefetch.batch(0, offsets, 0, 8, 1, Locality.T0));
  }

  @Test
  void offsetsOfAnotherThreadAreRefused() throws InterruptedException {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    try (Arena arena = Arena.ofConfined();
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      MemorySegment offsets = arena.allocate(64, 8);
      ExecutionException e =
          assertThrows(
              ExecutionException.class,
              () -> other.submit(() -> Prefetch.batch(0, offsets, 0, 8, 1, Locality.T0)).get());
      assertTrue(e.getCause() instanceof WrongThreadException, () -> "was " + e.getCause());
    }
  }

  @Test
  void offsetsOnTheHeapAreRefusedAsASegment() {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    MemorySegment heap = MemorySegment.ofArray(new long[8]);
    assertThrows(
        IllegalArgumentException.class, () -> Prefetch.batch(0, heap, 0, 8, 1, Locality.T0));
  }

  private static void assertBothLoops(
      Locality locality, int positions, IntPredicate isInstruction) {
    int found = 0;
    for (int i = 0; i < positions; i++) {
      if (isInstruction.test(i)) {
        found++;
      }
    }
    assertTrue(found >= 2, locality + " was found " + found + " times");
  }

  private static byte[] library(String architecture) throws IOException {
    String resource = "/META-INF/native/linux-" + architecture + "/libespalier.so";
    try (InputStream library = Prefetch.class.getResourceAsStream(resource)) {
      assumeTrue(library != null, "built without a compiler for " + architecture);
      return library.readAllBytes();
    }
  }
}
