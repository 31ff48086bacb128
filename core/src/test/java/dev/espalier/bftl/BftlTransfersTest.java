// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.TimedPageStore;
import dev.espalier.memory.TimedPageStore.Transfers;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is read and written where nothing is removed is what the paper's algorithm reads and writes,
 * however little of a page is looked at.
 */
@Tag("fallback-exhaustive")
class BftlTransfersTest {
  private static final int ENTRIES = 20_000;
  private static final int OPERATIONS = 20_000;

  @ParameterizedTest
  @CsvSource({
    "512, 8, 2, 24, 74512, 6284",
    "512, 8, 4, 24, 92211, 4434",
    "512, 8, 16, 24, 119952, 3991",
    "512, 1, 1, 8, 72211, 14395",
    "1024, 2, 4, 16, 74473, 4138"
  })
  void insertsAndSearchesTransferWhatTheyDid(
      int pageBytes, int bufferPages, int listBound, int frames, long read, long written) {
    MemoryPageStore pages = new MemoryPageStore(pageBytes, 1 << 26, HugePages.OFF);
    TimedPageStore store = new TimedPageStore(pages, frames, 1, true, List.of());
    BftlTree.Geometry geometry = new BftlTree.Geometry(bufferPages, listBound);
    try (BftlTree index = BftlTree.open(IndexOptions.DEFAULT, store, geometry)) {
      long[] keys = LongStream.range(0, ENTRIES).map(i -> 2 * i).toArray();
      LongEntrySource entries = LongEntrySource.of(keys, keys, ENTRIES);
      index.bulkload(entries, 0.7, ENTRIES, ProgressListener.NONE);
      SplittableRandom random = new SplittableRandom(12);
      store.resetCounters();
      for (int i = 0; i < OPERATIONS; i++) {
        long key = random.nextInt(2 * ENTRIES);
        if (random.nextBoolean()) {
          index.put(key, i);
        } else {
          index.get(key);
        }
      }
      Transfers transfers = store.transfers();
      assertEquals(List.of(read, written), List.of(transfers.read(), transfers.written()));
    }
  }
}
