// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.CountDownLatch;
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
    Handed handed = new Handed(call);
    THREADS.execute(handed);
    handed.await();
  }

  /** Returns how many calls were handed over. */
  static long calls() {
    return THREADS.getTaskCount();
  }

  /** A call that was handed over. */
  private static final class Handed implements Runnable {
    private final Runnable call;
    private final CountDownLatch end = new CountDownLatch(1);
    private @Nullable RuntimeException exception;
    private @Nullable Error error;

    Handed(Runnable call) {
      this.call = call;
    }

    @Override
    public void run() {
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
      if (exception != null) {
        throw exception;
      }
      if (error != null) {
        throw error;
      }
    }
  }
}
