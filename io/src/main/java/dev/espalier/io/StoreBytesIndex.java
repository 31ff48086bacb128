// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.CodecMarks;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.ValueReader;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import dev.espalier.prefix.StoredPrefixTree;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An index of byte strings of a store. It tells the store's log of every write, so that the write
 * survives.
 *
 * <p>Any number of threads may read it while others write, since its tree is made for that. Readers
 * take no lock, except while a long value is shown where it lies. Writers wait for one another if
 * they write the same key, or one with the same lock; while one waits for the device to make its
 * record durable, others go on.
 */
final class StoreBytesIndex implements BytesIndex, OpenIndex {
  /** The name in the catalogue of the pages, which trees for one thread and for many share. */
  static final String KIND = "PrefixBPlusTree";

  private static final MemorySegment NO_VALUE = MemorySegment.NULL;
  private static final ValueReader NO_READER = (_, _, _, _, _) -> {};
  private static final BatchReader NO_BATCH_READER = (_, _, _, _, _, _) -> {};

  private final StoreWriter writer;
  private final IndexPages pages;
  private final SlotPageStore store;

  private final ConcurrentPrefixBPlusTree tree;
  private final IndexLocks locks;

  /** The one of readers who are shown a value where it lies. */
  private final IndexLock ofReaders;

  private final Runnable whenClosed;
  private final IndexFailures failures;
  private final BulkBytesWrites bulk;

  /**
   * Makes an index.
   *
   * @param whenClosed closes the index, in the store that has it
   */
  StoreBytesIndex(
      StoreWriter writer,
      IndexPages pages,
      SlotPageStore store,
      ConcurrentPrefixBPlusTree tree,
      Runnable whenClosed) {
    this.writer = writer;
    this.pages = pages;
    this.store = store;
    this.tree = tree;
    this.ofReaders = new IndexLock(tree.lockOfReaders());
    this.locks = store.condition.isReadOnly() ? IndexLocks.NONE : writer.locksOfKeys();
    if (locks.areOfKeys() && writer.tellsBeforeReaders()) {
      store.tell(new EntryLog(writer, locks, pages.id));
    }
    this.whenClosed = whenClosed;
    this.failures = new IndexFailures(writer, store, pages.name, tree::verifyBesideReaders);
    this.bulk = new BulkBytesWrites(writer, this);
  }

