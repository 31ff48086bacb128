// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.KeyOrder;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.ValueReader;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.PageStore;
import dev.espalier.prefix.SharedPrefixWriter.When;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.Epochs;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A {@link PrefixBPlusTree} for any number of threads, with the same pages: a store with one is
 * opened as the other, too.
 *
 * <p>Lookups, batches and scans take no lock, and wait for nobody but a writer that is copying
 * bytes within the page they read. Writers wait for each other when they write to the same leaf,
 * and when both of them split or merge pages. {@link #clear}, {@link #bulkload}, {@link #verify},
 * {@link #rootView} and {@link #statistics} wait until they have the tree alone, and {@link
 * #removeRange} does for the leaves below each page that are within a long range.
 *
 * <p>Each method is atomic, except that {@link #putAll}, {@link #removeRange}, {@link #countRange}
 * and {@link #getAll} are as many operations as there are keys. A cursor is for one thread; it
 * copies what it goes to, as one behind a lock does, and sees each write that comes before a step.
 * {@link #size} adds up what threads have counted, in O(processors) time: exact while nobody
 * writes, and beside writers off by what they insert and remove meanwhile. {@link #isEmpty} finds
 * no tree empty that has an entry throughout.
 *
 * <p>A value that is shown to a reader is a copy, unless it is in pages of its own in a file: then
 * it is shown where it lies, and those who must have the tree alone wait for the reader. Readers of
 * values may read the index, and must not write to it.
 */
public final class ConcurrentPrefixBPlusTree implements BytesIndex {
  /** Entries of a range that are removed one by one, so that short ones stop nobody. */
  private static final int FEW = 64;

  private final PrefixStructure tree;
  private final PrefixSpace space;
  private final Epochs epochs;
  private final SharedPrefixWriter writer;
  private final SharedPrefixLookup lookup;
  private final ThreadLocal<PrefixThread> threads;

  private ConcurrentPrefixBPlusTree(PageStore store) {
    this.tree = new PrefixStructure(store, true);
    this.space = tree.shared();
    this.epochs = space.epochs;
    this.writer = new SharedPrefixWriter(tree, space);
    this.lookup = new SharedPrefixLookup(this, tree, space);
    this.threads = ThreadLocal.withInitial(() -> new PrefixThread(tree, space));
  }

  /** Creates an empty index in memory, with pages of {@link PrefixBPlusTree#DEFAULT_PAGE_BYTES}. */
  public static ConcurrentPrefixBPlusTree create(IndexOptions options) {
    return create(options, PrefixBPlusTree.DEFAULT_PAGE_BYTES);
  }

  /**
   * Creates an empty index in memory.
   *
   * @param options the options; their missing value is not used
   * @param pageBytes size of a page in bytes: a power of two from 512 bytes to 64 KiB
   * @throws IllegalArgumentException if the size is none of these
   */
  public static ConcurrentPrefixBPlusTree create(IndexOptions options, int pageBytes) {
    PageStore store = options.pagesBesideReaders(pageBytes);
    try {
      return new ConcurrentPrefixBPlusTree(store);
    } catch (RuntimeException refused) {
      store.close();
      throw refused;
    }
  }

  /**
   * Opens the index in a page store, or makes an empty one in a store without pages. The store
   * belongs to the index, which closes it.
   *
   * @throws IllegalArgumentException if the store holds a tree of another kind, or its pages have
   *     less than 512 bytes
   */
  public static ConcurrentPrefixBPlusTree open(PageStore store) {
    return new ConcurrentPrefixBPlusTree(store);
  }

  PrefixStructure structure() {
    return tree;
  }

  // ---------------------------------------------------------------- calls

  /** Begins a call; {@link #end} follows. */
  PrefixThread begin() {
    tree.checkOpen();
    PrefixThread thread = threads.get();
    if (thread.isBusy) {
      thread = new PrefixThread(tree, space);
    }
    thread.isBusy = true;
    return thread;
  }

  void end(PrefixThread thread) {
    thread.isBusy = false;
  }

  /** Begins a call that is not to be made from a reader. */
  private PrefixThread beginAlone() {
    tree.checkOpen();
    checkNotReading();
    return begin();
  }

  /**
   * Checks that this thread may write, before it does anything that goes with a write.
   *
   * @throws IllegalStateException if the call comes from a reader of values, or from a listener
   */
  public void checkNotReading() {
    if (threads.get().isBusy && !epochs.isAlone()) {
      throw new IllegalStateException(
          "a write to an index from a reader or listener of the same index would never end");
    }
  }

  /**
   * Returns the lock that is shared while a reader of values is shown one where it lies, and taken
   * by calls that have the tree alone. Who makes such a call with other locks held, for which a
   * reader may wait, takes this one before them.
   */
  public ReentrantReadWriteLock lockOfReaders() {
    return space.readers;
  }

  /**
   * Makes sure that what a key has can be replaced or removed: that the pages of a long key or
   * value can be read, which are then to be freed. For who tells a log of writes before they are
   * made, and keeps others from writing the key meanwhile. O(1) if the tree has no long values and
   * the key is short, else O(log n + pages of the value).
   *
   * @throws RuntimeException if they can't; whoever writes the key now gets the same
   */
  public void checkLeaving(MemorySegment key) {
    if (!tree.pieces.mayHaveChains() && key.byteSize() <= tree.layout.keyBytes) {
      return;
    }
    PrefixThread thread = begin();
    int operation = epochs.enter();
    try {
      writer.checkLeaving(thread.look, key);
    } finally {
      epochs.exit(operation);
      end(thread);
    }
  }

  /**
   * Makes sure that a range can be removed, as {@link #checkLeaving(MemorySegment)} does for a key,
   * while nobody writes to the tree. O(1) if it has no long values, else O(log n + entries + pages
   * of their values).
   */
  public void checkLeaving(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    if (!tree.pieces.mayHaveChains()) {
      return;
    }
    MemorySegment low = MemorySegment.ofArray(from);
    MemorySegment high = MemorySegment.ofArray(to);
    SharedPrefixCursor cursor = new SharedPrefixCursor(this, tree, space);
    cursor.expectValues(BytesCursor.Expected.NONE);
    cursor.scanTo(high);
    boolean isOn = fromInclusive ? cursor.ceiling(low) : cursor.higher(low);
    while (isOn && KeyOrder.compare(cursor.key(), high) < (toInclusive ? 1 : 0)) {
      cursor.checkLeaving();
      isOn = cursor.next();
    }
  }

  private PrefixThread beginWrite() {
    PrefixThread thread = beginAlone();
    try {
      tree.store.beforeChange();
    } catch (RuntimeException refused) {
      end(thread);
      throw refused;
    }
    return thread;
  }

  private <T extends @Nullable Object> T alone(Supplier<T> task) {
    PrefixThread thread = beginAlone();
    try {
      return space.alone(task);
    } finally {
      end(thread);
    }
  }

  // ---------------------------------------------------------------- search

  @Override
  public byte @Nullable [] get(byte[] key) {
    return get(MemorySegment.ofArray(Objects.requireNonNull(key, "key is null")));
  }

  private byte @Nullable [] get(MemorySegment key) {
    PrefixThread thread = begin();
    int operation = epochs.enter();
    try {
      return find(thread, key) ? thread.value() : null;
    } finally {
      epochs.exit(operation);
      end(thread);
    }
  }

  @Override
  public boolean get(MemorySegment key, ValueReader reader) {
    PrefixThread thread = begin();
    try {
      return show(thread, key, reader);
    } finally {
      end(thread);
    }
  }

  /** What has come of showing a value. */
  private enum Shown {
    DONE,
    /** The key has none. */
    NONE,
    /** Nothing, as somebody has the tree alone, or waits for that. */
    REFUSED
  }

  /**
   * Shows the value of a key to a reader, outside operations; tells whether there is one. A copy is
   * shown when the operation has ended, since readers may take long, and wait for anything.
   */
  boolean show(PrefixThread thread, MemorySegment key, ValueReader reader) {
    Shown shown = tryShow(thread, key, reader);
    if (shown == Shown.REFUSED) {
      Lock lock = space.readers.readLock();
      lock.lock();
      try {
        shown = tryShow(thread, key, reader);
      } finally {
        lock.unlock();
      }
    }
    return shown == Shown.DONE;
  }

  private Shown tryShow(PrefixThread thread, MemorySegment key, ValueReader reader) {
    int operation = epochs.enter();
    MemorySegment copy;
    try {
      if (!find(thread, key)) {
        return Shown.NONE;
      }
      if (thread.valueChain == 0) {
        copy = thread.copied();
      } else if (tree.store.pagesStay()) {
        // A writer who moves the memory waits for all operations, with locks in its hands.
        copy = MemorySegment.ofArray(thread.value()).asReadOnly();
      } else {
        return tryShowChain(thread, reader);
      }
    } finally {
      epochs.exit(operation);
    }
    reader.read(copy, 0, thread.valueLength, 0, thread.valueLength);
    return Shown.DONE;
  }

  private Shown tryShowChain(PrefixThread thread, ValueReader reader) {
    Lock lock = space.readers.readLock();
    if (!lock.tryLock()) {
      return Shown.REFUSED;
    }
    try {
      tree.chain.read(thread.valueChain, 0, thread.valueLength, reader);
      return Shown.DONE;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long get(MemorySegment key, MemorySegment into) {
    PrefixThread thread = begin();
    int operation = epochs.enter();
    try {
      if (!find(thread, key)) {
        return -1;
      }
      thread.copyValue(into);
      return thread.valueLength;
    } finally {
      epochs.exit(operation);
      end(thread);
    }
  }

  @Override
  public boolean containsKey(byte[] key) {
    return containsKey(MemorySegment.ofArray(key));
  }

  @Override
  public boolean containsKey(MemorySegment key) {
    PrefixThread thread = begin();
    int operation = epochs.enter();
    try {
      return find(thread, key);
    } finally {
      epochs.exit(operation);
      end(thread);
    }
  }

  /** Finds a key, and copies its value; within an operation. */
  boolean find(PrefixThread thread, MemorySegment key) {
    if (PrefixBPlusTree.isTooLong(key)) {
      return false;
    }
    PrefixLook look = thread.look;
    try {
      while (true) {
        try {
          int found = look.find(key);
          if (found >= 0) {
            thread.readValue(found);
          }
          if (look.isStill()) {
            return found >= 0;
          }
        } catch (RuntimeException failed) {
          if (look.isStill()) {
            tree.checkOpen();
            throw failed;
          }
        }
      }
    } finally {
      look.release();
      look.noteLooks();
    }
  }

  @Override
  public int getAll(PackedBytes keys, BatchReader reader) {
    PrefixThread thread = begin();
    try {
      return lookup.getAll(thread, keys, reader);
    } finally {
      end(thread);
    }
  }

  // ---------------------------------------------------------------- write

  private SharedPrefixWriter.Before set(
      MemorySegment key, MemorySegment value, When when, boolean wantsBefore) {
    tree.checkOpen();
    PrefixBPlusTree.checkKey(key);
    PrefixBPlusTree.checkValue(value.byteSize());
    PrefixThread thread = beginWrite();
    try {
      return writer.set(thread, key, value, when, wantsBefore);
    } finally {
      end(thread);
    }
  }

  @Override
  public byte @Nullable [] put(byte[] key, byte[] value) {
    return set(MemorySegment.ofArray(key), MemorySegment.ofArray(value), When.ALWAYS, true).value();
  }

  @Override
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
    return set(MemorySegment.ofArray(key), MemorySegment.ofArray(value), When.IF_ABSENT, true)
        .value();
  }

  @Override
  public void set(byte[] key, byte[] value) {
    set(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
  }

  @Override
  public void set(MemorySegment key, MemorySegment value) {
    set(key, value, When.ALWAYS, false);
  }

  /** Stores another value for a key, if it has one; tells whether it has. */
  boolean replace(MemorySegment key, MemorySegment value) {
    return set(key, value, When.IF_PRESENT, false).wasThere();
  }

  private SharedPrefixWriter.Before delete(MemorySegment key, boolean wantsBefore) {
    PrefixThread thread = beginWrite();
    try {
      return writer.delete(thread, PrefixBPlusTree.sought(key), wantsBefore);
    } finally {
      end(thread);
    }
  }

  @Override
  public byte @Nullable [] remove(byte[] key) {
    return delete(MemorySegment.ofArray(key), true).value();
  }

  @Override
  public boolean delete(byte[] key) {
    return delete(MemorySegment.ofArray(key));
  }

  @Override
  public boolean delete(MemorySegment key) {
    return delete(key, false).wasThere();
  }

  @Override
  public void putAll(PackedBytes keys, PackedBytes values) {
    tree.checkOpen();
    if (keys.count() != values.count()) {
      throw new IllegalArgumentException(
          "there are " + keys.count() + " keys, but " + values.count() + " values");
    }
    for (int i = 0; i < keys.count(); i++) {
      set(keys.get(i), values.get(i));
    }
  }

  /**
   * Removes a range: a short one entry by entry, and of others the rest by whole leaves, while this
   * thread has the tree alone for those below one parent. O(log n + leaves).
   */
  @Override
  public long removeRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    tree.checkOpen();
    MemorySegment low = MemorySegment.ofArray(from);
    MemorySegment high = MemorySegment.ofArray(to);
    if (KeyOrder.compare(low, high) > 0) {
      return BytesIndex.super.removeRange(from, fromInclusive, to, toInclusive); // which refuses it
    }
    checkNotReading();
    tree.store.beforeChange();
    BytesCursor cursor = cursor();
    cursor.expectValues(BytesCursor.Expected.NONE);
    boolean isOn = fromInclusive ? cursor.ceiling(low) : cursor.higher(low);
    long removed = 0;
    for (int i = 0; isOn && KeyOrder.compare(cursor.key(), high) < (toInclusive ? 1 : 0); i++) {
      if (i == FEW) {
        MemorySegment rest = MemorySegment.ofArray(cursor.keyArray());
        return removed + removeLeaves(writer.cut(cursor, rest, high, toInclusive));
      }
      removed += delete(cursor.key()) ? 1 : 0;
      isOn = cursor.next();
    }
    return removed;
  }

  private long removeLeaves(PrefixCut cut) {
    long removed = 0;
    while (!cut.isDone()) {
      removed += alone(cut::removeNext);
      space.free();
    }
    return removed;
  }

  @Override
  public void clear() {
    alone(
        () -> {
          tree.clear();
          return true;
        });
  }

  @Override
  public void bulkload(
      BytesEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    alone(
        () -> {
          BulkloadInput.checkStart(fillFactor, size());
          tree.store.beforeChange();
          writer.load(entries, fillFactor, total, listener);
          return true;
        });
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public long size() {
    tree.checkOpen();
    return tree.size.get();
  }

  /** Looks for an entry if there seems to be none: the counts of threads are read one by one. */
  @Override
  public boolean isEmpty() {
    return size() == 0 && !anyKey();
  }

  private boolean anyKey() {
    BytesCursor cursor = cursor();
    cursor.expectValues(BytesCursor.Expected.NONE);
    return cursor.first();
  }

  @Override
  public BytesCursor cursor() {
    tree.checkOpen();
    return new SharedPrefixCursor(this, tree, space);
  }

  @Override
  public BytesIndex withReadWriteLock() {
    return this;
  }

  @Override
  public void verify(ProgressListener listener) {
    alone(
        () -> {
          PrefixVerifier.verify(tree, listener);
          return true;
        });
  }

  /**
   * Does the same beside readers, for which it need not wait, while the caller keeps all writers
   * out.
   */
  public void verifyBesideReaders(ProgressListener listener) {
    tree.checkOpen();
    PrefixVerifier.verify(tree, listener);
  }

  @Override
  public NodeView rootView() {
    return alone(tree::rootView);
  }

  @Override
  public IndexStatistics statistics() {
    return alone(() -> IndexStatistics.of(tree.rootView(), tree.size.get(), tree.store));
  }

  @Override
  public void flush() {
    tree.checkOpen();
    tree.store.flush();
  }

  @Override
  public boolean isClosed() {
    return tree.store.isClosed();
  }

  @Override
  public void close() {
    try {
      tree.close();
    } finally {
      space.closed();
    }
  }

  /** Returns the variant with the numbers of its entries and bytes. */
  @Override
  public String toString() {
    return isClosed()
        ? "ConcurrentPrefixBPlusTree, closed"
        : "ConcurrentPrefixBPlusTree of %,d entries in %,d bytes"
            .formatted(tree.size.get(), tree.store.usedBytes());
  }
}
