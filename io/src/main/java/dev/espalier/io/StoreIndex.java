// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.CodecMarks;
import dev.espalier.ConcurrentLongIndex;
import dev.espalier.LongBatchLookup;
import dev.espalier.LongCursor;
import dev.espalier.LongEntry;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.batch.BatchLookup;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.node.Bits;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An index of a store. It tells the store's log of every write, so that the write survives.
 *
 * <p>Any number of threads may read it while others write: either its tree is made for that, or is
 * behind a lock. A reader takes no other lock. Writers of a tree that is made for many threads wait
 * for one another only if they write the same key, or one with the same lock; those of another tree
 * take turns. While one waits for the device to make its record durable, others go on.
 */
final class StoreIndex implements ConcurrentLongIndex, OpenIndex {
  private final StoreWriter writer;
  private final IndexPages pages;
  private final SlotPageStore store;

  /** The tree itself, for when nobody else writes. */
  private final LongIndex bare;

  /** The tree, for any number of threads. */
  private final LongIndex tree;

  private final IndexLocks locks;
  private final LongBatchLookup lookup;
  private final Runnable whenClosed;
  private final IndexFailures failures;
  private final SingleWrites single;
  private final BulkWrites bulk;

  /**
   * Makes an index.
   *
   * @param whenClosed closes the index, in the store that has it
   */
  StoreIndex(
      StoreWriter writer,
      IndexPages pages,
      SlotPageStore store,
      LongIndex bare,
      Runnable whenClosed) {
    this.writer = writer;
    this.pages = pages;
    this.store = store;
    this.bare = bare;
    this.failures = new IndexFailures(writer, store, pages.name, bare::verify);
    BatchLookup lookups = BatchLookup.of(bare).withFailures(failures::ofRead);
    boolean isReadOnly = store.condition.isReadOnly();
    if (bare instanceof ConcurrentLongIndex || isReadOnly) {
      this.tree = bare;
      this.locks = isReadOnly ? IndexLocks.NONE : writer.locksOfKeys();
      this.lookup = lookups;
    } else {
      ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
      this.tree = bare.withReadWriteLock(lock);
      this.locks = IndexLocks.of(lock);
      this.lookup = lookups.behind(lock.readLock());
    }
    if (locks.areOfKeys() && writer.tellsBeforeReaders()) {
      store.tell(new EntryLog(writer, locks, pages.id));
    }
    this.single = new SingleWrites(writer, this);
    this.bulk = new BulkWrites(writer, this);
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

  String name() {
    return pages.name;
  }

  @Override
  public SlotPageStore pages() {
    return store;
  }

  @Override
  public IndexLocks locks() {
    return locks;
  }

  @Override
  public IndexFailures failures() {
    return failures;
  }

  @Override
  public void closeTree() {
    bare.close();
  }

  @Override
  public void verifyTree(ProgressListener listener) {
    verify(bare, listener);
  }

  /** Returns the index without the log and without a lock, for when nobody else writes. */
  LongIndex bare() {
    return bare;
  }

  /** Returns the index without the log. */
  LongIndex tree() {
    return tree;
  }

  // ---------------------------------------------------------------- write

  @Override
  public long put(long key, long value) {
    return single.put(key, value);
  }

  @Override
  public void set(long key, long value) {
    single.set(key, value);
  }

  @Override
  public long putIfAbsent(long key, long value) {
    return single.putIfAbsent(key, value);
  }

  @Override
  public boolean insert(long key, long value) {
    return single.setIf(key, value, () -> tree.insert(key, value));
  }

  @Override
  public boolean replace(long key, long expected, long value) {
    return single.setIf(key, value, () -> tree.replace(key, expected, value));
  }

  @Override
  public boolean remove(long key, long expected) {
    return single.remove(key, expected);
  }

  @Override
  public long remove(long key) {
    return single.remove(key);
  }

  @Override
  public void delete(long key) {
    single.delete(key);
  }

  @Override
  public boolean pollFirst(LongEntry entry) {
    try {
      return ConcurrentLongIndex.super.pollFirst(entry);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.first(entry));
    }
  }