  /** Returns the name of the index in the store. */
  String name() {
    return pages.name;
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
  public boolean isOf(StoreWriter other) {
    return writer == other;
  }

  @Override
  public IndexLocks locks() {
    return locks;
  }

  /** Returns the locks of a write to any keys, or to all pages: first the one of readers. */
  IndexLock[] locksOfAll() {
    return Stream.concat(Stream.of(ofReaders), Stream.of(locks.all())).toArray(IndexLock[]::new);
  }

  @Override
  public IndexFailures failures() {
    return failures;
  }

  @Override
  public void closeTree() {
    tree.close();
  }

  @Override
  public void verifyTree(ProgressListener listener) {
    try {
      tree.verifyBesideReaders(listener);
    } catch (RuntimeException failed) {
      throw failures.ofVerify(failed);
    }
  }

  /** Returns how many of some writes may change pages that long values share. */
  int sharing(int writes) {
    return StoredPrefixTree.sharesPages(pages.meta) ? writes : 0;
  }

  /** Returns the index without the log. */
  ConcurrentPrefixBPlusTree tree() {
    return tree;
  }

  // ---------------------------------------------------------------- write

  /** Begins the record of one entry; {@code writer.end} is to follow. */
  private IndexLock[] begin(MemorySegment key, MemorySegment value) {
    checkNotReading();
    IndexLock[] held = locks.of(IndexLocks.keyOf(key));
    writer.begin(store, held, 1, sharing(1), setBytes(key, value));
    writer.expectWrite(this, held, key);
    return held;
  }

  /** Begins the record of the removal of a key; {@code writer.end} is to follow. */
  private IndexLock[] beginRemoval(MemorySegment key) {
    checkNotReading();
    IndexLock[] held = locks.of(IndexLocks.keyOf(key));
    writer.beginRemoval(store, held, 1, setBytes(key, NO_VALUE), 0);
    writer.expectWrite(this, held, key);
    return held;
  }

  /**
   * Checks that this thread may write.
   *
   * @throws IllegalStateException if the call comes from a reader of values of this index
   */
  void checkNotReading() {
    tree.checkNotReading();
  }

  /** Returns the bytes of a record's write, if the tree does not refuse the entry. */
  static int setBytes(MemorySegment key, MemorySegment value) {
    return LogRecord.setBytes(
        (int) Math.min(key.byteSize(), MAX_KEY), (int) Math.min(value.byteSize(), MAX_VALUE));
  }

  /** Tells the log of the value of a key, whose lock is held, unless the tree has done so. */
  private long appendSet(IndexLock[] held, MemorySegment key, MemorySegment value) {
    long told = held[0].told;
    return told != 0 ? told : writer.appendSet(held[0], pages.id, key, value);
  }

  /** Tells the log of the removal of a key, whose lock is held, unless the tree has done so. */
  private long appendDelete(IndexLock[] held, MemorySegment key) {
    long told = held[0].told;
    return told != 0 ? told : writer.appendDelete(held[0], pages.id, key);
  }

  /** Returns what a write of one key, whose lock is held, is to throw. */
  private RuntimeException ofWrite(IndexLock[] held, MemorySegment key, RuntimeException failed) {
    if (held[0].told != 0) {
      bulk.takeBack(held, List.of(key), failed);
    }
    return failures.ofWrite(failed);
  }

  @Override
  public byte @Nullable [] put(byte[] key, byte[] value) {
    for (int refusals = 0; ; refusals++) {
      try {
        return putOnce(key, value);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private byte @Nullable [] putOnce(byte[] key, byte[] value) {
    MemorySegment wholeKey = MemorySegment.ofArray(key);
    MemorySegment wholeValue = MemorySegment.ofArray(value);
    byte[] before;
    long sequence;
    IndexLock[] held = begin(wholeKey, wholeValue);
    try {
      before = tree.put(key, value);
      sequence = appendSet(held, wholeKey, wholeValue);
    } catch (RuntimeException failed) {
      throw ofWrite(held, wholeKey, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
    return before;
  }

  @Override
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
    for (int refusals = 0; ; refusals++) {
      try {
        return putIfAbsentOnce(key, value);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private byte @Nullable [] putIfAbsentOnce(byte[] key, byte[] value) {
    MemorySegment wholeKey = MemorySegment.ofArray(key);
    MemorySegment wholeValue = MemorySegment.ofArray(value);
    long sequence;
    IndexLock[] held = begin(wholeKey, wholeValue);
    try {
      byte[] before = tree.putIfAbsent(key, value);
      if (before != null) {
        return before;
      }
      sequence = appendSet(held, wholeKey, wholeValue);
    } catch (RuntimeException failed) {
      throw ofWrite(held, wholeKey, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
    return null;
  }

  @Override
  public byte @Nullable [] remove(byte[] key) {
    for (int refusals = 0; ; refusals++) {
      try {
        return removeOnce(key);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private byte @Nullable [] removeOnce(byte[] key) {
    MemorySegment whole = MemorySegment.ofArray(key);
    byte[] before;
    long sequence;
    IndexLock[] held = beginRemoval(whole);
    try {
      before = tree.remove(key);
      if (before == null) {
        return null;
      }
      sequence = appendDelete(held, whole);
    } catch (RuntimeException failed) {
      throw ofWrite(held, whole, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
    return before;
  }

  @Override
  public void set(byte[] key, byte[] value) {
    set(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
  }

  @Override
  public void set(MemorySegment key, MemorySegment value) {
    write(key, value, () -> tree.set(key, value));
  }

  /** Sets the value of the entry with this key, which a cursor of the tree is on. */
  void setValue(BytesCursor cursor, MemorySegment key, MemorySegment value) {
    write(key, value, () -> cursor.setValue(value));
  }

  private void write(MemorySegment key, MemorySegment value, Runnable change) {
    for (int refusals = 0; ; refusals++) {
      try {
        writeOnce(key, value, change);
        return;
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private void writeOnce(MemorySegment key, MemorySegment value, Runnable change) {
    long sequence;
    IndexLock[] held = begin(key, value);
    try {
      change.run();
      sequence = appendSet(held, key, value);
    } catch (RuntimeException failed) {
      throw ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
  }

  /** Removes the entry with this key, which a cursor of the tree is on. */
  void remove(BytesCursor cursor, MemorySegment key) {
    for (int refusals = 0; ; refusals++) {
      try {
        removeOnce(cursor, key);
        return;
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private void removeOnce(BytesCursor cursor, MemorySegment key) {
    long sequence;
    IndexLock[] held = beginRemoval(key);
    try {
      cursor.remove();
      sequence = appendDelete(held, key);
    } catch (RuntimeException failed) {
      throw ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
  }

  @Override
  public boolean delete(byte[] key) {
    return delete(MemorySegment.ofArray(key));
  }

  @Override
  public boolean delete(MemorySegment key) {
    for (int refusals = 0; ; refusals++) {
      try {
        return deleteOnce(key);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private boolean deleteOnce(MemorySegment key) {
    long sequence;
    IndexLock[] held = beginRemoval(key);
    try {
      if (!tree.delete(key)) {
        return false;
      }
      sequence = appendDelete(held, key);
    } catch (RuntimeException failed) {
      throw ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
    return true;
  }

  /** Removes a range by one record or, as {@link StoreIndex} does, in parts. */
  @Override
  public long removeRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    if (Arrays.compareUnsigned(from, to) > 0) {
      return tree.removeRange(from, fromInclusive, to, toInclusive); // which refuses it
    }
    checkNotReading();
    return bulk.removeRange(from, fromInclusive, to, toInclusive);
  }

  @Override
  public void clear() {
    checkNotReading();
    bulk.clear();
  }

  /** Stores entries in parts, each of which is a record: after a crash some parts may be there. */
  @Override
  public void putAll(PackedBytes keys, PackedBytes values) {
    store.checkUsable();
    if (keys.count() != values.count()) {
      tree.putAll(keys, values); // which refuses it
    }
    checkNotReading();
    bulk.putAll(keys, values);
  }

  /** Does not log entry by entry: a checkpoint makes the load durable before this returns. */
  @Override
  public void bulkload(
      BytesEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    checkNotReading();
    IndexLock[] whole = locksOfAll();
    writer.beginUnlogged(store, whole);
    try {
      writer.transactions().keepEmpty(this);
      tree.bulkload(entries, fillFactor, total, listener);
      writer.skip();
    } finally {
      writer.endUnlogged(whole);
    }
  }

  // ---------------------------------------------------------------- read

  @Override
  public byte @Nullable [] get(byte[] key) {
    try {
      return tree.get(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> tree.get(key));
    }
  }

  @Override
  public boolean get(MemorySegment key, ValueReader reader) {
    try {
      return tree.get(key, reader);
    } catch (RuntimeException failed) {
      throw failures.ofShown(failed, () -> tree.get(key, NO_READER));
    }
  }

  @Override
  public long get(MemorySegment key, MemorySegment into) {
    try {
      return tree.get(key, into);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> tree.get(key, into));
    }
  }

  @Override
  public boolean containsKey(byte[] key) {
    try {
      return tree.containsKey(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> tree.containsKey(key));
    }
  }

  @Override
  public boolean containsKey(MemorySegment key) {
    try {
      return tree.containsKey(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> tree.containsKey(key));
    }
  }

  @Override
  public int getAll(PackedBytes keys, BatchReader reader) {
    try {
      return tree.getAll(keys, reader);
    } catch (RuntimeException failed) {
      if (failed instanceof IndexOutOfBoundsException) {
        checkOffsets(keys);
      }
      throw failures.ofShown(failed, () -> tree.getAll(keys, NO_BATCH_READER));
    }
  }

  /** Throws what wrong offsets of the caller's lead to, which are no damage. */
  private static void checkOffsets(PackedBytes keys) {
    for (int i = 0; i < keys.count(); i++) {
      keys.get(i);
    }
  }

  @Override
  public BytesCursor cursor() {
    return new StoreBytesCursor(this, tree.cursor(), failures);
  }

  @Override
  public long countRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    try {
      return tree.countRange(from, fromInclusive, to, toInclusive);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> tree.countRange(from, fromInclusive, to, toInclusive));
    }
  }

  @Override
  public long size() {
    try {
      return tree.size();
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> tree.size());
    }
  }

  @Override
  public boolean isEmpty() {
    try {
      return tree.isEmpty();
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> tree.isEmpty());
    }
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public void checkCodecs(CodecMarks given) {
    StoredCodecs.marks(pages.codecs).check(store.condition.subject(), given);
  }

  /** Returns this index, which needs no other lock. */
  @Override
  public BytesIndex withReadWriteLock() {
    return this;
  }

  @Override
  public void verify(ProgressListener listener) {
    try {
      tree.verify(listener);
    } catch (RuntimeException failed) {
      throw failures.ofVerify(failed);
    }
  }

  @Override
  public NodeView rootView() {
    try {
      return tree.rootView();
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> tree.rootView());
    }
  }

  @Override
  public IndexStatistics statistics() {
    try {
      return tree.statistics();
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> tree.statistics());
    }
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
