// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.cola.Cola;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many pages a COLA writes that outgrows its pool. */
class ColaWritesTest {
  private static final int PAGE_BYTES = 1024;
  private static final int ENTRIES = 160_000;
  private static final int DATA_PAGES = ENTRIES * 16 / PAGE_BYTES;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /**
   * A deepest level goes to the file first, and what it was merged from is given back unwritten: so
   * each page of data was written 1.6 times, and 2.3 times where the pool was not told.
   */
  @Test
  @Tag("thorough")
  void levelsThatAreMergedAwayAreHardlyWritten() {
    SplittableRandom random = new SplittableRandom(5);
    try (BufferPool pool = BufferPool.create(DATA_PAGES / 3L * 2 * PAGE_BYTES, PAGE_BYTES);
        LongIndex index =
            Espalier.open(
                folder.resolve("index.esp"),
                FileOptions.DEFAULT
                    .withVariant(Cola.VARIANT)
                    .withPageBytes(PAGE_BYTES)
                    .withPool(pool))) {
      for (int i = 0; i < ENTRIES; i++) {
        index.set(random.nextLong(), i);
      }
      index.flush();
      PoolCounters counters = pool.counters();
      assertTrue(counters.written() < 2 * DATA_PAGES, counters::toString);
      assertEquals(ENTRIES, index.size());
    }
  }
}
