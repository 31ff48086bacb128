// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.lock.WriteCount;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock.ReadLock;

/**
 * An index behind one read-write lock: many readers at once, or one writer.
 *
 * <p>Each call holds the lock from beginning to end. A batch or {@code verify} is one call; a loop
 * over a cursor is many, and sees what is written between them. A listener or entry source is
 * called with the lock held: a listener of {@code verify} that writes to this index is refused.
 *
 * <p>Lookups of one key do not take the lock, if the index {@linkplain LongIndex#allowsTornReads
 * allows that}. They write nothing, so they do not slow one another down, however many there are.
 * Each reads a count of writes before and after. If a writer has come between, an answer may be
 * nonsense, and an exception may be spurious: the lookup starts over, and takes the lock after a
 * few tries (decision 31).
 *
 * <p>Functions of the caller's that decide what is written, as those given to {@link #merge}, run
 * without the lock: the entry is read, and written if it is still the same.
 *
 * <p>{@link #rootView} is the one thing that the lock does not guard: its nodes are read after the
 * call returns, so no thread may write meanwhile.
 */
final class LockedIndex implements ConcurrentLongIndex {
  /**
   * More tries would only delay taking the lock, which a reader needs if writers leave no pause.
   */
  static final int MOST_TRIES = 4;

  /**
   * How often a writer tries the lock before it gives up its processor. This takes as long as a few
   * writes of one entry; waking a thread takes as long as a hundred.
   */
  private static final int SPINS = 100;

  private final LongIndex index;
  private final Reading reading;
  private final Writing writing;
  private final WriteCount writes = new WriteCount();
  private final boolean readsOptimistically;

  LockedIndex(LongIndex index) {
    this(index, new ReentrantReadWriteLock());
  }

  /** Guards {@code index} with a lock that others can see. */
  LockedIndex(LongIndex index, ReentrantReadWriteLock lock) {
    this.index = index;
    this.reading = new Reading(lock.readLock());
    this.writing = new Writing(lock, writes);
    this.readsOptimistically = index.allowsTornReads();
    index.expectTornReads();
  }

  /** A lock for try-with-resources; one object for all calls, so that none allocates. */
  record Reading(ReadLock lock) implements AutoCloseable {
    Reading acquire() {
      lock.lock();
      return this;
    }

    @Override
    public void close() {
      lock.unlock();
    }
  }

  /**
   * Like {@link Reading}, but counts writes. A thread that writes may call another method that
   * writes, and may have taken the lock before.
   */
  record Writing(ReentrantReadWriteLock lock, WriteCount writes) implements AutoCloseable {
    Writing acquire() {
      for (int spins = 0; !lock.writeLock().tryLock(); spins++) {
        if (spins == SPINS) {
          checkNotReading();
          lock.writeLock().lock();
          break;
        }
        Thread.onSpinWait();
      }
      writes.begin();
      return this;
    }

    /** Refuses a write for which this thread would wait for itself. */
    private void checkNotReading() {
      if (lock.getReadHoldCount() > 0) {
        throw new IllegalStateException(
            "a write to an index from a listener of the same index would never end");
      }
    }

    @Override
    public void close() {
      writes.end();
      lock.writeLock().unlock();
    }
  }

  @Override
  public LongIndex withReadWriteLock() {
    return this;
  }

  @Override
  public TreeVariant variant() {
    return index.variant();
  }

  @Override
  public long missingValue() {
    return index.missingValue();
  }

  @Override
  public void checkCodecs(CodecMarks given) {
    index.checkCodecs(given);
  }

  @Override
  public boolean isClosed() {
    return index.isClosed();
  }

  /** Does not wait for a writer: looking at an index, say in a debugger, changes nothing. */
  @Override
  public String toString() {
    return index.toString();
  }

  // Reads

  @Override
  public long get(long key) {
    for (int tries = readsOptimistically ? MOST_TRIES : 0; tries > 0; tries--) {
      long count = writes.get();
      if (WriteCount.isWriting(count)) {
        break;
      }
      try {
        long value = index.get(key);
        if (writes.isStill(count)) {
          return value;
        }
      } catch (RuntimeException | Error thrown) {
        if (writes.isStill(count)) {
          throw thrown;
        }
      }
    }
    try (var _ = reading.acquire()) {
      return index.get(key);
    }
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    for (int tries = readsOptimistically ? MOST_TRIES : 0; tries > 0; tries--) {
      long count = writes.get();
      if (WriteCount.isWriting(count)) {
        break;
      }
      try {
        long value = index.getOrDefault(key, defaultValue);
        if (writes.isStill(count)) {
          return value;
        }
      } catch (RuntimeException | Error thrown) {
        if (writes.isStill(count)) {
          throw thrown;
        }
      }
    }
    try (var _ = reading.acquire()) {
      return index.getOrDefault(key, defaultValue);
    }
  }

  @Override
  public boolean containsKey(long key) {
    for (int tries = readsOptimistically ? MOST_TRIES : 0; tries > 0; tries--) {
      long count = writes.get();
      if (WriteCount.isWriting(count)) {
        break;
      }
      try {
        boolean found = index.containsKey(key);
        if (writes.isStill(count)) {
          return found;
        }
      } catch (RuntimeException | Error thrown) {
        if (writes.isStill(count)) {
          throw thrown;
        }
      }
    }
    try (var _ = reading.acquire()) {
      return index.containsKey(key);
    }
  }

  @Override
  public boolean find(long key, long[] value) {
    for (int tries = readsOptimistically ? MOST_TRIES : 0; tries > 0; tries--) {
      long count = writes.get();
      if (WriteCount.isWriting(count)) {
        break;
      }
      try {
        boolean found = index.find(key, value);
        if (writes.isStill(count)) {
          return found;
        }
      } catch (RuntimeException | Error thrown) {
        if (writes.isStill(count)) {
          throw thrown;
        }
      }
    }
    try (var _ = reading.acquire()) {
      return index.find(key, value);
    }
  }

