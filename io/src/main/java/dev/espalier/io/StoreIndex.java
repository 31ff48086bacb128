// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongBatchLookup;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * An index of a store. It passes reads on to a tree as they are, and tells the store's log of every
 * write, so that the write survives.
 *
 * <p>Writers of all indexes of a store take turns; while one waits for the device, others go on.
 */
final class StoreIndex implements LongIndex, OpenIndex {
  /** Entries of {@code putAll} that become one record. */
  private static final int PUT_ALL = 256;

  private final StoreWriter writer;
  private final IndexPages pages;
  private final SlotPageStore store;

  /** The tree, or the tree behind a lock that readers take. */
  private final LongIndex tree;

  private final Runnable whenClosed;

  /**
   * Makes an index.
   *
   * @param whenClosed closes the index, in the store that has it
   */
  StoreIndex(
      StoreWriter writer,
      IndexPages pages,
      SlotPageStore store,
      LongIndex tree,
      Runnable whenClosed) {
    this.writer = writer;
    this.pages = pages;
    this.store = store;
    this.tree = tree;
    this.whenClosed = whenClosed;
  }

  @Override
  public boolean isOf(StoreWriter other) {
    return writer == other;
  }

  @Override
  public int id() {
    return pages.id;
  }

  @Override
  public SlotPageStore pages() {
    return store;
  }

  @Override
  public void closeTree() {
    tree.close();
  }

  @Override
  public void verifyTree(ProgressListener listener) {
    tree.verify(listener);
  }

  /** Returns the index without the log. */
  LongIndex tree() {
    return tree;
  }

  // ---------------------------------------------------------------- write

