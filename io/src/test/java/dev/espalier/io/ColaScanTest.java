// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.cola.Cola;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which pages a scan of a COLA's levels asks for before it comes to them. */
class ColaScanTest {
  private static final int PAGE_BYTES = 1024;
  private static final int FRAMES = 512;
  private static final int ENTRIES = 50_000;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** Returns the pages that were asked for ahead by a scan over so many runs. */
  private PoolCounters scan(int runs) {
    Path file = folder.resolve("index.esp");
    FileOptions options = FileOptions.DEFAULT.withVariant(Cola.VARIANT).withPageBytes(PAGE_BYTES);
    try (LongIndex index = Espalier.open(file, options)) {
      long[] keys = LongStream.range(0, ENTRIES).toArray();
      index.bulkload(keys, keys);
    }
    try (BufferPool pool = BufferPool.create((long) FRAMES * PAGE_BYTES, PAGE_BYTES);
        LongIndex index = Espalier.open(file, options.withPool(pool))) {
      LongCursor cursor = index.cursor();
      LongRun run = new LongRun();
      for (int i = 0; i < runs && cursor.nextRun(run); i++) {
        assertTrue(run.count() > 0);
      }
      return pool.counters();
    }
  }

  @Test
  void longScanAsksForPagesAhead() {
    PoolCounters counters = scan(Integer.MAX_VALUE);
    int leastPages = ENTRIES * 16 / PAGE_BYTES;
    assertTrue(counters.readAheads() > 0.9 * leastPages, counters::toString);
    assertEquals(0, counters.readAheadsWasted(), counters::toString);
  }

  @Test
  void shortScanAsksForNone() {
    assertEquals(0, scan(1).readAheads());
  }
}
