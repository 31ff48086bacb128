// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.NativeStatus.State;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RingTest {
  private static final int EBADF = 9;

  /** Bytes of each request; byte i of the file is i of its low 8 bits, shifted by the request. */
  private static final int BYTES = 512;

  private static final NativeStatus LIBRARY = new NativeStatus(State.AVAILABLE, "loaded", "");

  @TempDir Path folder;

  @Test
  void arrayLongerThanTheRingIsWrittenAndReadBack() throws IOException {
    assumeRing();
    int count = 100;
    int file = create();
    try (Ring ring = Ring.open(8);
        Arena arena = Arena.ofShared()) {
      MemorySegment out = pattern(arena, count);
      MemorySegment in = arena.allocate(out.byteSize(), Long.BYTES);
      MemorySegment requests = requests(arena, file, out, count);
      ring.transfer(requests, count, true);
      assertAllMoved(requests, count);
      assertEquals(-1, out.mismatch(bytesOf(arena)));
      requests = requests(arena, file, in, count);
      ring.transfer(requests, count, false);
      assertAllMoved(requests, count);
      assertEquals(-1, out.mismatch(in));
    }
    assertEquals(0, FileCalls.close(file));
  }

  @Test
  void waitingForOneArrayLeavesOrNotesTheOther() throws IOException {
    assumeRing();
    int file = create();
    try (Ring ring = Ring.open(16);
        Arena arena = Arena.ofShared()) {
      MemorySegment out = pattern(arena, 20);
      ring.transfer(requests(arena, file, out, 20), 20, true);
      MemorySegment in = arena.allocate(out.byteSize());
      MemorySegment first = requests(arena, file, in.asSlice(0, 10 * BYTES), 10);
      MemorySegment second = requests(arena, file, in.asSlice(10 * BYTES), 10);
      for (int i = 0; i < 10; i++) {
        long address = IoRequest.address(second, i);
        IoRequest.set(second, i, (10L + i) * BYTES, address, BYTES);
      }
      ring.submit(first, 10, false);
      ring.submit(second, 10, false);
      ring.transfer(second, 10, false);
      assertAllMoved(second, 10);
      ring.transfer(first, 10, false);
      assertAllMoved(first, 10);
      assertEquals(-1, out.mismatch(in));
    }
    assertEquals(0, FileCalls.close(file));
  }

  @Test
  void reapingNotesWhatHasCompletedInTheEnd() throws IOException {
    assumeRing();
    int file = create();
    try (Ring ring = Ring.open(4);
        Arena arena = Arena.ofShared()) {
      MemorySegment requests = requests(arena, file, pattern(arena, 3), 3);
      ring.submit(requests, 3, true);
      while (pending(requests, 3)) {
        ring.reap();
      }
      assertAllMoved(requests, 3);
    }
    assertEquals(0, FileCalls.close(file));
  }

  @Test
  void closingWaitsForWhatIsUnderWay() throws IOException {
    assumeRing();
    int file = create();
    try (Arena arena = Arena.ofShared()) {
      Ring ring = Ring.open(64);
      MemorySegment requests = requests(arena, file, pattern(arena, 50), 50);
      ring.submit(requests, 50, true);
      ring.close();
      assertAllMoved(requests, 50);
      ring.close();
      assertThrows(IllegalStateException.class, ring::reap);
      assertThrows(IllegalStateException.class, () -> ring.transfer(requests, 50, false));
    }
    assertEquals(0, FileCalls.close(file));
  }

  @Test
  void eachRequestHasItsOwnFailure() throws IOException {
    assumeRing();
    int file = create();
    try (Ring ring = Ring.open(4);
        Arena arena = Arena.ofShared()) {
      MemorySegment requests = requests(arena, file, pattern(arena, 5), 5);
      IoRequest.file(requests, 1, 1 << 20);
      IoRequest.file(requests, 4, 1 << 20);
      ring.transfer(requests, 5, true);
      assertEquals(-EBADF, IoRequest.result(requests, 1));
      assertEquals(-EBADF, IoRequest.result(requests, 4));
      for (int i : new int[] {0, 2, 3}) {
        assertEquals(BYTES, IoRequest.result(requests, i));
      }
    }
    assertEquals(0, FileCalls.close(file));
  }

  @Test
  void arrayShorterThanItsCountIsRefused() {
    assumeRing();
    try (Ring ring = Ring.open(4);
        Arena arena = Arena.ofConfined()) {
      MemorySegment requests = arena.allocate(2 * IoRequest.BYTES, Long.BYTES);
      assertThrows(IndexOutOfBoundsException.class, () -> ring.transfer(requests, 3, false));
    }
  }

  // ---------------------------------------------------------------- refusals

  @Test
  void refusalsAreToldApartEachWithItsRemedy() {
    assertRefusal(1, State.NOT_PERMITTED, "seccomp", Optional.of("0"));
    assertRefusal(1, State.NOT_PERMITTED, "seccomp", Optional.empty());
    assertRefusal(1, State.NOT_PERMITTED, "sysctl", Optional.of("2"));
    assertRefusal(38, State.NOT_SUPPORTED, "Linux 5.6", Optional.empty());
    assertRefusal(12, State.OUT_OF_RESOURCES, "ulimit -l", Optional.empty());
    assertRefusal(24, State.OUT_OF_RESOURCES, "ulimit -n", Optional.empty());
    assertRefusal(22, State.NOT_SUPPORTED, "", Optional.empty());
  }

  @Test
  void withoutTheLibraryNoRingIsTried() {
    NativeStatus missing = new NativeStatus(State.LIBRARY_MISSING, "not built", "build it");
    NativeStatus status =
        Ring.status(
            missing,
            () -> {
              throw new AssertionError("a ring was tried");
            },
            Optional::empty);
    assertEquals(missing, status);
  }

  @Test
  void ringThatOpensIsAvailable() {
    assertEquals(State.AVAILABLE, Ring.status(LIBRARY, () -> 1, Optional::empty).state());
  }

  private static void assertRefusal(
      int errno, State state, String remedy, Optional<String> disabledSetting) {
    NativeStatus status = Ring.status(LIBRARY, () -> -errno, () -> disabledSetting);
    assertEquals(state, status.state());
    assertTrue(status.remedy().contains(remedy), status.toString());
  }

  // ---------------------------------------------------------------- support

  private static void assumeRing() {
    assumeTrue(Ring.status().isAvailable(), () -> Ring.status().toString());
  }

  private int create() {
    int file = FileCalls.open(folder.resolve("file"), FileCalls.READ_WRITE | FileCalls.CREATE_NEW);
    assertTrue(file >= 0, () -> "errno " + -file);
    return file;
  }

  private MemorySegment bytesOf(Arena arena) throws IOException {
    return arena.allocateFrom(ValueLayout.JAVA_BYTE, Files.readAllBytes(folder.resolve("file")));
  }

  /** Longs that are all different. */
  private static MemorySegment pattern(Arena arena, int count) {
    MemorySegment memory = arena.allocate((long) count * BYTES, Long.BYTES);
    for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, at, at * 0x9E3779B97F4A7C15L);
    }
    return memory;
  }

  private static MemorySegment requests(Arena arena, int file, MemorySegment memory, int count) {
    MemorySegment requests = arena.allocate(count * IoRequest.BYTES, Long.BYTES);
    for (int i = 0; i < count; i++) {
      long position = (long) i * BYTES;
      IoRequest.set(requests, i, position, memory.address() + position, BYTES);
      IoRequest.file(requests, i, file);
    }
    return requests;
  }

  private static boolean pending(MemorySegment requests, int count) {
    for (int i = 0; i < count; i++) {
      if (IoRequest.result(requests, i) == IoRequest.PENDING) {
        return true;
      }
    }
    return false;
  }

  private static void assertAllMoved(MemorySegment requests, int count) {
    for (int i = 0; i < count; i++) {
      assertEquals(BYTES, IoRequest.result(requests, i), "request " + i);
    }
  }
}
