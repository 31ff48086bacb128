// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the stores of the process that are open: one thread asks each of them from time to
 * time whether there is anything to be done, and has another thread do it. So stores wait neither
 * for one another nor for each other's devices, and one that is idle has no thread.
 */
final class Caretaker {
  /** How long a thread waits for more to do. */
  private static final long IDLE_SECONDS = 1;

  /** When to look again if an error came in the middle. */
  private static final long AGAIN_NANOS = 20_000_000;

  static final Caretaker SHARED =
      new Caretaker(
          new ThreadPoolExecutor(
              0,
              Integer.MAX_VALUE,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new SynchronousQueue<>(),
              Thread.ofPlatform().daemon().name("espalier-store").factory()));

  /** A store, and when it is to be looked at; by the caretaker's thread. */
  private static final class Charge {
    private final WeakReference<Background> store;
    private final long nanos;
    private long next;

    Charge(Background store, long nanos) {
      this.store = new WeakReference<>(store);
      this.nanos = nanos;
      this.next = System.nanoTime() + nanos;
    }
  }

  /** Under the monitor of this, as the thread is. */
  private final List<Charge> charges = new ArrayList<>();

  /** The thread that looks; there is none while no store is open. */
  private volatile @Nullable Thread thread;

  private final Executor workers;

  /** Has threads of an executor do what is to be done. */
  Caretaker(Executor workers) {
    this.workers = workers;
  }

  /** Looks after a store from now on, until it has ended or can no longer be reached. */
  synchronized void add(Background store, long nanos) {
    charges.add(new Charge(store, nanos));
    if (thread == null) {
      thread = Thread.ofPlatform().daemon().name("espalier-stores").start(this::watch);
    } else {
      wake(); // It may be asleep for longer than this store's time.
    }
  }

  /** Looks at once at those that are in a hurry. */
  void wake() {
    LockSupport.unpark(thread);
  }

  private void watch() {
    for (long nanos = lookOrPutOff(); nanos > 0; nanos = lookOrPutOff()) {
      LockSupport.parkNanos(this, nanos);
      Thread.interrupted(); // Set, it would end every wait at once; it means nothing here.
    }
  }

  /** Looks; without memory for that, looks again soon, as all stores depend on this thread. */
  private long lookOrPutOff() {
    try {
      return look();
    } catch (VirtualMachineError noMemory) {
      return AGAIN_NANOS;
    }
  }

  /** Looks at the stores whose time has come; returns when to look again, 0 for never. */
  private synchronized long look() {
    long now = System.nanoTime();
    long wait = Long.MAX_VALUE;
    for (Iterator<Charge> all = charges.iterator(); all.hasNext(); ) {
      Charge charge = all.next();
      Background store = charge.store.get();
      if (store == null || !isStillLookedAfter(store, charge, now)) {
        all.remove();
        continue;
      }
      wait = Math.min(wait, Math.max(1, charge.next - now));
    }
    if (charges.isEmpty()) {
      thread = null;
      return 0;
    }
    return wait;
  }

  /** Looks at a store, if its time has come; tells whether to look again. */
  private boolean isStillLookedAfter(Background store, Charge charge, long now) {
    try {
      if (store.hasEnded()) {
        return false;
      }
      if (charge.next - now <= 0 || store.isInAHurry()) {
        charge.next = now + charge.nanos;
        if (store.beginsCommit()) {
          employ(store, true);
        }
        if (store.begins()) {
          employ(store, false);
        }
      }
      return true;
    } catch (RuntimeException failed) {
      store.endAfter(failed); // The others are looked after all the same.
      return false;
    }
  }

  /** Has a thread commit, or do all else that is to be done; without a thread, puts that off. */
  private void employ(Background store, boolean commits) {
    boolean isEmployed = false;
    try {
      workers.execute(commits ? store::commit : store::work);
      isEmployed = true;
    } catch (RejectedExecutionException | OutOfMemoryError noThread) {
      // The system may have one the next time.
    } finally {
      if (!isEmployed && commits) {
        store.putOffCommit();
      } else if (!isEmployed) {
        store.putOff();
      }
    }
  }
}
