// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.Ring;
import java.lang.ref.Cleaner;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A ring and what is under way on it. The thread that uses the ring holds its lock, even while it
 * waits.
 */
final class Lane {
  /**
   * Those with batches that were started and not finished: the kernel writes into memory that must
   * not be collected, even if the file and its pool are dropped.
   */
  private static final Set<Lane> NOT_FINISHED = ConcurrentHashMap.newKeySet();

  private final ReentrantLock use = new ReentrantLock();
  private final Ring ring;
  private final Cleaner.Cleanable closeOnce;

  /** The kernel writes into them, so they must not be collected, even if they are forgotten. */
  private final Set<IoBatch> underWay = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Whether {@link #NOT_FINISHED} has this lane. */
  private boolean isKept;

  /** Whether a batch has ended that could not be let go of, because another thread had the lane. */
  private volatile boolean hasEnded;

  Lane(Ring ring) {
    this.ring = ring;
    this.closeOnce = Dropped.once(use, ring::close);
  }

  boolean tryTake() {
    return use.tryLock();
  }

  void take() {
    use.lock();
  }

  void giveBack() {
    use.unlock();
    letGoOfEnded();
  }

  /**
   * Lets go of a batch that has ended, without waiting: if another thread has the lane, that does
   * it when it gives the lane back.
   */
  void noteEnd(IoBatch batch) {
    if (!use.tryLock()) {
      hasEnded = true;
      letGoOfEnded(); // The lane may have been given back meanwhile.
      return;
    }
    try {
      underWay.remove(batch);
      letGo();
    } finally {
      giveBack();
    }
  }

  private void letGoOfEnded() {
    while (hasEnded && use.tryLock()) {
      try {
        hasEnded = false;
        // One that is under way again is so on its attachment.
        underWay.removeIf(batch -> EngineFile.hasEnded(batch) || !equals(batch.attachment));
        letGo();
      } finally {
        use.unlock();
      }
    }
  }

  // Those who call the following hold the lane.

  void submit(IoBatch batch) {
    batch.attachment = this;
    underWay.add(batch);
    if (!isKept) {
      isKept = true;
      NOT_FINISHED.add(this);
    }
    ring.submit(batch.requests(), batch.count(), batch.writes);
  }

  void transfer(IoBatch batch) {
    batch.attachment = this;
    underWay.add(batch);
    ring.transfer(batch.requests(), batch.count(), batch.writes);
    underWay.remove(batch);
    letGo();
  }

  void reap() {
    ring.reap();
  }

  void close() {
    closeOnce.clean();
    underWay.clear();
    letGo();
  }

  private void letGo() {
    if (isKept && underWay.isEmpty()) {
      isKept = false;
      NOT_FINISHED.remove(this);
    }
  }
}
