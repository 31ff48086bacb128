// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.prefetch.NativeStatus.State;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
final class VirtualMemoryTest {

  private static final long KIB = 1L << 10;
  private static final long MIB = 1L << 20;
  private static final long TIB = 1L << 40;

  private final Arena arena = Arena.ofConfined();

  @AfterEach
  void unmap() {
    arena.close();
  }

  @Test
  void isAvailableOnLinuxWithNativeAccess() {
    assertEquals(State.AVAILABLE, VirtualMemory.status().state());
  }

  @Test
  void isUnsupportedOutsideLinux() {
    NativeEnvironment macos =
        new NativeEnvironment(Platform.of("Mac OS X", "aarch64"), false, true, Path.of("unused"));
    assertEquals(State.UNSUPPORTED_PLATFORM, VirtualMemory.status(macos).state());
  }

  @Test
  void reservedMemoryReadsZeroAndCanBeWrittenToItsEnd() {
    MemorySegment memory = VirtualMemory.reserve(3 * MIB + 7, 1, arena);
    assertEquals(3 * MIB + 7, memory.byteSize());
    assertEquals(0, memory.get(JAVA_BYTE, memory.byteSize() - 1));
    memory.fill((byte) 5);
    assertEquals(5, memory.get(JAVA_BYTE, 0));
    assertEquals(5, memory.get(JAVA_BYTE, memory.byteSize() - 1));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 64, 4 * KIB, 64 * KIB, 2 * MIB, 1024 * MIB})
  void firstByteIsAlignedAndNeighboursStayUsable(long alignment) {
    MemorySegment first = VirtualMemory.reserve(4 * KIB, alignment, arena);
    MemorySegment second = VirtualMemory.reserve(4 * KIB, alignment, arena);
    assertEquals(0, first.address() % Math.max(alignment, LibC.PAGE_SIZE));
    assertEquals(0, second.address() % Math.max(alignment, LibC.PAGE_SIZE));
    first.fill((byte) 1);
    second.fill((byte) 2);
    assertEquals(1, first.get(JAVA_BYTE, 4 * KIB - 1));
  }

  @Test
  void addressSpaceMayBeLargerThanMemory() {
    MemorySegment memory = VirtualMemory.reserve(4 * TIB, 2 * MIB, arena);
    memory.set(JAVA_LONG, 4 * TIB - 8, 42);
    assertEquals(42, memory.get(JAVA_LONG, 4 * TIB - 8));
    assertEquals(0, memory.get(JAVA_LONG, 2 * TIB));
  }

  @Test
  void closingTheArenaUnmaps() {
    // All together would be more than the address space of a process.
    for (int i = 0; i < 200; i++) {
      try (Arena shortLived = Arena.ofConfined()) {
        assertEquals(4 * TIB, VirtualMemory.reserve(4 * TIB, 2 * MIB, shortLived).byteSize());
      }
    }
  }

  @Test
  void closedArenaIsRefusedAndNothingStaysMapped() {
    Arena closed = Arena.ofConfined();
    closed.close();
    for (int i = 0; i < 200; i++) {
      assertThrows(
          IllegalStateException.class, () -> VirtualMemory.reserve(4 * TIB, 2 * MIB, closed));
    }
  }

  @Test
  void useAfterCloseIsAnException() {
    Arena closed = Arena.ofConfined();
    MemorySegment memory = VirtualMemory.reserve(MIB, 1, closed);
    closed.close();
    assertThrows(IllegalStateException.class, () -> memory.get(JAVA_BYTE, 0));
    assertThrows(IllegalStateException.class, () -> VirtualMemory.release(memory));
    assertThrows(IllegalStateException.class, () -> VirtualMemory.adviseHugePages(memory));
  }

  @Test
  void releasedMemoryReadsZeroAndCanBeWrittenAgain() {
    MemorySegment memory = VirtualMemory.reserve(4 * MIB, 2 * MIB, arena);
    memory.fill((byte) 7);
    assertTrue(VirtualMemory.release(memory.asSlice(MIB, MIB)));
    assertEquals(7, memory.get(JAVA_BYTE, MIB - 1));
    assertEquals(-1, memory.asSlice(MIB, MIB).mismatch(MemorySegment.ofArray(new byte[(int) MIB])));
    assertEquals(7, memory.get(JAVA_BYTE, 2 * MIB));
    memory.set(JAVA_BYTE, MIB, (byte) 9);
    assertEquals(9, memory.get(JAVA_BYTE, MIB));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 100, 4 * KIB, 10_000, 100_000})
  void releaseBetweenPageBordersClearsExactlyTheRegion(long size) {
    MemorySegment memory = VirtualMemory.reserve(MIB, 1, arena);
    memory.fill((byte) 7);
    long start = 12_345;
    assertTrue(VirtualMemory.release(memory.asSlice(start, size)));
    for (long offset = 0; offset < MIB; offset++) {
      boolean released = offset >= start && offset < start + size;
      assertEquals(released ? 0 : 7, memory.get(JAVA_BYTE, offset), "offset " + offset);
    }
  }

  @Test
  void hugePagesAreAdvisedWhereTheKernelHasThem() {
    boolean kernelHasThem = Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage"));
    MemorySegment memory = VirtualMemory.reserve(8 * MIB, 2 * MIB, arena);
    assertEquals(kernelHasThem, VirtualMemory.adviseHugePages(memory));
  }

  @Test
  @SuppressWarnings("restricted")
  void adviceIsFalseWhenTheKernelRefusesIt() {
    // The first pages of an address space are never mapped.
    MemorySegment unmapped =
        MemorySegment.ofAddress(LibC.PAGE_SIZE).reinterpret(LibC.PAGE_SIZE, arena, null);
    assertFalse(VirtualMemory.adviseHugePages(unmapped));
    assertFalse(VirtualMemory.collapse(unmapped));
    assertFalse(VirtualMemory.release(unmapped));
  }

  @Test
  void collapseKeepsTheContents() {
    MemorySegment memory = VirtualMemory.reserve(2 * MIB, 2 * MIB, arena);
    memory.fill((byte) 3);
    VirtualMemory.collapse(memory);
    for (long offset = 0; offset < 2 * MIB; offset++) {
      assertEquals(3, memory.get(JAVA_BYTE, offset));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void sizeMustBePositive(long bytes) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> VirtualMemory.reserve(bytes, 4 * KIB, arena));
    assertEquals("bytes is not positive: " + bytes, e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 3, 4097, -4096, Long.MIN_VALUE})
  void alignmentMustBeAPowerOfTwo(long alignment) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> VirtualMemory.reserve(KIB, alignment, arena));
    assertEquals("alignment is not a power of two: " + alignment, e.getMessage());
  }

  @Test
  void moreThanTheAddressSpaceIsRefusedWithItsSize() {
    SystemCallException e =
        assertThrows(
            SystemCallException.class, () -> VirtualMemory.reserve(1L << 60, 4 * KIB, arena));
    assertEquals(12, e.errno());
    assertEquals(
        "mmap of 1152921504606846976 bytes failed: ENOMEM, not enough memory or address space"
            + " (errno 12)",
        e.getMessage());
  }

  @Test
  void sizeAndAlignmentMayBeTheLargestOfTheirType() {
    SystemCallException e =
        assertThrows(
            SystemCallException.class,
            () -> VirtualMemory.reserve(Long.MAX_VALUE, 1L << 62, arena));
    assertEquals(12, e.errno());
  }

  @Test
  void heapMemoryIsRefused() {
    MemorySegment heap = MemorySegment.ofArray(new long[8]);
    assertThrows(IllegalArgumentException.class, () -> VirtualMemory.release(heap));
    assertThrows(IllegalArgumentException.class, () -> VirtualMemory.adviseHugePages(heap));
    assertThrows(IllegalArgumentException.class, () -> VirtualMemory.collapse(heap));
  }

  @Test
  void readOnlyMemoryIsNotReleased() {
    MemorySegment memory = VirtualMemory.reserve(MIB, 1, arena);
    memory.fill((byte) 7);
    assertThrows(IllegalArgumentException.class, () -> VirtualMemory.release(memory.asReadOnly()));
    assertEquals(7, memory.get(JAVA_BYTE, 0));
  }
}
