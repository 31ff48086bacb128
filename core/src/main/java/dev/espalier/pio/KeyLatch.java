// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Held by the one thread that writes a key, or another that shares the latch: from the look at what
 * is there until the operation is in the queue.
 */
final class KeyLatch {
  private static final int LATCHES = 256;

  private final ReentrantLock lock = new ReentrantLock();

  /** Whether the last look of the holder came upon an entry. */
  boolean wasThere;

  /** Returns the latches of all keys. */
  static KeyLatch[] forAllKeys() {
    KeyLatch[] latches = new KeyLatch[LATCHES];
    for (int i = 0; i < LATCHES; i++) {
      latches[i] = new KeyLatch();
    }
    return latches;
  }

  /** Waits for the latch of a key. */
  static KeyLatch acquire(KeyLatch[] latches, long key) {
    // Fibonacci hashing: neighbours, and keys at any distance, have different latches.
    KeyLatch latch = latches[(int) ((key * 0x9e37_79b9_7f4a_7c15L) >>> 56)];
    latch.lock.lock();
    return latch;
  }

  void release() {
    lock.unlock();
  }
}
