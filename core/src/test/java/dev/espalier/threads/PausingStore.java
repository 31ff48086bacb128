// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import dev.espalier.IndexOptions;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.PageStore;
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
}
