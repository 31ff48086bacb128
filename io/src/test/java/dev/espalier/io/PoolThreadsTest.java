// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.memory.PageStore;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Threads that change the pages of two stores in one pool, which has few of them at a time. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PoolThreadsTest {
  private static final int THREADS = 4;
  private static final int WAVE = 8;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  @Test
  void pagesKeepTheirContentsInASmallPool() throws Exception {
    run(60 * 256, 256, 120, TestSize.share(5_000, 200_000));
  }

  /** The largest pages, so that the pool has room for several batches. */
  @Test
  void pagesKeepTheirContentsWhereSeveralThreadsWriteAtOnce() throws Exception {
    run(64 << 20, 1 << 16, 700, TestSize.share(500, 10_000));
  }

  private void run(long bytes, int pageBytes, int pages, int rounds) throws Exception {
    try (BufferPool pool = BufferPool.create(bytes, pageBytes);
        SlotPageStore one = Stores.create(folder.resolve("one"), PageFiles.CACHED, pool);
        SlotPageStore other = Stores.create(folder.resolve("other"), PageFiles.CACHED, pool);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1)) {
      Stores.allocate(one, pages);
      Stores.allocate(other, pages);
      AtomicBoolean done = new AtomicBoolean();
      List<Future<?>> workers = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        int number = thread;
        SlotPageStore[] stores = {one, other};
        workers.add(threads.submit(() -> change(stores, pages, number, rounds)));
      }
      Future<?> flusher =
          threads.submit(
              () -> {
                while (!done.get()) {
                  one.flush();
                  other.flush();
                }
              });
      try {
        for (Future<?> worker : workers) {
          worker.get();
        }
      } finally {
        done.set(true);
      }
      flusher.get();
      one.flush();
      other.flush();
      assertEquals(0, one.changedPages.get() + other.changedPages.get());
      assertTrue(pool.counters().evictions() > pages / 2, pool.counters()::toString);
    }
  }

  /** A pin changes the frame's state word, and so may the write that begins. */
  @Test
  void flushLeavesOutNoPageThatOthersPinAtThatMoment() throws Exception {
    try (BufferPool pool = BufferPool.create(9 * 256, 256);
        SlotPageStore store = Stores.create(folder.resolve("pinned"), PageFiles.CACHED, pool);
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      int page = Stores.allocate(store, 1)[0];
      AtomicBoolean done = new AtomicBoolean();
      Future<?> reader =
          threads.submit(
              () -> {
                while (!done.get()) {
                  store.unpin(store.pin(page), false);
                }
              });
      try {
        for (int round = 0; round < TestSize.share(20_000, 200_000); round++) {
          store.unpin(store.pin(page), true);
          store.flush();
          assertEquals(0, store.changedPages.get(), "in round " + round);
        }
      } finally {
        done.set(true);
      }
      reader.get();
    }
  }

  @Test
  void everyPinOfAPageThatIsThereIsCounted() throws Exception {
    int pages = 8;
    int rounds = TestSize.share(200_000, 5_000_000);
    try (BufferPool pool = BufferPool.create(40 * 256, 256);
        SlotPageStore store = Stores.create(folder.resolve("hits"), PageFiles.CACHED, pool)) {
      Stores.allocate(store, pages);
      long before = pool.counters().hits();
      pinInThreads(store, pages, rounds);
      assertEquals((long) THREADS * rounds, pool.counters().hits() - before);
      assertEquals(0, pool.counters().misses());
    }
  }

  @Test
  void everyPinIsAHitOrAMissWhilePagesMakeRoom() throws Exception {
    int pages = 100;
    int rounds = TestSize.share(20_000, 500_000);
    try (BufferPool pool = BufferPool.create(40 * 256, 256);
        SlotPageStore store = Stores.create(folder.resolve("misses"), PageFiles.CACHED, pool)) {
      Stores.allocate(store, pages);
      PoolCounters before = pool.counters();
      pinInThreads(store, pages, rounds);
      PoolCounters after = pool.counters();
      long hits = after.hits() - before.hits();
      long misses = after.misses() - before.misses();
      assertEquals((long) THREADS * rounds, hits + misses);
      assertTrue(hits > rounds / 10 && misses > rounds / 10, after::toString);
    }
  }

  /** Lets each thread pin random pages, two at once or one. */
  private static void pinInThreads(PageStore store, int pages, int rounds) throws Exception {
    List<Callable<@Nullable Void>> pinning = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      Random random = new Random(thread);
      pinning.add(
          () -> {
            long[] wave = new long[2];
            for (int round = 0; round < rounds; round += 2) {
              wave[0] = 1 + random.nextInt(pages);
              wave[1] = 1 + random.nextInt(pages);
              if (random.nextBoolean()) {
                store.pinAll(wave, 0, 2);
              } else {
                wave[0] = store.pin((int) wave[0]);
                wave[1] = store.pin((int) wave[1]);
              }
              store.unpin(wave[0], false);
              store.unpin(wave[1], false);
            }
            return null;
          });
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      for (Future<?> done : threads.invokeAll(pinning)) {
        done.get();
      }
    }
  }

  /** Changes pages that no other thread looks at, waves of them, and looks whether they last. */
  private static @Nullable Void change(SlotPageStore[] stores, int pages, int thread, int rounds) {
    int own = pages / THREADS;
    long[][] expected = new long[2][own];
    for (int page = 0; page < own; page++) {
      expected[0][page] = page * THREADS + thread + 1;
      expected[1][page] = expected[0][page];
    }
    Random random = new Random(thread);
    long[] wave = new long[WAVE];
    int[] chosen = new int[WAVE];
    for (int round = 0; round < rounds; round++) {
      int which = random.nextInt(2);
      PageStore store = stores[which];
      for (int i = 0; i < WAVE; i++) {
        chosen[i] = random.nextInt(own);
        wave[i] = chosen[i] * THREADS + thread + 1;
      }
      store.pinAll(wave, 0, WAVE);
      for (int i = 0; i < WAVE; i++) {
        assertEquals(expected[which][chosen[i]], Stores.contents(store, wave[i]));
        boolean changes = random.nextBoolean();
        if (changes) {
          expected[which][chosen[i]] = random.nextLong();
          store
              .segment()
              .set(
                  ValueLayout.JAVA_LONG,
                  wave[i] + PageStore.RESERVED_BYTES,
                  expected[which][chosen[i]]);
        }
        store.unpin(wave[i], changes);
        if (random.nextInt(8) == 0) {
          store.wontNeed(chosen[i] * THREADS + thread + 1);
        }
      }
    }
    return null;
  }

  /** They get the lock in the order in which they ask for it. */
  @Test
  void aTableThatTwoThreadsMakeLargerKeepsTheLargerSize() throws Exception {
    try (BufferPool pool = BufferPool.create(9 * 256, 256);
        SlotPageStore store = Stores.create(folder.resolve("table"), PageFiles.CACHED, pool)) {
      List<Thread> threads = new ArrayList<>();
      pool.frames.lock.lock();
      try {
        for (int page : new int[] {1_000, 20}) {
          Thread thread = Thread.ofPlatform().start(() -> store.enlargeTable(page));
          threads.add(thread);
          while (!pool.frames.lock.hasQueuedThread(thread)) {
            Thread.onSpinWait();
          }
        }
      } finally {
        pool.frames.lock.unlock();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertTrue(store.mostPages() >= 1_000, () -> "pages: " + store.mostPages());
    }
  }

  @Test
  void aPageThatIsGivenBackIsNotReadAheadBeforeItIsGivenOutAgain() throws Exception {
    try (BufferPool pool = BufferPool.create(33 * 256, 256);
        SlotPageStore store = Stores.create(folder.resolve("freed"), PageFiles.CACHED, pool);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      int page = Stores.allocate(store, 1)[0];
      AtomicBoolean done = new AtomicBoolean();
      int[] ahead = {page};
      List<Future<?>> readers = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        readers.add(
            threads.submit(
                () -> {
                  while (!done.get()) {
                    store.readAhead(ahead, 0, 1);
                  }
                }));
      }
      try {
        for (int round = 0; round < TestSize.share(20_000, 200_000); round++) {
          store.flush(); // so that it can be read
          store.free(page);
          assertEquals(page, store.allocate());
          long offset = store.pin(page);
          assertEquals(0, Stores.contents(store, offset), "in round " + round);
          store.segment().set(ValueLayout.JAVA_LONG, offset + PageStore.RESERVED_BYTES, page);
          store.unpin(offset, true);
        }
      } finally {
        done.set(true);
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
    }
  }
}
