// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.io.BufferPool;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PoolCounters;

/** An index in a file of its own, behind a pool that is too small for it. */
final class LoadedFile implements AutoCloseable {
  private static final int PAGE_BYTES = 16 << 10;

  /** As few as trees need to work at all. */
  private static final long LEAST_POOL_BYTES = 32L * PAGE_BYTES;

  /** Odd, and its bits without a pattern: multiplied by it, numbers come in no order. */
  private static final long SCATTER = 0x9e37_79b9_7f4a_7c15L;

  private final BufferPool pool;
  private final LongIndex index;
  private final boolean scattered;

  /**
   * Makes an empty index.
   *
   * @param scattered whether the keys are in no order, rather than ascending
   */
  LoadedFile(
      ScratchFolder folder, String name, TreeVariant tree, long poolBytes, boolean scattered) {
    this.scattered = scattered;
    this.pool = BufferPool.create(Math.max(poolBytes, LEAST_POOL_BYTES), PAGE_BYTES);
    try {
      this.index =
          Espalier.open(
              folder.file(name),
              FileOptions.DEFAULT.withVariant(tree).withPageBytes(PAGE_BYTES).withPool(pool));
    } catch (RuntimeException | Error failed) {
      pool.close();
      throw failed;
    }
  }

  private long key(long number) {
    return scattered ? number * SCATTER : number;
  }

  /**
   * Stores entries, without a look at what is there, and writes out all that is not written yet.
   */
  void insert(long from, long to) {
    for (long number = from; number < to; number++) {
      index.set(key(number), number);
    }
    if (to > from) {
      index.flush();
    }
  }

  /** Returns how many of so many entries, taken at random, are not found. */
  int missing(long entries, int probes) {
    int missing = 0;
    for (int i = 1; i <= probes; i++) {
      long number = Math.floorMod(i * SCATTER, entries);
      missing += index.get(key(number)) == number ? 0 : 1;
    }
    return missing;
  }

  PoolCounters counters() {
    return pool.counters();
  }

  @Override
  public void close() {
    index.close();
    pool.close();
  }
}
