// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.support.DeadKeeper;
import dev.espalier.support.DeadRanges;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where readers have found only what was removed, in a tree that others write meanwhile. What a
 * reader has found is kept if none of the keys put since it began lies there.
 */
final class DeadKeys implements DeadKeeper {
  /** So many puts may come beside a reader; beyond that, nothing of what it found is kept. */
  static final int MOST_PUTS = 64;

  private static final VarHandle PUTS;

  static {
    try {
      PUTS = MethodHandles.lookup().findVarHandle(DeadKeys.class, "puts", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The ranges, for whoever comes by. */
  final DeadRanges ranges = new DeadRanges();

  /** Held by the one who enters an operation. */
  private final ReentrantLock appending;

  /** The keys put last, each at the number of its put modulo {@link #MOST_PUTS}. */
  private final long[] last = new long[MOST_PUTS];

  /** How many puts were begun: all but the last of them can be seen. Changed with the lock held. */
  private long puts;

  DeadKeys(ReentrantLock appending) {
    this.appending = appending;
  }

  /** Takes a key that is about to be put out of the ranges; with the lock held. */
  void beforePut(long key) {
    last[(int) puts & (MOST_PUTS - 1)] = key;
    PUTS.setRelease(this, puts + 1);
    ranges.revive(key);
  }

  /** Forgets all of them, also what readers are about to add; with the lock held. */
  void clear() {
    PUTS.setRelease(this, puts + MOST_PUTS + 1);
    ranges.clear();
  }

  @Override
  public long now() {
    return (long) PUTS.getAcquire(this);
  }

  /** Adds a range unless a writer is busy, or was there since. */
  @Override
  public void add(long since, long first, long end) {
    if (!appending.tryLock()) {
      return; // The next reader that comes by adds it.
    }
    try {
      long from = since - 1; // Which the reader may not have seen.
      if (puts - from <= MOST_PUTS && noneWasPut(from, first, end)) {
        ranges.add(first, end);
      }
    } finally {
      appending.unlock();
    }
  }

  private boolean noneWasPut(long from, long first, long end) {
    for (long put = Math.max(from, 0); put < puts; put++) {
      long key = last[(int) put & (MOST_PUTS - 1)];
      if (key >= first && key <= end) {
        return false;
      }
    }
    return true;
  }
}
