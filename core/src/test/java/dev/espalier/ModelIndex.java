// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.batch.BatchLookup;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;

/** An index that is a {@link TreeMap}: slow, and plainly right. */
final class ModelIndex implements LongIndex {
  static final TreeVariant VARIANT = TreeVariant.inMemory("ModelIndex", "", ModelIndex::new);

  private final long missingValue;
  private final NavigableMap<Long, Long> entries = new TreeMap<>();
  private volatile boolean closed;

  ModelIndex() {
    this(IndexOptions.DEFAULT);
  }

  ModelIndex(IndexOptions options) {
    missingValue = options.missingValue();
  }

  /** Returns an index of {@code keys}, each with ten times itself as its value. */
  static ModelIndex ofKeys(long... keys) {
    ModelIndex index = new ModelIndex();
    for (long key : keys) {
      index.put(key, 10 * key);
    }
    return index;
  }

  @Override
  public TreeVariant variant() {
    return VARIANT;
  }

  @Override
  public long missingValue() {
    checkOpen();
    return missingValue;
  }

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    checkOpen();
    return entries.getOrDefault(key, defaultValue);
  }

  @Override
  public boolean containsKey(long key) {
    checkOpen();
    return entries.containsKey(key);
  }

  @Override
  public long put(long key, long value) {
    long previous = get(key);
    entries.put(key, value);
    return previous;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    return containsKey(key) ? get(key) : put(key, value);
  }

  @Override
  public long remove(long key) {
    long previous = get(key);
    entries.remove(key);
    return previous;
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  @Override
  public void delete(long key) {
    remove(key);
  }

  @Override
  public long size() {
    checkOpen();
    return entries.size();
  }

  @Override
  public boolean isEmpty() {
    return size() == 0;
  }

  @Override
  public void clear() {
    checkOpen();
    entries.clear();
  }

  @Override
  public LongCursor cursor() {
    checkOpen();
    return new ModelCursor(entries, this::checkOpen);
  }

  @Override
  public long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    checkOpen();
    return entries.subMap(from, fromInclusive, to, toInclusive).size();
  }

  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    long count = countRange(from, fromInclusive, to, toInclusive);
    entries.subMap(from, fromInclusive, to, toInclusive).clear();
    return count;
  }

  @Override
  public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    checkOpen();
    long[] sought = Arrays.copyOfRange(keys, keysFrom, keysFrom + count);
    for (int i = 0; i < count; i++) {
      values[valuesFrom + i] = get(sought[i]);
    }
  }

  @Override
  public int getAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
    BitSet there = new BitSet();
    for (int i = 0; i < count; i++) {
      there.set(i, containsKey(keys[keysFrom + i]));
    }
    getAll(keys, keysFrom, values, valuesFrom, count);
    long[] words = Arrays.copyOf(there.toLongArray(), (count + 63) / 64);
    System.arraycopy(words, 0, found, 0, words.length);
    return there.cardinality();
  }

  @Override
  public void getAll(MemorySegment keys, MemorySegment values) {
    long[] found = new long[Math.toIntExact(keys.byteSize() / Long.BYTES)];
    getAll(keys.toArray(ValueLayout.JAVA_LONG), found);
    values.copyFrom(MemorySegment.ofArray(found));
  }

  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    checkOpen();
    for (int i = 0; i < count; i++) {
      put(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  @Override
  public void bulkload(
      LongEntrySource source, double fillFactor, long total, ProgressListener listener) {
    if (!isEmpty()) {
      throw new IllegalStateException("the index is not empty");
    }
    NavigableMap<Long, Long> loaded = new TreeMap<>();
    while (source.next()) {
      if (!loaded.isEmpty() && source.key() <= loaded.lastKey()) {
        throw new IllegalArgumentException("key " + source.key() + " is not above its predecessor");
      }
      loaded.put(source.key(), source.value());
      if (!listener.onProgress(loaded.size(), total)) {
        throw new CancellationException("cancelled by the listener");
      }
    }
    entries.putAll(loaded);
  }

  @Override
  public void verify(ProgressListener listener) {
    checkOpen();
  }

  @Override
  public BatchLookup batchLookup() {
    throw new UnsupportedOperationException("a model has no batches");
  }

  @Override
  public NodeView rootView() {
    throw new UnsupportedOperationException("a model has no nodes");
  }

  @Override
  public IndexStatistics statistics() {
    throw new UnsupportedOperationException("a model has no nodes");
  }

  @Override
  public long shrink(ProgressListener listener) {
    checkOpen();
    return 0;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the model is closed");
    }
  }
}
