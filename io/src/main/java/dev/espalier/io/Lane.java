// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.Ring;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A ring and what is under way on it. The thread that uses it holds its lock, also while it waits.
 */
final class Lane {
  private final ReentrantLock use = new ReentrantLock();
  private final Ring ring;

  /** The kernel writes into them, so they must not be collected, even if they are forgotten. */
  private final Set<IoBatch> underWay = Collections.newSetFromMap(new IdentityHashMap<>());

  Lane(Ring ring) {
    this.ring = ring;
  }

  boolean tryTake() {
    return use.tryLock();
  }

  void take() {
    use.lock();
  }

  void giveBack() {
    use.unlock();
  }

  // Those who call the following hold the lane.

  void submit(IoBatch batch) {
    batch.ticket = this;
    underWay.add(batch);
    ring.submit(batch.requests(), batch.count(), batch.writes);
  }

  void transfer(IoBatch batch) {
    batch.ticket = this;
    underWay.add(batch);
    ring.transfer(batch.requests(), batch.count(), batch.writes);
    underWay.remove(batch);
  }

  void reap() {
    ring.reap();
  }

  void close() {
    ring.close();
    underWay.clear();
  }
}
