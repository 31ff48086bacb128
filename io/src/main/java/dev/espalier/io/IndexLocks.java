// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.bytes.BytesIndex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the writers of an index hold from their change until its record is in the log, so
 * that the log has the writes to each key in the order in which the tree has them.
 */
final class IndexLocks {
  /** Those of an index that takes no writes. */
  static final IndexLocks NONE = new IndexLocks(new IndexLock[0], true);

  /** How many locks the keys of an index share: two writers seldom need the same. */
  static final int OF_KEYS = Long.SIZE;

  private static final int HASH_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(OF_KEYS);

  /** Those of keys are made when they are first taken: an index may have few entries. */
  private final AtomicReferenceArray<IndexLock> locks;

  /** All of them, null until somebody takes all. */
  private volatile IndexLock @Nullable [] all;

  /** Whether a lock of keys keeps anybody apart; without it, a test shows what breaks. */
  private final boolean keepApart;

  private IndexLocks(IndexLock[] all, boolean keepApart) {
    this.locks = new AtomicReferenceArray<>(all);
    this.all = all;
    this.keepApart = keepApart;
  }

  private IndexLocks(boolean keepApart) {
    this.locks = new AtomicReferenceArray<>(OF_KEYS);
    this.keepApart = keepApart;
  }

  /** Returns the one lock of an index whose readers share it. */
  static IndexLocks of(ReentrantReadWriteLock lock) {
    return new IndexLocks(new IndexLock[] {new IndexLock(lock)}, true);
  }

  /**
   * Makes the locks of an index whose tree is made for many threads.
   *
   * @param keepApart whether they keep writers of one key apart
   */
  static IndexLocks ofKeys(boolean keepApart) {
    return new IndexLocks(keepApart);
  }

  /** Returns all of them, for a write to any keys. */
  IndexLock[] all() {
    IndexLock[] known = all;
    if (known == null) {
      known = ofBits(-1);
      all = known;
    }
    return known;
  }

  /** Tells whether they are those of a tree that is made for many threads. */
  boolean areOfKeys() {
    return locks.length() > 1;
  }

  /** Returns the lock of a key. */
  IndexLock[] of(long key) {
    if (!keepApart) {
      return new IndexLock().alone;
    }
    return areOfKeys() ? lock(key).alone : all();
  }

  /** Returns the lock of a key of a tree that is made for many threads. */
  IndexLock lock(long key) {
    return lock(number(key));
  }

  private IndexLock lock(int number) {
    IndexLock known = locks.getAcquire(number);
    return known != null ? known : add(number);
  }

  private IndexLock add(int number) {
    locks.compareAndSet(number, null, new IndexLock());
    return locks.get(number);
  }

  /** Returns the number of the lock of a key. */
  private static int number(long key) {
    // Fibonacci hashing: neighbours, and keys at any distance, have different locks.
    return (int) ((key * 0x9e37_79b9_7f4a_7c15L) >>> HASH_SHIFT);
  }

  /**
   * Returns a number that stands for a key of bytes here, as a key of longs does for itself; keys
   * that are equal have the same.
   */
  static long keyOf(MemorySegment bytes) {
    long size = Math.min(bytes.byteSize(), BytesIndex.MAX_KEY);
    long number = size;
    long at = 0;
    for (; at <= size - Long.BYTES; at += Long.BYTES) {
      number = mix(number ^ bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
    }
    for (; at < size; at++) {
      number = Long.rotateLeft(number, Byte.SIZE) ^ bytes.get(ValueLayout.JAVA_BYTE, at);
    }
    return mix(number);
  }

  private static long mix(long number) {
    long product = number * 0x9e37_79b9_7f4a_7c15L;
    return product ^ (product >>> Integer.SIZE);
  }

  /** Returns the bit of the lock of a key, to be gathered for {@link #some}. */
  static long bit(long key) {
    return 1L << number(key);
  }

  /** Returns the locks of some keys. */
  IndexLock[] of(long[] keys, int from, int count) {
    if (!areOfKeys()) {
      return all();
    }
    long bits = 0;
    for (int i = from; i < from + count; i++) {
      bits |= bit(keys[i]);
    }
    return some(bits);
  }

  /** Returns the locks whose bits are set, in their order; all if they are not those of keys. */
  IndexLock[] some(long bits) {
    return areOfKeys() ? ofBits(bits) : all();
  }

  private IndexLock[] ofBits(long bits) {
    IndexLock[] some = new IndexLock[Long.bitCount(bits)];
    long left = bits;
    for (int i = 0; i < some.length; i++) {
      some[i] = lock(Long.numberOfTrailingZeros(left));
      left &= left - 1;
    }
    return some;
  }
}
