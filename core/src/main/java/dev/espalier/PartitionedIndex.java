// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.lock.WriteCount;
import dev.espalier.memory.MemoryUse;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An index of any kind in several parts, each with a range of keys and a lock of its own, so that
 * threads that write to different parts do not wait for one another. Use it for trees that have no
 * concurrent version.
 *
 * <p>The ranges follow the entries: once a part is more than twice as large as the average, writers
 * that come by move entries between neighbouring parts, a bounded piece at a time. Until then, the
 * whole range of keys is divided evenly, or according to a sample.
 *
 * <p>Each call for one key takes effect at one moment. So do {@link #size}, {@link #clear} and
 * {@link #bulkload}, which lock all parts. {@code getAll} and {@code putAll} go part by part, and
 * ranges are counted and removed part by part. Lookups of one key take no lock unless writers
 * disturb them, as behind {@link LongIndex#withReadWriteLock}. A cursor returns key and value as
 * they were when it moved; it misses no entry that was there all the time, and reports none twice.
 *
 * <p>A listener or a source of entries is called with locks held, and must not write to this index.
 * There is no {@link #batchLookup}, just as for an index behind a lock. Entries that are added in
 * ascending order all go to the last part, and are moved later: use another index for that.
 */
public final class PartitionedIndex implements ConcurrentLongIndex {
  /** The maximum number of parts. */
  public static final int MOST_PARTS = 256;

  private final IndexPart[] parts;
  final PartBalance balance;
  private final PartBatches batches;

  /** The lowest key of each part. Replaced under the locks of the parts whose bound has moved. */
  private volatile long[] lows;

  private PartitionedIndex(LongIndex[] indexes, long[] lows, int piece) {
    this.lows = lows;
    this.parts = new IndexPart[indexes.length];
    for (int i = 0; i < parts.length; i++) {
      long high = i + 1 < parts.length ? lows[i + 1] - 1 : Long.MAX_VALUE;
      parts[i] = new IndexPart(indexes[i], lows[i], high);
    }
    this.balance = new PartBalance(this, parts, piece);
    this.batches = new PartBatches(this, parts);
  }

  /**
   * Creates an empty index in memory.
   *
   * @param variant the kind of tree
   * @param options the options of each part, except that the parts share the memory limit evenly
   * @param parts number of parts, from 1 to {@link #MOST_PARTS}
   * @throws IllegalArgumentException if {@code parts} is out of range, or the memory limit is too
   *     small for so many parts
   */
  public static PartitionedIndex create(TreeVariant variant, IndexOptions options, int parts) {
    checkParts(parts);
    long[] lows = new long[parts];
    for (int i = 0; i < parts; i++) {
      lows[i] = Long.MIN_VALUE + i * Long.divideUnsigned(-1, parts);
    }
    return create(variant, options, lows, PartBalance.PIECE);
  }

  /**
   * Creates an empty index in memory, divided into parts according to a sample of the keys to come.
   *
   * @param sample keys in any order, with at least as many different ones as there are parts
   * @throws IllegalArgumentException if {@code parts} is out of range, or the sample or the memory
   *     limit is too small
   */
  public static PartitionedIndex create(
      TreeVariant variant, IndexOptions options, int parts, long[] sample) {
    checkParts(parts);
    long[] sorted = Arrays.stream(sample).sorted().distinct().toArray();
    if (sorted.length < parts) {
      throw new IllegalArgumentException(
          "sample has %d different keys, but there are %d parts".formatted(sorted.length, parts));
    }
    long[] lows = new long[parts];
    Arrays.setAll(lows, i -> sorted[(int) ((long) sorted.length * i / parts)]);
    lows[0] = Long.MIN_VALUE;
    return create(variant, options, lows, PartBalance.PIECE);
  }

  private static void checkParts(int parts) {
    if (parts < 1 || parts > MOST_PARTS) {
      throw new IllegalArgumentException(
          "parts is " + parts + "; it must be from 1 to " + MOST_PARTS);
    }
  }

  static PartitionedIndex create(
      TreeVariant variant, IndexOptions options, long[] lows, int piece) {
    boolean isLimited = options.memoryLimit() < Long.MAX_VALUE;
    IndexOptions each =
        isLimited ? options.withMemoryLimit(options.memoryLimit() / lows.length) : options;
    LongIndex[] indexes = new LongIndex[lows.length];
    Arrays.setAll(indexes, _ -> variant.create(each));
    return new PartitionedIndex(indexes, lows, piece);
  }

  // Parts

  /** Returns the number of the part that a key belongs to, given the lowest keys of the parts. */
  static int partOf(long[] lows, long key) {
    int found = Arrays.binarySearch(lows, key);
    return found >= 0 ? found : Math.max(-found - 2, 0);
  }

  /** Returns the part that a key belongs to, unless the bound has moved meanwhile. */
  IndexPart partOf(long key) {
    return parts[partOf(lows, key)];
  }

  /** Returns the lowest key of each part; bounds may move meanwhile. */
  long[] lows() {
    return lows;
  }

  /** Updates the lowest keys after a bound has moved. The caller holds the locks of its parts. */
  void boundHasMoved() {
    lows = Arrays.stream(parts).mapToLong(part -> part.low).toArray();
  }

  /** Returns the part that a key belongs to, and locks it for reading. */
  IndexPart lockForRead(long key) {
    while (true) {
      IndexPart part = partOf(key);
      part.reading.acquire();
      if (part.covers(key)) {
        return part;
      }
      part.reading.close();
    }
  }

  private IndexPart lockForWrite(long key) {
    while (true) {
      IndexPart part = partOf(key);
      part.writing.acquire();
      if (part.covers(key)) {
        return part;
      }
      part.writing.close();
    }
  }

  /** Releases the lock after writes, and evens out the parts now and then. */
  void unlock(IndexPart part, int writes) {
    boolean isDue = part.countWrites(writes) && !part.index.isClosed();
    part.writing.close();
    if (isDue) {
      balance.check();
    }
  }

  /** All locks, for try-with-resources. */
  private final class AllLocks implements AutoCloseable {
    private final boolean isWriting;

    AllLocks(boolean isWriting) {
      this.isWriting = isWriting;
      for (IndexPart part : parts) {
        if (isWriting) {
          part.writing.acquire();
        } else {
          part.reading.acquire();
        }
      }
    }

    @Override
    public void close() {
      for (IndexPart part : parts) {
        if (isWriting) {
          part.writing.close();
        } else {
          part.reading.close();
        }
      }
    }
  }

  /** Returns the number of parts. */
  public int parts() {
    return parts.length;
  }

  @Override
  public TreeVariant variant() {
    return parts[0].index.variant();
  }

  @Override
  public long missingValue() {
    return parts[0].index.missingValue();
  }

  @Override
  public LongIndex withReadWriteLock() {
    return this;
  }

  @Override
  public String toString() {
    return parts.length + " parts, of which the first is " + parts[0].index;
  }

  // Reads

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue());
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    IndexPart part = partOf(key);
    for (int tries = part.tries; tries > 0; tries--) {
      long count = part.writes.get();
      if (WriteCount.isWriting(count)) {
        break;
      }
      try {
        boolean isHere = part.covers(key);
        long value = part.index.getOrDefault(key, defaultValue);
        if (part.writes.isStill(count) && isHere) {
          return value;
        }
      } catch (RuntimeException | Error thrown) {
        if (part.writes.isStill(count)) {
          throw thrown;
        }
      }
      part = partOf(key);
    }
    part = lockForRead(key);
    try {
      return part.index.getOrDefault(key, defaultValue);
    } finally {
      part.reading.close();
    }
  }

  @Override
  public boolean containsKey(long key) {
    return look(key, null);
  }

  @Override
  public boolean find(long key, long[] value) {
    return look(key, Objects.requireNonNull(value, "value"));
  }

  private boolean look(long key, long @Nullable [] value) {
    IndexPart part = partOf(key);
    for (int tries = part.tries; tries > 0; tries--) {
      long count = part.writes.get();
      if (WriteCount.isWriting(count)) {
        break;
      }
      try {
        boolean isHere = part.covers(key);
        boolean found = part.look(key, value);
        if (part.writes.isStill(count) && isHere) {
          return found;
        }
      } catch (RuntimeException | Error thrown) {
        if (part.writes.isStill(count)) {
          throw thrown;
        }
      }
      part = partOf(key);
    }
    part = lockForRead(key);
    try {
      return part.look(key, value);
    } finally {
      part.reading.close();
    }
  }

  @Override
  public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    batches.getAll(keys, keysFrom, values, valuesFrom, count, null);
  }

  @Override
  public int getAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
    Arguments.checkBatch(keys, keysFrom, values, valuesFrom, count);
    Arguments.checkFound(found, count);
    return batches.getAll(keys, keysFrom, values, valuesFrom, count, found);
  }

  @Override
  public long size() {
    try (var _ = new AllLocks(false)) {
      long sum = 0;
      for (IndexPart part : parts) {
        sum += part.index.size();
      }
      return sum;
    }
  }

  @Override
  public long sizeEstimate() {
    try (var _ = new AllLocks(false)) {
      long sum = 0;
      for (IndexPart part : parts) {
        sum += part.index.sizeEstimate();
      }
      return sum;
    }
  }

  @Override
  public boolean isEmpty() {
    try (var _ = new AllLocks(false)) {
      for (IndexPart part : parts) {
        if (!part.index.isEmpty()) {
          return false;
        }
      }
      return true;
    }
  }

  @Override
  public LongCursor cursor() {
    Arguments.checkOpen(this);
    return new PartitionedCursor(this);
  }

  @Override
  public long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return overRange(new KeyRange(from, fromInclusive, to, toInclusive), false);
  }

  /** Removes the entries part by part; each part's share is removed at one moment. */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return overRange(new KeyRange(from, fromInclusive, to, toInclusive), true);
  }

  private long overRange(KeyRange range, boolean removes) {
    if (range.isCrossed()) {
      throw new IllegalArgumentException(
          "from is " + range.from() + ", which is greater than to, " + range.to());
    }
    Arguments.checkOpen(this);
    long sum = 0;
    for (long at = range.from(); ; ) {
      IndexPart part = removes ? lockForWrite(at) : lockForRead(at);
      try {
        long end = Math.min(part.high, range.to());
        boolean first = at != range.from() || range.fromInclusive();
        boolean last = end != range.to() || range.toInclusive();
        sum +=
            removes
                ? part.index.removeRange(at, first, end, last)
                : part.index.countRange(at, first, end, last);
        if (end == range.to()) {
          return sum;
        }
        at = end + 1;
      } finally {
        if (removes) {
          part.writing.close();
        } else {
          part.reading.close();
        }
      }
    }
  }

  // Writes

  @Override
  public long put(long key, long value) {
    IndexPart part = lockForWrite(key);
    try {
      return part.index.put(key, value);
    } finally {
      unlock(part, 1);
    }
  }

  @Override
  public long putIfAbsent(long key, long value) {
    IndexPart part = lockForWrite(key);
    try {
      return part.index.putIfAbsent(key, value);
    } finally {
      unlock(part, 1);
    }
  }

  @Override
  public void set(long key, long value) {
    IndexPart part = lockForWrite(key);
    try {
      part.index.set(key, value);
    } finally {
      unlock(part, 1);
    }
  }

  @Override
  public boolean insert(long key, long value) {
    IndexPart part = lockForWrite(key);
    try {
      return part.index.insert(key, value);
    } finally {
      unlock(part, 1);
    }
  }

  @Override
  public boolean replace(long key, long expected, long value) {
    IndexPart part = lockForWrite(key);
    try {
      return part.index.replace(key, expected, value);
    } finally {
      unlock(part, 0);
    }
  }

  @Override
  public long remove(long key) {
    IndexPart part = lockForWrite(key);
    try {
      return part.index.remove(key);
    } finally {
      unlock(part, 1);
    }
  }

  @Override
  public boolean remove(long key, long expected) {
    IndexPart part = lockForWrite(key);
    try {
      return part.index.remove(key, expected);
    } finally {
      unlock(part, 1);
    }
  }

  @Override
  public void delete(long key) {
    IndexPart part = lockForWrite(key);
    try {
      part.index.delete(key);
    } finally {
      unlock(part, 1);
    }
  }

  /**
   * Stores entries part by part. If there is no room for one, those before it are stored, and maybe
   * some after it.
   */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    batches.putAll(keys, keysFrom, values, valuesFrom, count);
  }

  // The whole

  @Override
  public void clear() {
    try (var _ = new AllLocks(true)) {
      for (IndexPart part : parts) {
        part.index.clear();
      }
    }
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    Objects.requireNonNull(entries, "entries");
    Objects.requireNonNull(listener, "listener");
    try (var _ = new AllLocks(true)) {
      long size = size();
      if (size != 0) {
        throw new IllegalStateException(
            "bulkload fills an empty index, but this one has " + size + " entries");
      }
      new PartitionedBulkload(this, parts, entries, total, listener).load(fillFactor);
    }
  }

  @Override
  public long shrink(ProgressListener listener) {
    Objects.requireNonNull(listener, "listener");
    long all = size();
    long done = 0;
    long given = 0;
    for (IndexPart part : parts) {
      try (var _ = part.writing.acquire()) {
        long before = done;
        given += part.index.shrink((more, _) -> listener.onProgress(before + more, all));
        done += part.index.sizeEstimate();
      }
    }
    return given;
  }

  /**
   * Checks every part, and checks that the ranges of the parts cover all keys (P1) and that each
   * part has only keys of its own range (P2).
   */
  @Override
  public void verify(ProgressListener listener) {
    try (var _ = new AllLocks(false)) {
      PartitionedVerifier.verify(parts, listener);
    }
  }

  @Override
  public LongBatchLookup batchLookup() {
    Arguments.checkOpen(this);
    throw new UnsupportedOperationException(
        "an index in parts has no batch lookup, as its locks could not be held from call to call");
  }

  /**
   * Returns the view of a node that does not exist, with the roots of the parts as its children.
   */
  @Override
  public NodeView rootView() {
    try (var _ = new AllLocks(false)) {
      NodeView[] roots = new NodeView[parts.length];
      int level = 0;
      for (int i = 0; i < parts.length; i++) {
        roots[i] = parts[i].index.rootView();
        level = Math.max(level, roots[i].level());
      }
      long[] highs = Arrays.stream(parts).mapToLong(part -> part.high).toArray();
      int count = parts.length - 1;
      return NodeView.inner(0, 0, level + 1, count, count, i -> highs[i], i -> roots[i]);
    }
  }

  /** Returns the sums and averages of the parts. */
  @Override
  public IndexStatistics statistics() {
    try (var _ = new AllLocks(false)) {
      long used = 0;
      long committed = 0;
      long entries = 0;
      boolean hasHugePages = false;
      for (IndexPart part : parts) {
        IndexStatistics statistics = part.index.statistics();
        entries += statistics.entries();
        used += statistics.usedBytes();
        committed += statistics.committedBytes();
        hasHugePages |= statistics.hugePages();
      }
      return IndexStatistics.of(rootView(), entries, MemoryUse.of(used, committed, hasHugePages));
    }
  }

  @Override
  public void flush() {
    for (IndexPart part : parts) {
      try (var _ = part.reading.acquire()) {
        part.index.flush();
      }
    }
  }

  @Override
  public boolean allowsTornReads() {
    return parts[0].tries > 0;
  }

  @Override
  public boolean isClosed() {
    return parts[0].index.isClosed();
  }

  @Override
  public void close() {
    try (var _ = new AllLocks(true)) {
      for (IndexPart part : parts) {
        part.index.close();
      }
    }
  }
}
