// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.PageStore;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A store that stops one thread at one of its calls, while others go on. */
public final class PausingStore extends ForwardingPageStore {
  private static final int PAGES = 300;

  private volatile @Nullable Thread writer;
  private BooleanSupplier mayPause = () -> true;
  private int callsUntilPause;
  private final CountDownLatch paused = new CountDownLatch(1);
  private final CountDownLatch resumed = new CountDownLatch(1);

  /** Makes a store in memory that does not have to move while the thread is paused. */
  public PausingStore() {
    super(withRoom());
  }

  private static PageStore withRoom() {
    PageStore store = IndexOptions.DEFAULT.pagesInMemory(256);
    int[] pages = new int[PAGES];
    for (int i = 0; i < pages.length; i++) {
      pages[i] = store.allocate();
    }
    for (int page : pages) {
      store.free(page);
    }
    return store;
  }

  /**
   * Stops this thread at one of its calls from now on.
   *
   * @param call its number, of those during which it may be stopped
   * @param during tells whether it may
   */
  public void pauseThisThreadAt(int call, BooleanSupplier during) {
    callsUntilPause = call;
    mayPause = during;
    writer = Thread.currentThread();
  }

  /** Lets {@link #awaitPause} return, if the thread has not come to the call. */
  public void noteEnd() {
    paused.countDown();
  }

  /** Waits until the thread is at the call, or has ended; returns whether it is at the call. */
  public boolean awaitPause() throws InterruptedException {
    paused.await();
    return callsUntilPause < 0;
  }

  /** Lets the thread go on. */
  public void resume() {
    resumed.countDown();
  }

  @SuppressWarnings("ReferenceEquality") // A thread is only ever itself.
  private void call() {
    if (Thread.currentThread() != writer || !mayPause.getAsBoolean() || callsUntilPause-- != 0) {
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

  @Override
  public int allocate() {
    call();
    return super.allocate();
  }

  @Override
  public void free(int page) {
    call();
    super.free(page);
  }

  /** Checks everything but one key, by lookups, batches and scans in both directions. */
  public static void assertHolds(LongIndex index, TreeMap<Long, Long> model, long but) {
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
