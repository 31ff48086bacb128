// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.LongIndex;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.io.BufferPool;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PageFiles;
import dev.espalier.io.PoolCounters;
import java.nio.file.Path;

/** An index in a file of its own, behind a pool of two thirds of its entries' bytes. */
final class LoadedFile implements AutoCloseable {
  static final int PAGE_BYTES = 16 << 10;

  /** Times as much data as memory. */
  private static final double EXCESS = 1.5;

  /** As few as trees need to work at all. */
  private static final long LEAST_POOL_BYTES = 32L * PAGE_BYTES;

  /** Trees whose pages are not full, and merges, take so many times the room of the entries. */
  private static final int ROOM = 6;

  private final Path path;
  private final Structure structure;
  private final int entries;
  private BufferPool pool;
  private LongIndex index;

  /** Makes an empty index that is to have so many entries. */
  LoadedFile(ScratchFolder folder, String name, Structure structure, int entries) {
    this.path = folder.file(name);
    this.structure = structure;
    this.entries = entries;
    this.pool = newPool(entries);
    this.index = open();
  }

  /** Returns the bytes of the pool for so many entries. */
  static long poolBytes(int entries) {
    return Math.max((long) (bytes(entries) / EXCESS), LEAST_POOL_BYTES);
  }

  /** Returns the bytes that a file for so many entries has at most. */
  static long mostBytes(int entries) {
    return ROOM * bytes(entries);
  }

  private static long bytes(int entries) {
    return (long) entries * NumberedEntries.ENTRY_BYTES;
  }

  private static BufferPool newPool(int entries) {
    return BufferPool.create(poolBytes(entries), PAGE_BYTES);
  }

  private LongIndex open() {
    try {
      return Espalier.open(
          path,
          FileOptions.DEFAULT
              .withEngine(PageFiles.DIRECT)
              .withVariant(structure.tree())
              .withPageBytes(PAGE_BYTES)
              .withPool(pool));
    } catch (RuntimeException | Error failed) {
      pool.close();
      throw failed;
    }
  }

  /** Opens it again, with nothing in the pool, whose counters begin at 0. */
  void reopen() {
    close();
    pool = newPool(entries);
    index = open();
  }

  LongIndex index() {
    return index;
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
