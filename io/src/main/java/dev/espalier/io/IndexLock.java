// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps writers apart from the change of one of them until its record is in the log: those of a
 * whole index, and its readers with them, or those of some keys of an index whose tree is made for
 * many threads.
 */
final class IndexLock {
  /**
   * How often a writer tries the lock before it waits, which costs a sleep: about as long as a few
   * lookups take.
   */
  private static final int SPINS = 100;

  /** The lock that readers share, or null. */
  private final @Nullable ReentrantReadWriteLock shared;

  private final Lock lock;

  /** This lock by itself. */
  final IndexLock[] alone = {this};

  /** How the holder entered the gate, if this is the first of its locks. */
  long entered;

  /** Whether the log is to be told when the tree makes the holder's write, which is of one key. */
  boolean tells;

  /** The sequence number of the record by which it was told; 0 if it was not. */
  long told;

  /**
   * Why the holder's writes have failed, of which the log was told, if they are to be taken back
   * when it is not within any more.
   */
  @Nullable RuntimeException failed;

  private @Nullable LogRecord record;

  /** Takes a lock of which readers hold their part during each call. */
  IndexLock(ReentrantReadWriteLock shared) {
    this.shared = shared;
    this.lock = shared.writeLock();
  }

  /** Makes a lock of some keys, which readers do not take. */
  IndexLock() {
    this.shared = null;
    this.lock = new ReentrantLock();
  }

  /**
   * Tells whether this is one of some keys. Such a lock is taken only within the gate, after those
   * that readers share, in the order of indexes and keys; so it may be waited for with others held.
   */
  boolean isOfKeys() {
    return shared == null;
  }

  /**
   * Takes the lock for writing if it is free, or will be in a moment.
   *
   * @throws IllegalStateException if this thread is reading, because it would wait for itself
   */
  boolean tryTake() {
    for (int spins = 0; !lock.tryLock(); spins++) {
      if (spins == SPINS) {
        return false;
      }
      if (spins == 0 && shared != null && shared.getReadHoldCount() > 0) {
        throw new IllegalStateException(
            "a write to an index from a reader or listener of the same index would never end");
      }
      Thread.onSpinWait();
    }
    return true;
  }

  /** Takes the lock for writing, however long that takes. */
  void take() {
    if (!isOfKeys() || !tryTake()) {
      lock.lock();
    }
  }

  /** Gives the lock back. */
  void release() {
    lock.unlock();
  }

  /**
   * Tells whether the holder is alone in the gate, and so may have to keep versions, if this is the
   * first of its locks.
   */
  boolean isOfOneAlone() {
    return entered == WriterGate.ALONE;
  }

  /** Lets the tree tell the log of the one write that the holder is about to make. */
  void expectWrite() {
    tells = true;
    told = 0;
  }

  /** Returns what is in {@link #failed}, which is the holder's to deal with. */
  @Nullable RuntimeException takeFailed() {
    RuntimeException taken = failed;
    if (taken != null) {
      failed = null;
    }
    return taken;
  }

  /** Returns a record for the holder. */
  LogRecord record() {
    LogRecord known = record;
    if (known == null) {
      known = new LogRecord();
      record = known;
    }
    return known;
  }
}
