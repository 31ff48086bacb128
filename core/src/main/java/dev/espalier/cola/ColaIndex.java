// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.BulkloadInput;

/** What both COLAs do alike: everything that is not a search for one key or a group. */
abstract sealed class ColaIndex implements LongIndex permits Cola, DeamortizedCola {
  private final MessageLevels levels;
  private final long missingValue;

  ColaIndex(MessageLevels levels, long missingValue) {
    this.levels = levels;
    this.missingValue = missingValue;
  }

  @Override
  public final long missingValue() {
    levels.checkOpen();
    return missingValue;
  }

  /** O(1) after writes that search, one pass over all levels after blind ones. */
  @Override
  public final long size() {
    levels.checkOpen();
    long size = levels.meta[MessageLevels.SIZE];
    if (size == MessageLevels.UNKNOWN) {
      size = levels.countEntries();
      levels.meta[MessageLevels.SIZE] = size;
    }
    return size;
  }

  @Override
  public final long sizeEstimate() {
    levels.checkOpen();
    long size = levels.meta[MessageLevels.SIZE];
    return size != MessageLevels.UNKNOWN
        ? size
        : Math.max(0, levels.messages() - 2 * levels.tombstones());
  }

  @Override
  public final boolean isEmpty() {
    levels.checkOpen();
    long size = levels.meta[MessageLevels.SIZE];
    return size == MessageLevels.UNKNOWN ? !cursor().first() : size == 0;
  }

  /** A value that is found whatever is asked for in its place. */
  @Override
  public final boolean containsKey(long key) {
    return getOrDefault(key, 0) != 0 || getOrDefault(key, 1) != 1;
  }

  /** Tells whether a key has no entry, whose {@code get} has answered {@code found}. */
  private boolean isAbsent(long key, long found) {
    return found == missingValue && !containsKey(key);
  }

  // ---------------------------------------------------------------- write

  @Override
  public final long put(long key, long value) {
    long previous = get(key);
    boolean isNew = isAbsent(key, previous);
    levels.write(key, value, true);
    levels.changeSize(isNew ? 1 : 0);
    return previous;
  }

  @Override
  public final long putIfAbsent(long key, long value) {
    long previous = get(key);
    if (isAbsent(key, previous)) {
      levels.write(key, value, true);
      levels.changeSize(1);
    } else {
      levels.store.beforeChange();
    }
    return previous;
  }

  @Override
  public final void set(long key, long value) {
    levels.write(key, value, true);
    levels.meta[MessageLevels.SIZE] = MessageLevels.UNKNOWN;
  }

  @Override
  public final void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    levels.checkOpen();
    for (int i = 0; i < count; i++) {
      set(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  @Override
  public final long remove(long key) {
    long previous = get(key);
    if (isAbsent(key, previous)) {
      levels.store.beforeChange();
    } else {
      levels.remove(key);
    }
    return previous;
  }

  @Override
  public final void delete(long key) {
    levels.write(key, 0, false);
    levels.meta[MessageLevels.SIZE] = MessageLevels.UNKNOWN;
  }

  @Override
  public final void clear() {
    levels.clear();
  }

  // ---------------------------------------------------------------- the rest

  @Override
  public final LongCursor cursor() {
    levels.checkOpen();
    return levels.cursor();
  }

  @Override
  public final void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    levels.checkOpen();
    levels.store.beforeChange();
    BulkloadInput.checkStart(fillFactor, size());
    levels.load(entries, total, listener);
  }

  @Override
  public final IndexStatistics statistics() {
    levels.checkOpen();
    return IndexStatistics.of(
        rootView(),
        size(),
        (long) levels.store.pagesInUse() * levels.store.pageBytes(),
        levels.store.committedBytes(),
        levels.store.hugePagesGranted());
  }

  @Override
  public final void flush() {
    levels.checkOpen();
    levels.store.flush();
  }

  @Override
  public final boolean isClosed() {
    return levels.store.isClosed();
  }

  @Override
  public final void close() {
    levels.modifications.changes++;
    levels.store.close();
  }
}
