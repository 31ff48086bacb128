// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ffi.VirtualMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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
