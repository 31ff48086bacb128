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
    TimedPageStore store =
        new TimedPageStore(
            new MemoryPageStore(256, Long.MAX_VALUE, HugePages.OFF), FRAMES, 1, true, List.of());
    PioBTree.Geometry geometry = new PioBTree.Geometry(1, 20, 32, 5000, 5000);
    try (PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store, geometry)) {
      long[] keys = LongStream.range(0, ENTRIES).map(i -> 2 * i).toArray();
      index.bulkload(keys, keys);
      SplittableRandom random = new SplittableRandom(3);
      store.resetCounters();
      for (int i = 0; i < 2400; i++) {
        index.set(2L * random.nextInt(ENTRIES), i);
      }
      Transfers transfers = store.transfers();
      assertTrue(transfers.readWaves() * 5 < transfers.read(), transfers::toString);
      index.verify();
    }
  }

  /** Half of the pool is the queue; a batch update comes to almost all leaves. */
  @Test
  void batchUpdateReadsAndWritesLeavesInFullWaves() {
    TimedPageStore store =
        new TimedPageStore(
            new MemoryPageStore(1024, Long.MAX_VALUE, HugePages.OFF), 100, 1, true, List.of());
    PioBTree.Geometry geometry = new PioBTree.Geometry(1, 50, 32, 5000, 5000);
    try (PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store, geometry)) {
      long[] keys = LongStream.range(0, ENTRIES).map(i -> 2 * i).toArray();
      index.bulkload(keys, keys);
      SplittableRandom random = new SplittableRandom(3);
      store.resetCounters();
      for (int i = 0; i < 20_000; i++) {
        index.set(2L * random.nextInt(ENTRIES), i);
      }
      Transfers transfers = store.transfers();
      assertTrue(transfers.readWaves() * 20 < transfers.read(), transfers::toString);
      assertTrue(transfers.writeWaves() * 20 < transfers.written(), transfers::toString);
      index.verify();
    }
  }
}
