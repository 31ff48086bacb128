// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a file whose engine has no ring, or those that wait for virtual threads. One that
 * has nothing to do for a second ends, so a file that is idle, or was dropped without being closed,
 * has none.
 *
 * <p>Where the system refuses a thread, because the process or its control group has as many as it
 * may, the caller's does the task. Whoever hands over a request can't take it back: others of its
 * batch are under way by then.
 */
class IoThreads extends ThreadPoolExecutor {
  /** As many requests as an SSD answers at once, most of the time. */
  static final int MOST = 16;

  private static final long IDLE_SECONDS = 1;

  /** Held while tasks are done by a thread that is not, or no longer, one of these. */
  private final ReentrantLock serving = new ReentrantLock();

  /** A task that runs once, whoever comes first, or is taken back. */
  private static final class Once implements Runnable {
    private final Runnable task;
    private final AtomicBoolean isTaken = new AtomicBoolean();

    Once(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (take()) {
        task.run();
      }
    }

    boolean take() {
      return isTaken.compareAndSet(false, true);
    }
  }

  IoThreads() {
    this(Thread.ofPlatform().daemon().name("espalier-io-", 0).factory());
  }

  /** Has its threads made by a factory, which may throw what the system's refusal becomes. */
  IoThreads(ThreadFactory factory) {
    this(MOST, factory);
  }

  /** Has so many threads at most. */
  IoThreads(int most, ThreadFactory factory) {
    super(most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    setThreadFactory(work -> factory.newThread(() -> serve(work)));
    allowCoreThreadTimeOut(true);
  }

  /**
   * Does the work of a thread. One that ends while a task waits has another thread started; if the
   * system refuses that, it does the task itself, since nobody else may ever come.
   */
  private void serve(Runnable work) {
    try {
      work.run();
    } finally {
      serveLeft();
    }
  }

  /**
   * Has a task done by one of the threads or, if none can be started, by the caller's. If another
   * error is thrown, the task is not done.
   */
  @Override
  public void execute(Runnable task) {
    Once once = null;
    try {
      once = new Once(task);
      super.execute(once);
    } catch (OutOfMemoryError noThread) {
      runHere(once == null ? task : once);
      // A thread was counted while it was being started, so others left their tasks to it.
      serveLeft();
    } catch (Error failed) {
      if (once == null || once.take()) {
        throw failed;
      } // Else a thread does it, or has done it.
    }
  }

  /** Does the tasks that wait although there is no thread. */
  private void serveLeft() {
    if (getQueue().isEmpty()) {
      return;
    }
    serving.lock();
    try {
      boolean any = false;
      for (Runnable left = pollUnlessServed(); left != null; left = pollUnlessServed()) {
        runHere(left);
        any = true;
      }
      if (any) {
        purge(); // A shutdown that has waited for these tasks ends now.
      }
    } finally {
      serving.unlock();
    }
  }

  /** Waits until all tasks have run, those included that a thread does at its end. */
  @Override
  public void close() {
    shutdown();
    Waiting.awaitEnd(this);
    serving.lock();
    try {
      // It has only to be free.
    } finally {
      serving.unlock();
    }
  }

  /** Takes a task that waits although there is no thread, if there is one. */
  private @Nullable Runnable pollUnlessServed() {
    return getPoolSize() == 0 ? getQueue().poll() : null;
  }

  /** Does a task in this thread, whose interrupt status is as before afterwards. */
  private static void runHere(Runnable task) {
    boolean interrupted = Thread.interrupted();
    try {
      task.run();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
