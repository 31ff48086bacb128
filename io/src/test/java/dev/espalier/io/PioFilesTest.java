// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.pio.PioBTree;
import dev.espalier.threads.KeyHistories;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several threads that write and read one PIO B-tree in a file at once. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PioFilesTest {
  private static final int WRITES = TestSize.of(10_000, 200_000);

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** Most pages are not in the pool, so pins wait for files, and pages make room for others. */
  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInASmallPoolWithoutALog() throws Exception {
    int pageBytes = 256;
    try (BufferPool pool = BufferPool.create(60 * pageBytes, pageBytes)) {
      SlotPageStore store = Stores.create(folder.resolve("pages"), PageFiles.CACHED, pool);
      PioBTree.Geometry geometry = new PioBTree.Geometry(2, 8, 8, 30, 50);
      try (PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store, geometry)) {
        KeyHistories.run(index, 5000, 3, 4, WRITES);
      }
      assertTrue(pool.counters().evictions() > 1000, pool.counters()::toString);
    }
  }

  /** Writers take turns, because of the log; readers go on meanwhile, and so do checkpoints. */
  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInAStoreAndAllIsThereAfterwards() throws Exception {
    Path path = folder.resolve("store");
    FileOptions options = PagedTrees.options("PioBTree", 256, 60);
    long size;
    try (LongIndex index = Espalier.open(path, options)) {
      KeyHistories.run(index, 5000, 3, 4, WRITES);
      size = index.size();
    }
    try (LongIndex index = Espalier.open(path, options)) {
      index.verify();
      assertEquals(size, index.size());
    }
  }
}
