// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that comes as it is written, without native access. */
@Tag("fallback-too")
final class EmptyFileTest {
  private static final long BYTES = 3L << 30;

  @TempDir Path folder;

  private @Nullable MemorySegment map(Arena arena) throws IOException {
    assumeTrue(!Files.getFileStore(folder).type().equals("tmpfs"));
    return EmptyFile.map(BYTES, arena, List.of(folder.resolve("missing"), folder));
  }

  private static void assertIsMemory(@Nullable MemorySegment memory) {
    assertNotNull(memory);
    assertEquals(BYTES, memory.byteSize());
    for (long at = 0; at < BYTES; at += BYTES / 16) {
      assertEquals(0, memory.get(ValueLayout.JAVA_LONG, at));
      memory.set(ValueLayout.JAVA_LONG, at, at + 1);
    }
    for (long at = 0; at < BYTES; at += BYTES / 16) {
      assertEquals(at + 1, memory.get(ValueLayout.JAVA_LONG, at));
    }
  }

  @Test
  void memoryIsZeroAndKeepsWhatIsWrittenAndNoFileIsLeft() throws IOException {
    try (Arena arena = Arena.ofShared()) {
      assertIsMemory(map(arena));
      try (Stream<Path> left = Files.list(folder)) {
        assertEquals(List.of(), left.toList());
      }
    }
  }

  @Test
  void anInterruptedThreadGetsMemoryAndKeepsItsStatus() throws IOException {
    try (Arena arena = Arena.ofShared()) {
      Thread.currentThread().interrupt();
      MemorySegment memory = map(arena);
      assertTrue(Thread.interrupted());
      assertIsMemory(memory);
      assertFalse(Thread.interrupted());
    }
  }

  @Test
  void foldersInMemoryAndThoseThatAreMissingDoNotServe() throws IOException {
    Path inMemory = Path.of("/dev/shm");
    assumeTrue(Files.exists(inMemory) && Files.getFileStore(inMemory).type().equals("tmpfs"));
    try (Arena arena = Arena.ofShared()) {
      assertNull(EmptyFile.map(BYTES, arena, List.of(inMemory, folder.resolve("missing"))));
    }
  }

  @Test
  void regionOfPagesHasAsMuchAsTheSystemGives() {
    long least = 4 << 20;
    Region region = Region.ofPagesUpTo(BYTES, least, HugePages.OFF);
    try {
      assertTrue(region.segment().byteSize() >= least);
      assertTrue(region.segment().byteSize() <= BYTES);
      region.segment().set(ValueLayout.JAVA_LONG, region.segment().byteSize() - 8, 1);
    } finally {
      region.close();
    }
    Region exact = Region.ofPages(least, HugePages.OFF);
    assertEquals(least, exact.segment().byteSize());
    exact.close();
  }
}
