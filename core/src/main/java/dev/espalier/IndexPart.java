// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.lock.WriteCount;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * One part of a {@link PartitionedIndex}: an index behind a lock of its own, and the range of keys
 * that belong to it. A bound changes only while the locks of both parts that it divides are held.
 */
final class IndexPart {
  /**
   * How many writes a part takes between two checks of the sizes of all parts: fewer than the
   * entries of a piece, so that moves keep up with inserts.
   */
  private static final int CHECK_EVERY = 256;

  final LongIndex index;
  final WriteCount writes = new WriteCount();
  final LockedIndex.Reading reading;
  final LockedIndex.Writing writing;

  /** How often a lookup is tried without the lock. */
  final int tries;

  /** The lowest and the highest key that may be here; the range is never empty. */
  long low;

  long high;

  private int writesSinceCheck;

  IndexPart(LongIndex index, long low, long high) {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    this.index = index;
    this.reading = new LockedIndex.Reading(lock.readLock());
    this.writing = new LockedIndex.Writing(lock, writes);
    this.tries = index.allowsTornReads() ? LockedIndex.MOST_TRIES : 0;
    index.expectTornReads();
    this.low = low;
    this.high = high;
  }

  /** Tells whether a key belongs here. */
  boolean covers(long key) {
    return key >= low && key <= high;
  }

  /** Tells whether a key is here, and stores its value unless the array is null. */
  boolean look(long key, long @Nullable [] value) {
    return value == null ? index.containsKey(key) : index.find(key, value);
  }

  /** Counts writes, and tells whether the sizes should be checked. The caller holds the lock. */
  boolean countWrites(int more) {
    writesSinceCheck += more;
    if (writesSinceCheck < CHECK_EVERY) {
      return false;
    }
    writesSinceCheck = 0;
    return true;
  }
}