  @Override
  public boolean pollLast(LongEntry entry) {
    try {
      return ConcurrentLongIndex.super.pollLast(entry);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.last(entry));
    }
  }

  @Override
  public void clear() {
    bulk.clear();
  }

  /**
   * Removes a range by one record. On a device that has no room for what this may change, it is
   * removed in parts, each of which is a record: after a crash some parts may be gone.
   */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return bulk.removeRange(from, fromInclusive, to, toInclusive);
  }

  /** Returns what a write of one key, whose lock is held, is to throw. */
  RuntimeException ofWrite(IndexLock[] held, long key, RuntimeException failed) {
    if (held[0].told != 0) {
      bulk.takeBack(held, new long[] {key}, 0, 1, failed);
    }
    return failures.ofWrite(failed);
  }

  /** Tells the log of the value of a key, whose lock is held, unless the tree has done so. */
  long appendSet(IndexLock[] held, long key, long value) {
    long told = held[0].told;
    return told != 0 ? told : writer.appendSet(pages.id, key, value);
  }

  /** Tells the log of the removal of a key, whose lock is held, unless the tree has done so. */
  long appendDelete(IndexLock[] held, long key) {
    long told = held[0].told;
    return told != 0 ? told : writer.appendDelete(held[0], pages.id, key);
  }

  /** Stores entries in parts, each of which is a record: after a crash some parts may be there. */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    store.checkUsable();
    if (!areRanges(keys, keysFrom, values, valuesFrom, count)) {
      tree.putAll(keys, keysFrom, values, valuesFrom, count); // which refuses it
      return;
    }
    bulk.putAll(keys, keysFrom, values, valuesFrom, count);
  }

  private static boolean areRanges(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    return isRange(keys, keysFrom, count) && isRange(values, valuesFrom, count);
  }

  private static boolean isRange(long @Nullable [] array, int from, int count) {
    return array != null && from >= 0 && count >= 0 && from <= array.length - count;
  }

  /** Does not log entry by entry: a checkpoint makes the load durable before this returns. */
  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    writer.beginUnlogged(store, locks.all());
    try {
      writer.transactions().keepEmpty(this);
      tree.bulkload(entries, fillFactor, total, listener);
      writer.skip();
    } finally {
      writer.endUnlogged(locks.all());
    }
  }

  /** Does nothing: all indexes share the file, and {@link IndexStore#shrink()} is for it. */
  @Override
  public long shrink(ProgressListener listener) {
    Objects.requireNonNull(listener, "listener");
    store.checkUsable();
    return 0;
  }

  // ---------------------------------------------------------------- read

  @Override
  public long get(long key) {
    try {
      return tree.get(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.get(key));
    }
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    try {
      return tree.getOrDefault(key, defaultValue);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.getOrDefault(key, defaultValue));
    }
  }

  @Override
  public boolean containsKey(long key) {
    try {
      return tree.containsKey(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.containsKey(key));
    }
  }

  @Override
  public boolean find(long key, long[] value) {
    try {
      return tree.find(key, value);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.find(key, value));
    }
  }

  @Override
  public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    try {
      tree.getAll(keys, keysFrom, values, valuesFrom, count);
    } catch (RuntimeException failed) {
      throw areRanges(keys, keysFrom, values, valuesFrom, count)
          ? failures.ofRead(failed, () -> bare.getAll(keys, keysFrom, values, valuesFrom, count))
          : failed;
    }
  }

  @Override
  public int getAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
    try {
      return tree.getAll(keys, keysFrom, values, valuesFrom, count, found);
    } catch (RuntimeException failed) {
      throw areRanges(keys, keysFrom, values, valuesFrom, count)
              && found.length >= Bits.words(count)
          ? failures.ofRead(
              failed, () -> bare.getAll(keys, keysFrom, values, valuesFrom, count, found))
          : failed;
    }
  }

  @Override
  public void getAll(MemorySegment keys, MemorySegment values) {
    try {
      tree.getAll(keys, values);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.getAll(keys, values));
    }
  }

  // Neighbours

  @Override
  public long firstKey() {
    return ofWhole(LongIndex::firstKey);
  }

  @Override
  public long lastKey() {
    return ofWhole(LongIndex::lastKey);
  }

  @Override
  public boolean first(LongEntry entry) {
    try {
      return tree.first(entry);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.first(entry));
    }
  }

  @Override
  public boolean last(LongEntry entry) {
    try {
      return tree.last(entry);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.last(entry));
    }
  }

  @Override
  public boolean floor(long key, LongEntry entry) {
    try {
      return tree.floor(key, entry);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.floor(key, entry));
    }
  }

  @Override
  public boolean ceiling(long key, LongEntry entry) {
    try {
      return tree.ceiling(key, entry);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.ceiling(key, entry));
    }
  }

  @Override
  public boolean lower(long key, LongEntry entry) {
    try {
      return tree.lower(key, entry);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.lower(key, entry));
    }
  }

  @Override
  public boolean higher(long key, LongEntry entry) {
    try {
      return tree.higher(key, entry);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.higher(key, entry));
    }
  }

  @Override
  public LongCursor cursor() {
    return new StoreCursor(this, writer, tree.cursor(), failures);
  }

  @Override
  public long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    try {
      return tree.countRange(from, fromInclusive, to, toInclusive);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> bare.countRange(from, fromInclusive, to, toInclusive));
    }
  }

  private <T> T ofWhole(Function<LongIndex, T> question) {
    try {
      return question.apply(tree);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> Objects.requireNonNull(question.apply(bare)));
    }
  }

  @Override
  public long size() {
    return ofWhole(LongIndex::size);
  }

  @Override
  public long sizeEstimate() {
    return ofWhole(LongIndex::sizeEstimate);
  }

  @Override
  public boolean isEmpty() {
    return ofWhole(LongIndex::isEmpty);
  }

  @Override
  public LongBatchLookup batchLookup() {
    bare.batchLookup(); // which is refused if the index is closed
    return lookup;
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public void checkCodecs(CodecMarks given) {
    StoredCodecs.marks(pages.codecs).check(store.condition.subject(), given);
  }

  /** Returns this index, which needs no other lock. */
  @Override
  public LongIndex withReadWriteLock() {
    return this;
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
    verify(tree, listener);
  }

  private void verify(LongIndex tree, ProgressListener listener) {
    try {
      tree.verify(listener);
    } catch (RuntimeException failed) {
      throw failures.ofVerify(failed);
    }
  }

  @Override
  public NodeView rootView() {
    return ofWhole(LongIndex::rootView);
  }

  @Override
  public IndexStatistics statistics() {
    return ofWhole(LongIndex::statistics);
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
