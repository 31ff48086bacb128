// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.blink.BLinkTree;
import dev.espalier.memory.PageStore;
import dev.espalier.pio.PioBTree;
import dev.espalier.threads.KeyHistories;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several threads that write and read one tree in a file at once. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThreadsOverFilesTest {
  private static final int WRITES = TestSize.of(2_500, 200_000);

  private static final PioBTree.Geometry GEOMETRY = new PioBTree.Geometry(2, 8, 8, 30, 50);

  private static LongIndex open(String tree, PageStore store) {
    return switch (tree) {
      case "BLinkTree" -> BLinkTree.open(IndexOptions.DEFAULT, store);
      case "PioBTree" -> PioBTree.open(IndexOptions.DEFAULT, store, GEOMETRY);
      default -> throw new IllegalArgumentException(tree);
    };
  }

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** Most pages are not in the pool, so pins wait for files, and pages make room for others. */
  @ParameterizedTest
  @ValueSource(strings = {"BLinkTree", "PioBTree"})
  void everyAnswerFollowsFromTheWritesOfTheKeyInASmallPoolWithoutALog(String tree)
      throws Exception {
    int pageBytes = 256;
    try (BufferPool pool = BufferPool.create(60 * pageBytes, pageBytes)) {
      SlotPageStore store = Stores.create(folder.resolve("pages"), PageFiles.CACHED, pool);
      try (LongIndex index = open(tree, store)) {
        KeyHistories.run(index, 5000, 3, 4, WRITES);
      }
      assertTrue(pool.counters().evictions() > 1000, pool.counters()::toString);
    }
  }

  /** Writers take turns, because of the log; readers go on meanwhile, and so do checkpoints. */
  @ParameterizedTest
  @ValueSource(strings = {"BLinkTree", "PioBTree"})
  void everyAnswerFollowsFromTheWritesOfTheKeyInAStoreAndAllIsThereAfterwards(String tree)
      throws Exception {
    Path path = folder.resolve("store");
    FileOptions options = PagedTrees.options(tree, 256, 60);
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