  @Override
  public long size() {
    try (var _ = reading.acquire()) {
      return index.size();
    }
  }

  @Override
  public long sizeEstimate() {
    try (var _ = reading.acquire()) {
      return index.sizeEstimate();
    }
  }

  @Override
  public boolean isEmpty() {
    try (var _ = reading.acquire()) {
      return index.isEmpty();
    }
  }

  @Override
  public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    try (var _ = reading.acquire()) {
      index.getAll(keys, keysFrom, values, valuesFrom, count);
    }
  }

  @Override
  public int getAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
    try (var _ = reading.acquire()) {
      return index.getAll(keys, keysFrom, values, valuesFrom, count, found);
    }
  }

  @Override
  public void getAll(MemorySegment keys, MemorySegment values) {
    try (var _ = reading.acquire()) {
      index.getAll(keys, values);
    }
  }

  @Override
  public long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    try (var _ = reading.acquire()) {
      return index.countRange(from, fromInclusive, to, toInclusive);
    }
  }

  @Override
  public long firstKey() {
    try (var _ = reading.acquire()) {
      return index.firstKey();
    }
  }

  @Override
  public long lastKey() {
    try (var _ = reading.acquire()) {
      return index.lastKey();
    }
  }

  @Override
  public boolean first(LongEntry entry) {
    try (var _ = reading.acquire()) {
      return index.first(entry);
    }
  }

  @Override
  public boolean last(LongEntry entry) {
    try (var _ = reading.acquire()) {
      return index.last(entry);
    }
  }

  @Override
  public boolean floor(long key, LongEntry entry) {
    try (var _ = reading.acquire()) {
      return index.floor(key, entry);
    }
  }

  @Override
  public boolean ceiling(long key, LongEntry entry) {
    try (var _ = reading.acquire()) {
      return index.ceiling(key, entry);
    }
  }

  @Override
  public boolean lower(long key, LongEntry entry) {
    try (var _ = reading.acquire()) {
      return index.lower(key, entry);
    }
  }

  @Override
  public boolean higher(long key, LongEntry entry) {
    try (var _ = reading.acquire()) {
      return index.higher(key, entry);
    }
  }

  /**
   * Returns a cursor whose runs are copies, because another thread may write while they are read.
   */
  @Override
  public LongCursor cursor() {
    try (var _ = reading.acquire()) {
      return new LockedCursor(index, index.cursor(), reading, writing, writes);
    }
  }

  @Override
  public void verify(ProgressListener listener) {
    try (var _ = reading.acquire()) {
      index.verify(listener);
    }
  }

  @Override
  public LongBatchLookup batchLookup() {
    Arguments.checkOpen(index);
    throw new UnsupportedOperationException(
        "an index behind a lock has no batch lookup, as the lock could not be held from call to"
            + " call; give the index itself, without the lock, to whatever takes one");
  }

  @Override
  public NodeView rootView() {
    try (var _ = reading.acquire()) {
      return index.rootView();
    }
  }

  @Override
  public IndexStatistics statistics() {
    try (var _ = reading.acquire()) {
      return index.statistics();
    }
  }

  @Override
  public void flush() {
    try (var _ = reading.acquire()) {
      index.flush();
    }
  }

  // Writes

  @Override
  public long put(long key, long value) {
    try (var _ = writing.acquire()) {
      return index.put(key, value);
    }
  }

  @Override
  public long putIfAbsent(long key, long value) {
    try (var _ = writing.acquire()) {
      return index.putIfAbsent(key, value);
    }
  }

  @Override
  public long remove(long key) {
    try (var _ = writing.acquire()) {
      return index.remove(key);
    }
  }

  @Override
  public void set(long key, long value) {
    try (var _ = writing.acquire()) {
      index.set(key, value);
    }
  }

  @Override
  public void delete(long key) {
    try (var _ = writing.acquire()) {
      index.delete(key);
    }
  }

  @Override
  public boolean insert(long key, long value) {
    try (var _ = writing.acquire()) {
      return index.insert(key, value);
    }
  }

  @Override
  public boolean replace(long key, long expected, long value) {
    try (var _ = writing.acquire()) {
      return index.replace(key, expected, value);
    }
  }

  @Override
  public boolean remove(long key, long expected) {
    try (var _ = writing.acquire()) {
      return index.remove(key, expected);
    }
  }

  @Override
  public long addTo(long key, long delta) {
    try (var _ = writing.acquire()) {
      return index.addTo(key, delta);
    }
  }

  @Override
  public boolean pollFirst(LongEntry entry) {
    try (var _ = writing.acquire()) {
      return index.pollFirst(entry);
    }
  }

  @Override
  public boolean pollLast(LongEntry entry) {
    try (var _ = writing.acquire()) {
      return index.pollLast(entry);
    }
  }

  @Override
  public void clear() {
    try (var _ = writing.acquire()) {
      index.clear();
    }
  }

  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    try (var _ = writing.acquire()) {
      return index.removeRange(from, fromInclusive, to, toInclusive);
    }
  }

  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    try (var _ = writing.acquire()) {
      index.putAll(keys, keysFrom, values, valuesFrom, count);
    }
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    try (var _ = writing.acquire()) {
      index.bulkload(entries, fillFactor, total, listener);
    }
  }

  @Override
  public long shrink(ProgressListener listener) {
    try (var _ = writing.acquire()) {
      return index.shrink(listener);
    }
  }

  @Override
  public void close() {
    try (var _ = writing.acquire()) {
      index.close();
    }
  }
}
