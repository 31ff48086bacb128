// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ffi.VirtualMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of an index in a file that nobody closed. */
@EnabledOnOs(OS.LINUX)
class DroppedFileTest {
  @TempDir Path folder;

  @Test
  void memoryAndDescriptorsOfDroppedFilesComeBackAndTheFilesHoldWhatWasFlushed() throws Exception {
    long before = settledBytes();
    for (int i = 0; i < 5; i++) {
      fillAndDrop(folder.resolve("index" + i));
    }
    for (int i = 0; i < 200 && (VirtualMemory.liveBytes() > before || descriptors() > 0); i++) {
      settledBytes();
    }
    long after = VirtualMemory.liveBytes();
    assertTrue(after <= before, () -> after + " bytes, before " + before);
    assertEquals(0, descriptors());
    for (int i = 0; i < 5; i++) {
      Path path = folder.resolve("index" + i);
      try (LongIndex index = Espalier.open(path)) {
        // Nothing was written after the flush: the pool had room for all.
        assertEquals(20_000, index.size());
        assertFalse(index.containsKey(-1));
      }
    }
  }

  @Test
  void fileThatIsStillUsedStaysOpen() throws Exception {
    try (LongIndex index = Espalier.open(folder.resolve("used"))) {
      for (long key = 0; key < 20_000; key++) {
        index.put(key, key);
      }
      settledBytes();
      index.flush();
      assertEquals(777, index.get(777));
      index.verify();
    }
  }

  @Test
  void useAfterCloseNamesTheFile() {
    Path path = folder.resolve("closed");
    LongIndex index = Espalier.open(path);
    index.put(1, 2);
    index.close();
    String message = "the index in " + path + " is closed";
    for (Executable call : List.<Executable>of(index::size, index::clear, () -> index.put(1, 2))) {
      assertEquals(message, assertThrows(IllegalStateException.class, call).getMessage());
    }
    assertEquals("FpbLinkTree, closed", index.toString());
  }

  /** The system knows the file by a number, which another file would have next. */
  @Test
  @Timeout(120)
  void fileThatIsDroppedWhileItsThreadsHaveRequestsStaysOpenForThem() throws Exception {
    EngineUnderTest.THREADS.assumeItRuns();
    byte[] bytes = new byte[8 * 512];
    Arrays.fill(bytes, (byte) 7);
    Path path = Files.write(folder.resolve("file"), bytes);
    CountDownLatch goOn = new CountDownLatch(1);
    MemorySegment memory = startReadAndDrop(path, bytes.length, goOn);
    try {
      for (int i = 0; i < 20; i++) {
        settledBytes();
        assertEquals(1, descriptors());
      }
    } finally {
      goOn.countDown();
    }
    while (descriptors() > 0) {
      settledBytes();
    }
    assertArrayEquals(bytes, memory.toArray(ValueLayout.JAVA_BYTE));
  }

  private static MemorySegment startReadAndDrop(Path path, int bytes, CountDownLatch goOn) {
    ThreadFactory factory =
        task ->
            Thread.ofPlatform()
                .daemon()
                .unstarted(
                    () -> {
                      Waiting.await(goOn);
                      task.run();
                    });
    PageFile file =
        ThreadPageFile.of(
            Descriptor.open(path, Access.READ, 512),
            new IoStatus(IoStatus.Engine.THREADS, true, "a test", ""),
            new IoThreads(factory));
    IoBatch batch = new IoBatch(Arena.ofAuto().allocate(bytes, 8), 8);
    for (int i = 0; i < 8; i++) {
      batch.add(512L * i, 512L * i, 512);
    }
    file.startRead(batch);
    return batch.memory();
  }

  private static void fillAndDrop(Path path) {
    LongIndex dropped = Espalier.open(path);
    for (long key = 0; key < 20_000; key++) {
      dropped.put(key, key);
    }
    dropped.flush();
    dropped.put(-1, 1);
    // A batch reads ahead.
    long[] keys = {1, 5_000, 10_000, 19_999};
    dropped.getAll(keys, keys);
  }

  /** Returns the bytes of native memory after a collection. */
  private static long settledBytes() throws InterruptedException {
    System.gc();
    Thread.sleep(10);
    return VirtualMemory.liveBytes();
  }

  /** Returns how many descriptors this process has for files of the folder. */
  private long descriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.filter(this::isOfFolder).count();
    }
  }

  private boolean isOfFolder(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(folder.toRealPath());
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }
}
