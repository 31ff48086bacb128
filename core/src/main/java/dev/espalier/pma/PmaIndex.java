// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.support.BatchArguments;

/**
 * What packed memory arrays do alike, with an index over them or without: everything but how a
 * segment is found and how lookups begin.
 */
abstract sealed class PmaIndex implements LongIndex permits PackedMemoryArray, CacheObliviousBTree {
  final PmaStructure tree;
  final long missingValue;

  PmaIndex(PmaStructure tree, IndexOptions options) {
    this.tree = tree;
    this.missingValue = options.missingValue();
  }

  @Override
  public final long missingValue() {
    tree.checkOpen();
    return missingValue;
  }

  @Override
  public final long size() {
    tree.checkOpen();
    return tree.size;
  }

  @Override
  public final boolean isEmpty() {
    return size() == 0;
  }

  /** Returns the offset of the segment where {@code key} is or belongs. */
  abstract long findSegment(SegmentColumns columns, long key);

  // ---------------------------------------------------------------- insert

  @Override
  public final long put(long key, long value) {
    return put(key, value, true);
  }

  @Override
  public final long putIfAbsent(long key, long value) {
    return put(key, value, false);
  }

  private long put(long key, long value, boolean overwrite) {
    SegmentColumns columns = tree.columns;
    int segment = (int) (findSegment(columns, key) >> columns.shift);
    int slot = tree.lowerBound(segment, key);
    if (!tree.holds(segment, slot, key)) {
      tree.insertAt(segment, slot, key, value);
      return missingValue;
    }
    long place = columns.slot(segment) + slot;
    long previous = columns.value(place);
    if (overwrite) {
      columns.value(place, value);
    }
    return previous;
  }

  @Override
  public final void set(long key, long value) {
    put(key, value);
  }

  @Override
  public final void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    for (int i = 0; i < count; i++) {
      put(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  // ---------------------------------------------------------------- delete

  @Override
  public final long remove(long key) {
    SegmentColumns columns = tree.columns;
    int segment = (int) (findSegment(columns, key) >> columns.shift);
    int slot = tree.lowerBound(segment, key);
    if (!tree.holds(segment, slot, key)) {
      return missingValue;
    }
    long previous = columns.value(columns.slot(segment) + slot);
    tree.removeAt(segment, slot);
    return previous;
  }

  @Override
  public final void delete(long key) {
    remove(key);
  }

  @Override
  public final void clear() {
    tree.clear();
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public final LongCursor cursor() {
    tree.checkOpen();
    return new PmaCursor(tree);
  }

  // ---------------------------------------------------------------- bulkload

  @Override
  public final void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    new PmaBulkload(tree, fillFactor).load(entries, total, listener);
  }

  // ---------------------------------------------------------------- inspect

  /** Returns what rebalances have moved since the array was made. */
  public final RebalanceCounts rebalanceCounts() {
    tree.checkOpen();
    return RebalanceCounts.of(tree);
  }

  @Override
  public final void verify(ProgressListener listener) {
    PmaVerifier.verify(tree, listener);
  }

  @Override
  public final NodeView rootView() {
    tree.checkOpen();
    return new PmaNodeView(tree, 0, 0);
  }

  @Override
  public final IndexStatistics statistics() {
    tree.checkOpen();
    return IndexStatistics.of(
        rootView(), tree.size, tree.usedBytes(), tree.budget.taken(), tree.columns.hasHugePages());
  }

  @Override
  public final boolean isClosed() {
    return tree.isClosed();
  }

  @Override
  public final void close() {
    tree.close();
  }
}
