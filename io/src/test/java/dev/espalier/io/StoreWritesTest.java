// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many bytes a store writes for what was put into it. */
class StoreWritesTest {
  private static final int PAGE_BYTES = 4096;
  private static final int FRAMES = 64;
  private static final int PUTS = 6_000;

  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(
              FileOptions.DEFAULT
                  .withPageBytes(PAGE_BYTES)
                  .withPoolBytes((long) FRAMES * PAGE_BYTES)
                  .withVariant(DiskFirstFpbPlusTree.VARIANT))
          .withCheckpointTime(Duration.ofHours(1));

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private record Written(long pages, long maps, long log) {
    long all() {
      return pages + maps + log;
    }
  }

  /**
   * A store a hundred times as large as its pool writes hardly more than the pages that leave the
   * pool, even if it makes a checkpoint as often as it puts as many entries as the pool has pages:
   * 1.05 times as much, and 1.17 if each checkpoint wrote whole chunks of the map.
   */
  @Test
  void checkpointsAddLittleToWhatThePoolWrites() {
    Written without = written("without", Integer.MAX_VALUE);
    Written with = written("with", FRAMES);
    double ratio = (double) with.all() / without.pages();
    assertTrue(ratio < 1.1, "%s against %s: %.2f".formatted(with, without, ratio));
  }

  private Written written(String name, int putsPerCheckpoint) {
    Random random = new Random(3);
    int entries = 100 * FRAMES * PAGE_BYTES / 16;
    long[] keys = random.longs(entries).sorted().toArray();
    try (IndexStore store = IndexStore.open(folder.resolve(name), OPTIONS)) {
      LongIndex index = store.index("a");
      index.bulkload(keys, keys);
      StoreStatistics before = store.statistics();
      for (int i = 1; i <= PUTS; i++) {
        index.set(random.nextLong(), i);
        if (i % putsPerCheckpoint == 0) {
          store.checkpoint();
        }
      }
      index.flush();
      StoreStatistics after = store.statistics();
      return new Written(
          after.pageBytesWritten() - before.pageBytesWritten(),
          after.mapBytesWritten() - before.mapBytesWritten(),
          after.loggedBytes() - before.loggedBytes());
    }
  }
}
