// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.prefetch.NativeStatus.State;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileCallsTest {
  private static final int ENOENT = 2;
  private static final int EBADF = 9;
  private static final int EEXIST = 17;
  private static final int EISDIR = 21;
  private static final int ESPIPE = 29;
  private static final int EOPNOTSUPP = 95;

  @TempDir Path folder;

  @BeforeEach
  void needsLinux() {
    assumeTrue(FileCalls.status().isAvailable(), () -> FileCalls.status().toString());
  }

  @Test
  void bytesWrittenAtAPositionAreReadThere() throws IOException {
    int file = create("file");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocateFrom(ValueLayout.JAVA_BYTE, new byte[] {1, 2, 3});
      assertEquals(3, FileCalls.pwrite(file, out.address(), 3, 5));
      MemorySegment in = arena.allocate(8);
      assertEquals(3, FileCalls.pread(file, in.address(), 8, 5));
      assertEquals(0, FileCalls.pread(file, in.address(), 8, 8));
      assertArrayEquals(new byte[] {1, 2, 3, 0, 0, 0, 0, 0}, in.toArray(ValueLayout.JAVA_BYTE));
    }
    assertEquals(8, FileCalls.size(file));
    assertEquals(0, FileCalls.fdatasync(file));
    assertEquals(0, FileCalls.close(file));
    assertArrayEquals(
        new byte[] {0, 0, 0, 0, 0, 1, 2, 3}, Files.readAllBytes(folder.resolve("file")));
  }

  /** What was just written is there, if the file system can tell. */
  @Test
  void bytesInThePageCacheAreReadWithoutWaiting() {
    int file = create("file");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocateFrom(ValueLayout.JAVA_BYTE, new byte[] {1, 2, 3});
      assertEquals(3, FileCalls.pwrite(file, out.address(), 3, 5));
      MemorySegment in = arena.allocate(8);
      int read = FileCalls.preadCached(file, in.address(), 3, 5);
      assumeTrue(read != -EOPNOTSUPP, "the file system can't tell");
      assertEquals(3, read);
      assertArrayEquals(new byte[] {1, 2, 3, 0, 0, 0, 0, 0}, in.toArray(ValueLayout.JAVA_BYTE));
      assertEquals(0, FileCalls.preadCached(file, in.address(), 8, 8));
    }
    assertEquals(0, FileCalls.close(file));
    assertEquals(-EBADF, FileCalls.preadCached(1 << 20, 0, 8, 0));
  }

  @Test
  void functionThatTheLibraryDoesNotHaveDoesNothing() throws Throwable {
    MethodHandle none =
        NativeLibrary.systemCallIfThere(
            "espalier_has_no_such_function",
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"));
    assertEquals(0L, (long) none.invokeExact(MemorySegment.NULL, 1));
  }

  @Test
  void fileIsMadeLongerWithRoomAndShorter() {
    int file = create("file");
    assertEquals(0, FileCalls.fallocate(file, 0, 10_000));
    assertEquals(10_000, FileCalls.size(file));
    assertEquals(0, FileCalls.ftruncate(file, 100));
    assertEquals(100, FileCalls.size(file));
    assertEquals(0, FileCalls.close(file));
  }

  @Test
  void failuresAreNegativeErrorNumbers() throws IOException {
    Path there = Files.createFile(folder.resolve("there"));
    assertEquals(-ENOENT, FileCalls.open(folder.resolve("none"), FileCalls.READ_ONLY));
    assertEquals(-EEXIST, FileCalls.open(there, FileCalls.READ_WRITE | FileCalls.CREATE_NEW));
    assertEquals(-EISDIR, FileCalls.open(folder, FileCalls.READ_WRITE));
    int closed = FileCalls.open(there, FileCalls.READ_ONLY);
    assertEquals(0, FileCalls.close(closed));
    // No other test runs in this JVM meanwhile, which could have been given the same number.
    int never = 1 << 20;
    assertEquals(-EBADF, FileCalls.size(never));
    assertEquals(-EBADF, FileCalls.fdatasync(never));
    assertEquals(-EBADF, FileCalls.setDirect(never, false));
    assertEquals(-EBADF, FileCalls.close(never));
  }

  @Test
  void fileOpenedForReadingIsNotWritten() throws IOException {
    int file = FileCalls.open(Files.writeString(folder.resolve("file"), "ab"), FileCalls.READ_ONLY);
    try (Arena arena = Arena.ofConfined()) {
      assertEquals(-EBADF, FileCalls.pwrite(file, arena.allocate(1).address(), 1, 0));
    }
    assertEquals(0, FileCalls.close(file));
  }

  @Test
  void pipeIsOpenedWithoutWaitingAndHasNoLength() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    int file = FileCalls.open(pipe, FileCalls.READ_ONLY);
    assertTrue(file >= 0);
    assertEquals(-ESPIPE, FileCalls.size(file));
    assertEquals(0, FileCalls.close(file));
  }

  @Test
  void nameOutsideAsciiIsTheOneThatJavaGives() throws IOException {
    Path java;
    try {
      java = folder.resolve("Blätter");
    } catch (java.nio.file.InvalidPathException e) {
      assumeTrue(false, "the locale has no such file names");
      return;
    }
    Files.writeString(java, "x");
    int file = FileCalls.open(java, FileCalls.READ_ONLY);
    assertEquals(1, FileCalls.size(file));
    assertEquals(0, FileCalls.close(file));
  }

  @Test
  void directFlagIsThatOfThePlatform() {
    assertEquals(0x4000, FileCalls.directFlag(new Platform("linux", "x86_64")));
    assertEquals(0x10000, FileCalls.directFlag(new Platform("linux", "aarch64")));
  }

  @Test
  void onlyLinuxHasTheseCalls() {
    NativeEnvironment mac =
        new NativeEnvironment(Platform.of("Mac OS X", "aarch64"), false, true, folder);
    assertEquals(State.UNSUPPORTED_PLATFORM, FileCalls.status(mac).state());
    NativeEnvironment denied = new NativeEnvironment(Platform.current(), false, false, folder);
    assertEquals(State.ACCESS_DENIED, FileCalls.status(denied).state());
  }

  private int create(String name) {
    int file = FileCalls.open(folder.resolve(name), FileCalls.READ_WRITE | FileCalls.CREATE_NEW);
    assertTrue(file >= 0, () -> "errno " + -file);
    return file;
  }
}
