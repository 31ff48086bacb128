// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.PageStore;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A writer that flushes the queue is paused before each call of the store that it makes while it
 * has not the tree alone. Meanwhile readers find everything, by every way, and others append. One
 * that waited for the flush would wait forever.
 */
@Tag("fallback-too")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PausedFlushTest {
  private static final int LOADED = 400;
  private static final PioBTree.Geometry GEOMETRY = new PioBTree.Geometry(2, 8, 4, 20, 60);

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  /** Stops one thread at one of its calls. */
  private static final class PausingStore extends ForwardingPageStore {
    private volatile @Nullable Thread writer;
    private volatile @Nullable PioBTree index;
    private int callsUntilPause;
    private final CountDownLatch paused = new CountDownLatch(1);
    private final CountDownLatch resumed = new CountDownLatch(1);

    PausingStore(PageStore store) {
      super(store);
    }

    void pauseThisThreadAt(int call, PioBTree tree) {
      callsUntilPause = call;
      index = tree;
      writer = Thread.currentThread();
    }

    @SuppressWarnings("ReferenceEquality") // A thread is only ever itself.
    private void call() {
      PioBTree tree = index;
      if (Thread.currentThread() != writer
          || tree == null
          || tree.tree.appending.isHeldByCurrentThread()
          || callsUntilPause-- != 0) {
        return;
      }
      paused.countDown();
      try {
        resumed.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public long pin(int page) {
      call();
      return super.pin(page);
    }

    @Override
    public void pinAll(long[] pages, int from, int count) {
      call();
      super.pinAll(pages, from, count);
    }

    @Override
    public void unpin(long offset, boolean changed) {
      call();
      super.unpin(offset, changed);
    }
  }

  /** The operations that make the queue full: overwrites, insertions and deletions. */
  private static void write(PioBTree index, TreeMap<Long, Long> model, int step) {
    long key = 10L * (step * 37 % LOADED) + (step % 3 == 0 ? 0 : 5);
    if (step % 4 == 3) {
      index.delete(key);
      model.remove(key);
    } else {
      index.set(key, step);
      model.put(key, (long) step);
    }
  }

  private static PioBTree loaded(PausingStore store, TreeMap<Long, Long> model) {
    PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store, GEOMETRY);
    long[] keys = LongStream.range(0, LOADED).map(i -> 10 * i).toArray();
    index.bulkload(
        LongEntrySource.of(keys, keys, keys.length), 0.7, keys.length, ProgressListener.NONE);
    for (long key : keys) {
      model.put(key, key);
    }
    assertTrue(index.tree.height() >= 3);
    return index;
  }

  /** Returns how many writes the queue takes until it is flushed. */
  private static int writesBeforeFlush() {
    try (PioBTree index = loaded(new PausingStore(withRoom()), new TreeMap<>())) {
      long inLeaves = index.tree.meta[PioStructure.IN_LEAVES];
      int steps = 0;
      while (index.tree.meta[PioStructure.IN_LEAVES] == inLeaves) {
        write(index, new TreeMap<>(), steps++);
      }
      return steps - 1;
    }
  }

  @Test
  void aFlushStopsNeitherSearchesNorAppends() throws Exception {
    int steps = writesBeforeFlush();
    int pauses = 0;
    while (flushWithPause(steps, pauses)) {
      pauses++;
    }
    assertTrue(pauses > 100, "calls: " + pauses);
  }

  /** Pauses a flush at one of its calls; returns whether it has so many. */
  private boolean flushWithPause(int steps, int call) throws Exception {
    PausingStore store = new PausingStore(withRoom());
    TreeMap<Long, Long> model = new TreeMap<>();
    try (PioBTree index = loaded(store, model)) {
      for (int step = 0; step < steps; step++) {
        write(index, model, step);
      }
      TreeMap<Long, Long> after = new TreeMap<>();
      Future<?> writing =
          threads.submit(
              () -> {
                store.pauseThisThreadAt(call, index);
                write(index, after, steps);
                store.paused.countDown();
              });
      store.paused.await();
      boolean isPaused = store.callsUntilPause < 0;
      long own = 10L * (steps * 37 % LOADED) + (steps % 3 == 0 ? 0 : 5);
      assertHolds(index, model, own);
      if (isPaused) {
        long waiting = index.tree.queue.count();
        for (int i = 1; i <= 8; i++) {
          index.set(10L * i + 3, i);
          model.put(10L * i + 3, (long) i);
        }
        assertTrue(index.tree.queue.count() >= waiting + 8, "what is appended waits");
        assertHolds(index, model, own);
      }
      store.resumed.countDown();
      writing.get();
      model.remove(own);
      model.putAll(after);
      index.verify();
      assertHolds(index, model, Long.MIN_VALUE);
      assertEquals(model.size(), index.size());
      return isPaused;
    }
  }

  /** A memory that does not have to move while the writer is paused. */
  private static PageStore withRoom() {
    PageStore store = IndexOptions.DEFAULT.pagesInMemory(256);
    int[] pages = new int[300];
    for (int i = 0; i < pages.length; i++) {
      pages[i] = store.allocate();
    }
    for (int page : pages) {
      store.free(page);
    }
    return store;
  }

  /** Checks everything but one key, by lookups, batches and scans in both directions. */
  private static void assertHolds(PioBTree index, TreeMap<Long, Long> model, long but) {
    TreeMap<Long, Long> others = new TreeMap<>(model);
    others.remove(but);
    long[] keys = others.keySet().stream().mapToLong(Long::longValue).toArray();
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    LongCursor forth = index.cursor();
    LongCursor back = index.cursor();
    for (int i = 0; i < keys.length; i++) {
      assertEquals(others.get(keys[i]), values[i]);
      assertEquals(values[i], index.get(keys[i]));
      assertFalse(index.containsKey(keys[i] + 1));
      assertEquals(keys[i], next(forth, but));
      assertEquals(keys[keys.length - 1 - i], previous(back, but));
    }
  }

  private static long next(LongCursor cursor, long but) {
    assertTrue(cursor.next());
    return cursor.key() == but ? next(cursor, but) : cursor.key();
  }

  private static long previous(LongCursor cursor, long but) {
    assertTrue(cursor.previous());
    return cursor.key() == but ? previous(cursor, but) : cursor.key();
  }
}
