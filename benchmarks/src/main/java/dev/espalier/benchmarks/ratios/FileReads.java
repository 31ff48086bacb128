// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.io.BufferPool;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PageFiles;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Reads of a disk-first fpB+-tree that was grown in random order, in a file with pages of 16 KiB
 * and in memory.
 */
final class FileReads implements AutoCloseable {
  static final String SCAN = "scan, leaf after leaf, per entry";
  static final String SCAN_AHEAD = "scan, reading ahead, per entry";
  static final String COLD_GET = "get, cold pool";
  static final String COLD_GET_VIRTUAL = "get, cold pool, by 1,000 virtual threads";
  static final String COLD_GET_ALL = "getAll of 256, cold pool, per key";
  static final String GET = "get, all in the pool";
  static final String GET_IN_MEMORY = "get, in memory";

  /** Through the page cache, memory would be measured. */
  private static final FileOptions DIRECT = FileOptions.DEFAULT.withEngine(PageFiles.DIRECT);

  private static final int PAGE_BYTES = FileOptions.DEFAULT_PAGE_BYTES;
  private static final int SCANNED = 1_000_000;
  private static final int BATCH = 256;

  /** Keys in a round from a cold pool: a tenth of a second one by one. */
  private static final int COLD_KEYS = 4 * BATCH;

  private static final int VIRTUAL_THREADS = 1_000;

  /** Keys of each of them in a round, so few that the pool has hardly any of their pages. */
  private static final int VIRTUAL_KEYS = 2;

  private static final int WARM_KEYS = 500_000;
  private static final long COLD_POOL_BYTES = 64L << 20;

  private final Path path;
  private final int entries;
  private final LongIndex inMemory = DiskFirstFpbPlusTree.create(IndexOptions.DEFAULT);
  private final BufferPool largePool;
  private final LongIndex warm;
  private final SplittableRandom random = new SplittableRandom(2);
  private final long[] keys = new long[BATCH];
  private final long[] values = new long[BATCH];
  private BufferPool pool;
  private LongIndex index;

  FileReads(Path folder, int entries) {
    this.entries = entries;
    this.path = folder.resolve("cold");
    Path warmPath = folder.resolve("warm");
    FileOptions building = DIRECT.withPageBytes(PAGE_BYTES).withPoolBytes(poolBytes(entries));
    try (LongIndex cold = Espalier.open(path, building)) {
      fill(cold);
    }
    this.largePool = BufferPool.create(poolBytes(entries), PAGE_BYTES);
    this.warm = Espalier.open(warmPath, building.withPool(largePool));
    fill(warm);
    fill(inMemory);
    this.pool = BufferPool.create(COLD_POOL_BYTES, PAGE_BYTES);
    this.index = open();
  }

  /** Returns room for all pages, half full. */
  private static long poolBytes(int entries) {
    return 40L * entries + (64L << 20);
  }

  private void fill(LongIndex filled) {
    int step = 100_000;
    for (int from = 0; from < entries; from += step) {
      long[] some = WorkKeys.keys(from, Math.min(step, entries - from));
      filled.putAll(some, WorkKeys.values(some));
    }
    filled.flush();
  }

  private LongIndex open(FileOption... more) {
    FileOption[] flags = new FileOption[more.length + 1];
    System.arraycopy(more, 0, flags, 0, more.length);
    flags[more.length] = FileOption.READ_ONLY;
    return Espalier.open(path, DIRECT.withPool(pool).withFlags(flags));
  }

  private void reopen(FileOption... flags) {
    index.close();
    pool.close();
    pool = BufferPool.create(COLD_POOL_BYTES, PAGE_BYTES);
    index = open(flags);
  }

  void addTo(Rounds rounds) {
    int scanned = Math.min(SCANNED, entries / 2);
    rounds.add(SCAN, scanned, () -> reopen(FileOption.WITHOUT_READ_AHEAD), () -> scan(scanned));
    rounds.add(SCAN_AHEAD, scanned, this::reopen, () -> scan(scanned));
    rounds.add(COLD_GET, COLD_KEYS, this::reopen, this::getCold);
    int keysOfAll = VIRTUAL_THREADS * VIRTUAL_KEYS;
    rounds.add(COLD_GET_VIRTUAL, keysOfAll, this::reopen, this::getColdByVirtualThreads);
    rounds.add(COLD_GET_ALL, COLD_KEYS, this::reopen, this::getAllCold);
    rounds.add(GET, WARM_KEYS, () -> get(warm));
    rounds.add(GET_IN_MEMORY, WARM_KEYS, () -> get(inMemory));
  }

  /** Scans a random range of about so many entries: keys are spread evenly over 62 bits. */
  private void scan(int count) {
    LongCursor cursor = index.cursor();
    long length = (long) ((double) count / entries * 0x1p62);
    long from = random.nextLong(-(1L << 61), (1L << 61) - length);
    cursor.scanTo(from + length);
    cursor.lower(from);
    LongRun run = new LongRun();
    long sum = 0;
    long seen = 0;
    while (cursor.nextRun(run) && run.key(0) <= from + length) {
      for (int i = 0; i < run.count(); i++) {
        sum += run.value(i);
      }
      seen += run.count();
    }
    if (seen < count / 2 || sum == 0) {
      throw new IllegalStateException("the scan saw " + seen + " entries of about " + count);
    }
  }

  private void getCold() {
    for (int i = 0; i < COLD_KEYS; i++) {
      check(randomKey());
    }
  }

  private void getColdByVirtualThreads() {
    List<Future<?>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int thread = 0; thread < VIRTUAL_THREADS; thread++) {
        SplittableRandom own = random.split();
        all.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < VIRTUAL_KEYS; i++) {
                    check(WorkKeys.key(own.nextLong(entries)));
                  }
                }));
      }
    }
    for (Future<?> one : all) {
      if (one.state() == Future.State.FAILED) {
        throw new IllegalStateException("a virtual thread failed", one.exceptionNow());
      }
    }
  }

  private long randomKey() {
    return WorkKeys.key(random.nextLong(entries));
  }

  private void check(long key) {
    if (index.get(key) != WorkKeys.value(key)) {
      throw new IllegalStateException("wrong value for key " + key);
    }
  }

  private void getAllCold() {
    for (int done = 0; done < COLD_KEYS; done += BATCH) {
      for (int i = 0; i < BATCH; i++) {
        keys[i] = randomKey();
      }
      index.getAll(keys, values);
      if (values[0] != WorkKeys.value(keys[0])) {
        throw new IllegalStateException("wrong value for key " + keys[0]);
      }
    }
  }

  private void get(LongIndex tree) {
    long sum = 0;
    for (int i = 0; i < WARM_KEYS; i++) {
      sum += tree.get(randomKey());
    }
    if (sum == 0) {
      throw new IllegalStateException("nothing was found");
    }
  }

  @Override
  public void close() {
    index.close();
    pool.close();
    warm.close();
    largePool.close();
    inMemory.close();
  }
}
