// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.TreeVariant;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.io.BufferPool;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PageFiles;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.nio.file.Path;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A mature index in a file, or striped over several: nine tenths of its entries are bulkloaded to
 * 100%, then a tenth is inserted in random order, which splits about every page (fpB+ 4.3.2). Its
 * keys are 0, 2, 4 and so on, and each is its own value.
 */
final class ScannedFile implements AutoCloseable {
  private static final int PAGE_BYTES = 16 << 10;

  /** Room for what is read ahead and for the inner pages, and little beside. */
  private static final long POOL_BYTES = 16L << 20;

  /** The tree is built in memory, so that its pages are in the order of their splits. */
  private static final long BUILDING_POOL_BYTES = 1L << 30;

  private static final int SEED = 18;

  /** Of so many entries, in order of keys, one is inserted. */
  private static final int ONE_IN = 10;

  private final Path path;
  private final FileOptions options;
  private BufferPool pool;
  private LongIndex index;

  /**
   * Builds the index.
   *
   * @param files that it is spread over
   */
  ScannedFile(ScratchFolder folder, int files, int entries) {
    String name = "index" + files;
    Path[] further =
        IntStream.range(1, files).mapToObj(i -> folder.file(name + "-" + i)).toArray(Path[]::new);
    this.path = folder.file(name);
    this.options =
        FileOptions.DEFAULT
            .withEngine(PageFiles.DIRECT)
            .withPageBytes(PAGE_BYTES)
            .withStripes(further);
    TreeVariant tree = DiskFirstFpbPlusTree.VARIANT;
    try (LongIndex built =
        Espalier.open(path, options.withVariant(tree).withPoolBytes(BUILDING_POOL_BYTES))) {
      long[] loaded =
          LongStream.range(0, entries).filter(i -> !isInserted(i)).map(i -> 2 * i).toArray();
      built.bulkload(loaded, loaded);
      long[] inserted =
          IntStream.of(Entries.shuffled(entries, SEED))
              .filter(ScannedFile::isInserted)
              .mapToLong(i -> 2L * i)
              .toArray();
      built.putAll(inserted, inserted);
    }
    this.pool = BufferPool.create(POOL_BYTES, PAGE_BYTES);
    this.index = open(true);
  }

  private static boolean isInserted(long rank) {
    return rank % ONE_IN == ONE_IN / 2;
  }

  private LongIndex open(boolean readsAhead) {
    FileOptions reading = options.withPool(pool);
    return Espalier.open(
        path,
        readsAhead
            ? reading.withFlags(FileOption.READ_ONLY)
            : reading.withFlags(FileOption.READ_ONLY, FileOption.WITHOUT_READ_AHEAD));
  }

  /** Opens the index anew, with nothing in its pool. */
  void reopen(boolean readsAhead) {
    close();
    pool = BufferPool.create(POOL_BYTES, PAGE_BYTES);
    index = open(readsAhead);
  }

  /** Returns what {@link #scan} is to return. */
  static long sum(long from, int entries) {
    return entries * (from + entries - 1);
  }

  /** Scans so many entries from a key on, not the first, and returns the sum of their values. */
  long scan(long from, int entries) {
    LongCursor cursor = index.cursor();
    long end = from + 2L * (entries - 1);
    cursor.scanTo(end);
    LongRun run = new LongRun();
    long sum = 0;
    cursor.lower(from); // the first run begins behind it
    while (cursor.nextRun(run)) {
      for (int i = 0; i < run.count(); i++) {
        if (run.key(i) > end) {
          return sum;
        }
        sum += run.value(i);
      }
    }
    return sum;
  }

  /** Returns which engine reads it, and how. */
  String engine() {
    index.close();
    String engine = Espalier.describe(path, options).engine().toString();
    index = open(true);
    return engine;
  }

  @Override
  public void close() {
    index.close();
    pool.close();
  }
}
