// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import dev.espalier.prefix.LongsInByteStrings;
import dev.espalier.prefix.PrefixBPlusTree;
import dev.espalier.threads.KeyHistories;
import dev.espalier.threads.ShortHistories;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several threads that write and read one tree of byte strings in a file at once. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StringsOverFilesTest {
  private static final int PAGE_BYTES = 512;
  private static final int WRITES = TestSize.share(2_500, 100_000);

  /** Words in a key that is longer than what a page has of it. */
  private static final int LONG = 60;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** Most pages are not in the pool, so pins wait for files, and pages make room for others. */
  @ParameterizedTest
  @ValueSource(ints = {2, LONG})
  void everyAnswerFollowsFromTheWritesOfTheKeyInASmallPool(int longKey) throws Exception {
    try (BufferPool pool = BufferPool.create(60 * PAGE_BYTES, PAGE_BYTES)) {
      everyAnswerFollowsFromTheWritesOfTheKey(pool, longKey, 3, 4, 3000);
    }
  }

  /**
   * A frame for each pin that the threads may hold, and one more: all pages keep changing hands.
   */
  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInAPoolOfAFewFrames() throws Exception {
    int writers = 2;
    int readers = 4;
    int frames = 3 * writers + readers + 1;
    try (BufferPool pool = BufferPool.withRooms(frames, PAGE_BYTES, 1, 1)) {
      everyAnswerFollowsFromTheWritesOfTheKey(pool, 2, writers, readers, 1000);
    }
  }

  private void everyAnswerFollowsFromTheWritesOfTheKey(
      BufferPool pool, int longKey, int writers, int readers, int keys) throws Exception {
    SlotPageStore store = Stores.create(folder.resolve("pages"), PageFiles.CACHED, pool);
    try (LongsInByteStrings index =
        new LongsInByteStrings(ConcurrentPrefixBPlusTree.open(store), 0, longKey)) {
      KeyHistories.run(index, keys, writers, readers, WRITES);
      index.verify();
      assertTrue(pool.counters().evictions() > 1000, pool.counters()::toString);
      // What waits to be freed is known to a tree for one writer as well.
      PrefixBPlusTree same = PrefixBPlusTree.open(store);
      same.verify();
      assertEquals(index.size(), same.size());
    }
  }

  @Test
  void shortHistoriesAreLinearizableInAPoolOfAFewFrames() throws Exception {
    try (BufferPool pool = BufferPool.withRooms(24, PAGE_BYTES, 1, 1)) {
      int[] round = new int[1];
      ShortHistories.checkOfByteStrings(
          options -> {
            Path path = folder.resolve("short" + round[0]++);
            SlotPageStore store = Stores.create(path, PageFiles.CACHED, pool);
            return new LongsInByteStrings(
                ConcurrentPrefixBPlusTree.open(store), options.missingValue(), LONG);
          },
          TestSize.share(50, 1_000),
          20);
    }
  }
}