  @Override
  public long put(long key, long value) {
    long before;
    long sequence;
    writer.begin(store, 1);
    try {
      before = tree.put(key, value);
      sequence = writer.appendSet(pages.id, key, value);
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
    return before;
  }

  @Override
  public void set(long key, long value) {
    long sequence;
    writer.begin(store, 1);
    try {
      tree.set(key, value);
      sequence = writer.appendSet(pages.id, key, value);
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
  }

  @Override
  public long putIfAbsent(long key, long value) {
    long sequence;
    writer.begin(store, 1);
    try {
      if (tree.containsKey(key)) {
        return tree.get(key);
      }
      tree.set(key, value);
      sequence = writer.appendSet(pages.id, key, value);
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
    return missingValue();
  }

  @Override
  public boolean insert(long key, long value) {
    long sequence;
    writer.begin(store, 1);
    try {
      if (!tree.insert(key, value)) {
        return false;
      }
      sequence = writer.appendSet(pages.id, key, value);
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
    return true;
  }

  @Override
  public boolean replace(long key, long expected, long value) {
    long sequence;
    writer.begin(store, 1);
    try {
      if (!tree.replace(key, expected, value)) {
        return false;
      }
      sequence = writer.appendSet(pages.id, key, value);
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
    return true;
  }

  @Override
  public boolean remove(long key, long expected) {
    long sequence;
    writer.begin(store, 1);
    try {
      if (!tree.remove(key, expected)) {
        return false;
      }
      writer.record().delete(pages.id, key);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
    return true;
  }

  @Override
  public long remove(long key) {
    long before;
    long sequence;
    writer.begin(store, 1);
    try {
      before = tree.remove(key);
      writer.record().delete(pages.id, key);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
    return before;
  }

  @Override
  public void delete(long key) {
    long sequence;
    writer.begin(store, 1);
    try {
      tree.delete(key);
      writer.record().delete(pages.id, key);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
  }

  @Override
  public void clear() {
    long sequence;
    writer.begin(store, 1);
    try {
      tree.clear();
      writer.record().clear(pages.id);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
  }

  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    long removed;
    long sequence;
    writer.begin(store, 1);
    try {
      removed = writer.whole(() -> tree.removeRange(from, fromInclusive, to, toInclusive));
      if (removed == 0) {
        return 0;
      }
      // Entries were removed, so the bounds can be moved to the next keys.
      long first = fromInclusive ? from : from + 1;
      long last = toInclusive ? to : to - 1;
      writer.record().removeRange(pages.id, first, last);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
    return removed;
  }

  /** Stores entries in parts, each of which is a record: after a crash some parts may be there. */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    store.checkUsable();
    if (!isRange(keysFrom, count, keys.length) || !isRange(valuesFrom, count, values.length)) {
      tree.putAll(keys, keysFrom, values, valuesFrom, count); // which refuses it
      return;
    }
    long sequence = 0;
    for (int done = 0; done < count; done += PUT_ALL) {
      int part = Math.min(PUT_ALL, count - done);
      sequence = putPart(keys, keysFrom + done, values, valuesFrom + done, part);
    }
    if (count > 0) {
      writer.acknowledge(sequence);
    }
  }

  private static boolean isRange(int from, int count, int length) {
    return from >= 0 && count >= 0 && from <= length - count;
  }

  private long putPart(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    writer.begin(store, count);
    try {
      try {
        tree.putAll(keys, keysFrom, values, valuesFrom, count);
      } catch (MemoryLimitException full) {
        recordStored(keys, keysFrom, count);
        throw full;
      }
      for (int i = 0; i < count; i++) {
        writer.record().set(pages.id, keys[keysFrom + i], values[valuesFrom + i]);
      }
      return writer.append();
    } finally {
      writer.end();
    }
  }

  /** Tells the log of those entries that were stored before one did not fit. */
  private void recordStored(long[] keys, int keysFrom, int count) {
    for (int i = 0; i < count; i++) {
      long key = keys[keysFrom + i];
      if (tree.containsKey(key)) {
        writer.record().set(pages.id, key, tree.get(key));
      }
    }
    if (!writer.record().isEmpty()) {
      writer.append();
    }
  }

  /** Does not log entry by entry: a checkpoint makes the load durable before this returns. */
  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    writer.beginUnlogged(store);
    try {
      tree.bulkload(entries, fillFactor, total, listener);
      writer.skip();
    } finally {
      writer.endUnlogged();
    }
  }

  /** Does nothing: all indexes share the file, and {@link IndexStore#shrink()} is for it. */
  @Override
  public long shrink(ProgressListener listener) {
    return tree.shrink(listener);
  }

  // ---------------------------------------------------------------- read

  @Override
  public long get(long key) {
    return tree.get(key);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return tree.getOrDefault(key, defaultValue);
  }

  @Override
  public boolean containsKey(long key) {
    return tree.containsKey(key);
  }

  @Override
  public boolean find(long key, long[] value) {
    return tree.find(key, value);
  }

  @Override
  public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    tree.getAll(keys, keysFrom, values, valuesFrom, count);
  }

  @Override
  public int getAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
    return tree.getAll(keys, keysFrom, values, valuesFrom, count, found);
  }

  @Override
  public void getAll(MemorySegment keys, MemorySegment values) {
    tree.getAll(keys, values);
  }

  @Override
  public LongCursor cursor() {
    return new StoreCursor(writer, store, pages.id, tree.cursor());
  }

  @Override
  public long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return tree.countRange(from, fromInclusive, to, toInclusive);
  }

  @Override
  public long size() {
    return tree.size();
  }

  @Override
  public long sizeEstimate() {
    return tree.sizeEstimate();
  }

  @Override
  public boolean isEmpty() {
    return tree.isEmpty();
  }

  @Override
  public LongBatchLookup batchLookup() {
    return tree.batchLookup();
  }

  // ---------------------------------------------------------------- the whole

  /** Returns this index for readers and writers at once; a wait for the device blocks no reader. */
  @Override
  public LongIndex withReadWriteLock() {
    return new StoreIndex(writer, pages, store, tree.withReadWriteLock(), whenClosed);
  }

  @Override
  public TreeVariant variant() {
    return tree.variant();
  }

  @Override
  public long missingValue() {
    return tree.missingValue();
  }

  @Override
  public void verify(ProgressListener listener) {
    tree.verify(listener);
  }

  @Override
  public NodeView rootView() {
    return tree.rootView();
  }

  @Override
  public IndexStatistics statistics() {
    return tree.statistics();
  }

  /** Commits what was written to any index of the store. */
  @Override
  public void flush() {
    store.checkUsable();
    if (!store.condition.isReadOnly()) {
      writer.commit();
    }
  }

  @Override
  public boolean isClosed() {
    return tree.isClosed();
  }

  @Override
  public void close() {
    whenClosed.run();
  }

  @Override
  public String toString() {
    return tree.toString();
  }
}
