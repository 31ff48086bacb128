// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.CodecMarks;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.lock.WriteCount;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An index of byte strings behind one read-write lock: many readers at once, or one writer.
 *
 * <p>Each call holds the lock from beginning to end. A batch, the removal of a range or {@code
 * verify} is one call; a loop over a cursor is many, and sees what is written between them. Readers
 * of values are called with the lock held, and must not write to the index.
 *
 * <p>{@link #rootView} is the one thing that the lock does not guard: its nodes are read after the
 * call returns, so no thread may write meanwhile.
 */
final class LockedBytesIndex implements BytesIndex {
  private final BytesIndex index;
  private final ReentrantReadWriteLock lock;
  private final WriteCount writes = new WriteCount();

  /** Guards {@code index} with a lock that others can see. */
  LockedBytesIndex(BytesIndex index, ReentrantReadWriteLock lock) {
    this.index = index;
    this.lock = lock;
  }

  /** Takes the lock for reading. */
  void beginRead() {
    lock.readLock().lock();
  }

  void endRead() {
    lock.readLock().unlock();
  }

  /**
   * Takes the lock for writing.
   *
   * @throws IllegalStateException if this thread is reading, because it would wait for itself
   */
  void beginWrite() {
    if (lock.getReadHoldCount() > 0) {
      throw new IllegalStateException(
          "a write to an index from a reader or listener of the same index would never end");
    }
    lock.writeLock().lock();
    writes.begin();
  }

  void endWrite() {
    writes.end();
    lock.writeLock().unlock();
  }

  /** Returns the count of writes, while the lock is held. */
  long count() {
    return writes.get();
  }

  /** Tells whether nobody has begun to write since a count was taken. */
  boolean isUnchanged(long count) {
    return writes.isStill(count);
  }

  private <T extends @Nullable Object> T writing(Supplier<T> change) {
    beginWrite();
    try {
      return change.get();
    } finally {
      endWrite();
    }
  }

  // ---------------------------------------------------------------- read

  @Override
  public byte @Nullable [] get(byte[] key) {
    beginRead();
    try {
      return index.get(key);
    } finally {
      endRead();
    }
  }

  @Override
  public boolean get(MemorySegment key, ValueReader reader) {
    beginRead();
    try {
      return index.get(key, reader);
    } finally {
      endRead();
    }
  }

  @Override
  public long get(MemorySegment key, MemorySegment into) {
    beginRead();
    try {
      return index.get(key, into);
    } finally {
      endRead();
    }
  }

  @Override
  public boolean containsKey(byte[] key) {
    beginRead();
    try {
      return index.containsKey(key);
    } finally {
      endRead();
    }
  }

  @Override
  public boolean containsKey(MemorySegment key) {
    beginRead();
    try {
      return index.containsKey(key);
    } finally {
      endRead();
    }
  }

  @Override
  public int getAll(PackedBytes keys, BatchReader reader) {
    beginRead();
    try {
      return index.getAll(keys, reader);
    } finally {
      endRead();
    }
  }

  @Override
  public long countRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    beginRead();
    try {
      return index.countRange(from, fromInclusive, to, toInclusive);
    } finally {
      endRead();
    }
  }

  @Override
  public long size() {
    beginRead();
    try {
      return index.size();
    } finally {
      endRead();
    }
  }

  @Override
  public boolean isEmpty() {
    beginRead();
    try {
      return index.isEmpty();
    } finally {
      endRead();
    }
  }

  /** Counts the entries of a range. */
  long count(BytesRange range) {
    beginRead();
    try {
      return BytesView.count(index, range);
    } finally {
      endRead();
    }
  }

  @Override
  public BytesCursor cursor() {
    return new LockedBytesCursor(this, index.cursor());
  }

  // ---------------------------------------------------------------- write

  @Override
  public byte @Nullable [] put(byte[] key, byte[] value) {
    return writing(() -> index.put(key, value));
  }

  @Override
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
    return writing(() -> index.putIfAbsent(key, value));
  }

  @Override
  public byte @Nullable [] remove(byte[] key) {
    return writing(() -> index.remove(key));
  }

  @Override
  public void set(byte[] key, byte[] value) {
    beginWrite();
    try {
      index.set(key, value);
    } finally {
      endWrite();
    }
  }

  @Override
  public void set(MemorySegment key, MemorySegment value) {
    beginWrite();
    try {
      index.set(key, value);
    } finally {
      endWrite();
    }
  }

  @Override
  public boolean delete(byte[] key) {
    beginWrite();
    try {
      return index.delete(key);
    } finally {
      endWrite();
    }
  }

  @Override
  public boolean delete(MemorySegment key) {
    beginWrite();
    try {
      return index.delete(key);
    } finally {
      endWrite();
    }
  }

  @Override
  public void putAll(PackedBytes keys, PackedBytes values) {
    beginWrite();
    try {
      index.putAll(keys, values);
    } finally {
      endWrite();
    }
  }

  @Override
  public long removeRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    return writing(() -> index.removeRange(from, fromInclusive, to, toInclusive));
  }

  /** Removes the entries of a range; returns how many there were. */
  long remove(BytesRange range) {
    return writing(() -> BytesView.remove(index, range));
  }

  @Override
  public void clear() {
    beginWrite();
    try {
      index.clear();
    } finally {
      endWrite();
    }
  }

  @Override
  public void bulkload(
      BytesEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    beginWrite();
    try {
      index.bulkload(entries, fillFactor, total, listener);
    } finally {
      endWrite();
    }
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public void checkCodecs(CodecMarks given) {
    index.checkCodecs(given);
  }

  @Override
  public BytesIndex withReadWriteLock() {
    return this;
  }

  @Override
  public void verify(ProgressListener listener) {
    beginRead();
    try {
      index.verify(listener);
    } finally {
      endRead();
    }
  }

  @Override
  public NodeView rootView() {
    return index.rootView();
  }

  @Override
  public IndexStatistics statistics() {
    beginRead();
    try {
      return index.statistics();
    } finally {
      endRead();
    }
  }

  @Override
  public void flush() {
    index.flush();
  }

  @Override
  public boolean isClosed() {
    return index.isClosed();
  }

  @Override
  public void close() {
    writing(
        () -> {
          index.close();
          return true;
        });
  }

  /** Does not wait for a writer: looking at an index, say in a debugger, changes nothing. */
  @Override
  public String toString() {
    return index.toString();
  }
}
