// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engines that have threads, where the system has none left for them. */
@Timeout(60)
class ScarceThreadsTest {
  private static final int BLOCK = 512;
  private static final int REQUESTS = 8;
  private static final IoStatus STATUS = new IoStatus(IoStatus.Engine.THREADS, true, "a test", "");

  @TempDir Path folder;

  private interface Opener {
    PageFile open(Path path, ThreadFactory threads);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void systemCallsReadAndWriteAllTheSame(int threads) throws IOException {
    EngineUnderTest.THREADS.assumeItRuns();
    readsAndWrites(
        (path, factory) ->
            ThreadPageFile.of(
                Descriptor.open(path, Access.WRITE, BLOCK), STATUS, new IoThreads(factory)),
        threads);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void channelReadsAndWritesAllTheSame(int threads) throws IOException {
    readsAndWrites(
        (path, factory) ->
            ChannelPageFile.open(path, Access.WRITE, STATUS, new ChannelPageFile.Threads(factory)),
        threads);
  }

  private void readsAndWrites(Opener opener, int threads) throws IOException {
    byte[] expected = new byte[REQUESTS * BLOCK];
    new Random(threads).nextBytes(expected);
    Path path = Files.write(folder.resolve("file"), expected);
    try (Arena arena = Arena.ofShared()) {
      IoBatch batch = new IoBatch(arena.allocate(expected.length, 8), REQUESTS);
      try (PageFile file = opener.open(path, IoThreadsTest.ofAtMost(threads))) {
        addAll(batch);
        file.startRead(batch);
        file.finish(batch);
        assertTrue(file.isDone(batch));
        assertArrayEquals(expected, batch.memory().toArray(ValueLayout.JAVA_BYTE));

        batch.memory().fill((byte) 0);
        addAll(batch);
        Thread.currentThread().interrupt();
        file.read(batch);
        assertTrue(Thread.interrupted(), "the thread is still interrupted");
        assertArrayEquals(expected, batch.memory().toArray(ValueLayout.JAVA_BYTE));

        new Random(REQUESTS).nextBytes(expected);
        batch.memory().copyFrom(MemorySegment.ofArray(expected));
        addAll(batch);
        file.startWrite(batch);
        file.finish(batch);
      }
      assertArrayEquals(expected, Files.readAllBytes(path));
    }
  }

  private static void addAll(IoBatch batch) {
    batch.clear();
    for (int i = 0; i < REQUESTS; i++) {
      batch.add((long) i * BLOCK, (long) i * BLOCK, BLOCK);
    }
  }
}
