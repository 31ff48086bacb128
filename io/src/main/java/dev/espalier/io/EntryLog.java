// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.MemorySegment;

/**
 * Tells the log of the writes of single keys to an index whose tree is made for many threads, while
 * the tree makes them: before another thread can see a write. So nobody can read a value and write
 * what follows from it, and find after a crash only the latter.
 *
 * <p>Of a write to many keys, whose locks are held as well, the log is told before by {@link
 * StoreIndex}, {@link StoreBytesIndex} or {@link BatchWrites}.
 */
final class EntryLog {
  private final StoreWriter writer;
  private final IndexLocks locks;
  private final int index;

  EntryLog(StoreWriter writer, IndexLocks locks, int index) {
    this.writer = writer;
    this.locks = locks;
    this.index = index;
  }

  /** Tells of a value that is about to be stored, by the thread that holds the lock of its key. */
  void set(long key, long value) {
    IndexLock lock = locks.lock(key);
    if (lock.tells) {
      lock.told = writer.appendSet(index, key, value);
    }
  }

  /** Tells of a value of an index of byte strings. */
  void set(MemorySegment key, MemorySegment value) {
    IndexLock lock = locks.lock(IndexLocks.keyOf(key));
    if (lock.tells) {
      lock.told = writer.appendSet(lock, index, key, value);
    }
  }

  /** Tells of a removal from an index of byte strings. */
  void delete(MemorySegment key) {
    IndexLock lock = locks.lock(IndexLocks.keyOf(key));
    if (lock.tells) {
      lock.told = writer.appendDelete(lock, index, key);
    }
  }

  /** Tells of a removal, by the thread that holds the lock of the key. */
  void delete(long key) {
    IndexLock lock = locks.lock(key);
    if (lock.tells) {
      lock.told = writer.appendDelete(lock, index, key);
    }
  }
}
