// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls that wait in the kernel on behalf of virtual threads: one of a few threads of the
 * process makes the call, and the virtual thread parks, so that others run on its carrier meanwhile
 * (decision 83).
 */
final class OffCarrier {
  /** As many calls at once as a wave has reads; others wait for their turn, parked as well. */
  static final int MOST_THREADS = Wave.MOST_PAGES;

  /** They end when they have nothing to do, and never wait for a thread that parks here. */
  private static final IoThreads THREADS =
      new IoThreads(
          MOST_THREADS,
          Thread.ofPlatform()
              .daemon()
              .inheritInheritableThreadLocals(false)
              .name("espalier-wait-", 0)
              .factory());

  private OffCarrier() {}

  /** Tells whether the calling thread would hold a carrier while it waits in the kernel. */
  static boolean isNeeded() {
    return Thread.currentThread().isVirtual();
  }

  /**
   * Makes a call and waits for its end, which no interrupt hastens; a virtual thread has another
   * one make it. What the call throws is thrown here.
   */
  static void run(Runnable call) {
    if (!isNeeded()) {
      call.run();
      return;
    }
    handOver(THREADS, call);
  }

  /**
   * Has a thread make a call, and waits for its end. If an error keeps this thread from waiting, be
   * it that its stack is full, the call is not made any more, or has ended, when that is thrown:
   * the memory that a call reads into is used for something else afterwards.
   */
  static void handOver(Executor threads, Runnable call) {
    Handed handed = new Handed(call);
    try {
      threads.execute(handed);
      handed.await();
    } catch (Error failed) {
      handed.takeBack();
      throw failed;
    }
    handed.throwFailure();
  }

  /** Returns how many calls were handed over. */
  static long calls() {
    return THREADS.getTaskCount();
  }

  /** A call that was handed over. */
  private static final class Handed implements Runnable {
    private final Runnable call;
    private final AtomicBoolean isTaken = new AtomicBoolean();
    private final CountDownLatch end = new CountDownLatch(1);
    private @Nullable RuntimeException exception;
    private @Nullable Error error;

    Handed(Runnable call) {
      this.call = call;
    }

    @Override
    public void run() {
      if (!isTaken.compareAndSet(false, true)) {
        return;
      }
      try {
        call.run();
      } catch (RuntimeException thrown) {
        exception = thrown;
      } catch (Error thrown) {
        error = thrown;
      } finally {
        end.countDown();
      }
    }

    void await() {
      Waiting.await(end);
    }

    /** Sees to it that the call is not made, or has ended. */
    void takeBack() {
      if (!isTaken.compareAndSet(false, true)) {
        while (end.getCount() > 0) {
          Thread.onSpinWait(); // To park may be what has failed.
        }
      }
    }

    void throwFailure() {
      if (exception != null) {
        throw exception;
      }
      if (error != null) {
        throw error;
      }
    }
  }
}
