// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.TimedPageStore;
import dev.espalier.memory.TimedPageStore.Transfers;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How a tree whose parents of leaves do not fit into the pool reads pages. */
final class PioWavesTest {
  private static final int ENTRIES = 100_000;

  /** Parents of leaves are three times as many, and a batch update needs half of them. */
  private static final int FRAMES = 150;

  @Test
  void batchUpdateDealsWithLeavesWhileTheirParentsAreInMemory() {
    Transfers transfers = transfers(256, FRAMES, 20, 2400);
    assertTrue(transfers.readWaves() * 5 < transfers.read(), transfers::toString);
  }

  /** Half of the pool is the queue; a batch update comes to almost all leaves. */
  @Test
  void batchUpdateReadsAndWritesLeavesInFullWaves() {
    Transfers transfers = transfers(1024, 100, 50, 20_000);
    assertTrue(transfers.readWaves() * 20 < transfers.read(), transfers::toString);
    assertTrue(transfers.writeWaves() * 20 < transfers.written(), transfers::toString);
  }

  /** Sets random keys of a tree that was bulkloaded, behind a pool; returns what that transfers. */
  private static Transfers transfers(int pageBytes, int frames, int queuePages, int writes) {
    MemoryPageStore pages = new MemoryPageStore(pageBytes, Long.MAX_VALUE, HugePages.OFF);
    TimedPageStore store = new TimedPageStore(pages, frames, 1, true, List.of());
    PioBTree.Geometry geometry = new PioBTree.Geometry(1, queuePages, 32, 5000, 5000);
    try (PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store, geometry)) {
      long[] keys = LongStream.range(0, ENTRIES).map(i -> 2 * i).toArray();
      index.bulkload(keys, keys);
      SplittableRandom random = new SplittableRandom(3);
      store.resetCounters();
      for (int i = 0; i < writes; i++) {
        index.set(2L * random.nextInt(ENTRIES), i);
      }
      Transfers transfers = store.transfers();
      index.verify();
      return transfers;
    }
  }
}
