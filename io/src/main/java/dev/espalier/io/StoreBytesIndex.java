// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.ValueReader;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An index of byte strings of a store. It passes reads on to a tree as they are, and tells the
 * store's log of every write, so that the write survives.
 *
 * <p>Writers of all indexes of a store take turns; while one waits for the device, others go on.
 */
final class StoreBytesIndex implements BytesIndex, OpenIndex {
  /** The name of the tree, in the catalogue. */
  static final String KIND = "PrefixBPlusTree";

  /** Entries of {@code putAll} that become one record, ... */
  private static final int PUT_ALL = 256;

  /** ... unless they have more bytes. */
  private static final int PUT_ALL_BYTES = 1 << 20;

  private static final MemorySegment NO_VALUE = MemorySegment.NULL;

  private final StoreWriter writer;
  private final IndexPages pages;
  private final SlotPageStore store;

  /** The tree, or the tree behind a lock that readers take. */
  private final BytesIndex tree;

  private final Runnable whenClosed;

  /**
   * Makes an index.
   *
   * @param whenClosed closes the index, in the store that has it
   */
  StoreBytesIndex(
      StoreWriter writer,
      IndexPages pages,
      SlotPageStore store,
      BytesIndex tree,
      Runnable whenClosed) {
    this.writer = writer;
    this.pages = pages;
    this.store = store;
    this.tree = tree;
    this.whenClosed = whenClosed;
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
  public void closeTree() {
    tree.close();
  }

  @Override
  public void verifyTree(ProgressListener listener) {
    tree.verify(listener);
  }

  /** Returns the index without the log. */
  BytesIndex tree() {
    return tree;
  }

  // ---------------------------------------------------------------- write

  /** Begins the record of one entry; {@code writer.end} is to follow. */
  private void begin(MemorySegment key, MemorySegment value) {
    writer.begin(store, 1, setBytes(key, value));
  }

  /** Returns the bytes of a record's write, if the tree does not refuse the entry. */
  static int setBytes(MemorySegment key, MemorySegment value) {
    return LogRecord.setBytes(
        (int) Math.min(key.byteSize(), MAX_KEY), (int) Math.min(value.byteSize(), MAX_VALUE));
  }

  @Override
  public byte @Nullable [] put(byte[] key, byte[] value) {
    MemorySegment wholeKey = MemorySegment.ofArray(key);
    MemorySegment wholeValue = MemorySegment.ofArray(value);
    byte[] before;
    long sequence;
    begin(wholeKey, wholeValue);
    try {
      before = tree.put(key, value);
      writer.record().set(pages.id, wholeKey, wholeValue);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
    return before;
  }

  @Override
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
    MemorySegment wholeKey = MemorySegment.ofArray(key);
    MemorySegment wholeValue = MemorySegment.ofArray(value);
    long sequence;
    begin(wholeKey, wholeValue);
    try {
      byte[] before = tree.putIfAbsent(key, value);
      if (before != null) {
        return before;
      }
      writer.record().set(pages.id, wholeKey, wholeValue);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
    return null;
  }

  @Override
  public byte @Nullable [] remove(byte[] key) {
    MemorySegment whole = MemorySegment.ofArray(key);
    byte[] before;
    long sequence;
    begin(whole, NO_VALUE);
    try {
      before = tree.remove(key);
      if (before == null) {
        return null;
      }
      writer.record().delete(pages.id, whole);
      sequence = writer.append();
    } finally {
      writer.end();
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
    long sequence;
    begin(key, value);
    try {
      tree.set(key, value);
      writer.record().set(pages.id, key, value);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
  }

  @Override
  public boolean delete(byte[] key) {
    return delete(MemorySegment.ofArray(key));
  }

  @Override
  public boolean delete(MemorySegment key) {
    long sequence;
    begin(key, NO_VALUE);
    try {
      if (!tree.delete(key)) {
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
  public long removeRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    long removed;
    long sequence;
    writer.begin(store, 1, LogRecord.rangeBytes(from.length, to.length));
    try {
      removed = writer.whole(() -> tree.removeRange(from, fromInclusive, to, toInclusive));
      if (removed == 0) {
        return 0;
      }
      writer.record().removeRange(pages.id, from, fromInclusive, to, toInclusive);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
    return removed;
  }

  @Override
  public void clear() {
    long sequence;
    writer.begin(store, 1);
    try {
      tree.clear();
      writer.record().clearBytes(pages.id);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
  }

  /** Stores entries in parts, each of which is a record: after a crash some parts may be there. */
  @Override
  public void putAll(PackedBytes keys, PackedBytes values) {
    store.checkUsable();
    if (keys.count() != values.count()) {
      tree.putAll(keys, values); // which refuses it
    }
    long sequence = 0;
    for (int done = 0; done < keys.count(); ) {
      int end = done;
      int bytes = 0;
      do {
        bytes += setBytes(keys.get(end), values.get(end));
        end++;
      } while (end < keys.count() && end - done < PUT_ALL && bytes < PUT_ALL_BYTES);
      sequence = putPart(keys, values, done, end, bytes);
      done = end;
    }
    if (keys.count() > 0) {
      writer.acknowledge(sequence);
    }
  }

  private long putPart(PackedBytes keys, PackedBytes values, int from, int to, int bytes) {
    writer.begin(store, to - from, bytes);
    try {
      for (int i = from; i < to; i++) {
        MemorySegment key = keys.get(i);
        MemorySegment value = values.get(i);
        try {
          tree.set(key, value);
        } catch (RuntimeException refused) {
          if (!writer.record().isEmpty()) {
            writer.append(); // what was stored before
          }
          throw refused;
        }
        writer.record().set(pages.id, key, value);
      }
      return writer.append();
    } finally {
      writer.end();
    }
  }

  /** Does not log entry by entry: a checkpoint makes the load durable before this returns. */
  @Override
  public void bulkload(
      BytesEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    writer.beginUnlogged(store);
    try {
      tree.bulkload(entries, fillFactor, total, listener);
      writer.skip();
    } finally {
      writer.endUnlogged();
    }
  }

  // ---------------------------------------------------------------- read

  @Override
  public byte @Nullable [] get(byte[] key) {
    return tree.get(key);
  }

  @Override
  public boolean get(MemorySegment key, ValueReader reader) {
    return tree.get(key, reader);
  }

  @Override
  public long get(MemorySegment key, MemorySegment into) {
    return tree.get(key, into);
  }

  @Override
  public boolean containsKey(byte[] key) {
    return tree.containsKey(key);
  }

  @Override
  public boolean containsKey(MemorySegment key) {
    return tree.containsKey(key);
  }

  @Override
  public int getAll(PackedBytes keys, BatchReader reader) {
    return tree.getAll(keys, reader);
  }

  @Override
  public BytesCursor cursor() {
    return new StoreBytesCursor(this, tree.cursor());
  }

  @Override
  public long countRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    return tree.countRange(from, fromInclusive, to, toInclusive);
  }

  @Override
  public long size() {
    return tree.size();
  }

  @Override
  public boolean isEmpty() {
    return tree.isEmpty();
  }

  // ---------------------------------------------------------------- the whole

  /** Returns this index for readers and writers at once; a wait for the device blocks no reader. */
  @Override
  public BytesIndex withReadWriteLock() {
    return new StoreBytesIndex(writer, pages, store, tree.withReadWriteLock(), whenClosed);
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
