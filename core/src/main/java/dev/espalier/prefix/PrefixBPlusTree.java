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
import dev.espalier.support.BulkloadInput;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A B+-tree of byte strings in pages: Bayer and Unterauer's prefix B-tree. The prefix that all keys
 * of a page have in common is cut off, and separators are as short as possible. The next eight
 * bytes of each key are in an array of longs, which is searched like the keys in the trees of
 * longs.
 *
 * <p>It is in memory or in a page store; {@code IndexStore.bytesIndex} creates one in a file that
 * survives crashes.
 */
public final class PrefixBPlusTree implements BytesIndex {
  /** Bytes of a page unless given. */
  public static final int DEFAULT_PAGE_BYTES = 4 << 10;

  private final PrefixStructure tree;
  private final PrefixChange change;
  private final PrefixGroupLookup lookup;

  private PrefixBPlusTree(PageStore store) {
    this.tree = new PrefixStructure(store, false);
    this.change = new PrefixChange(tree);
    this.lookup = new PrefixGroupLookup(tree);
  }

  /** Creates an empty index in memory, with no limit and pages of {@link #DEFAULT_PAGE_BYTES}. */
  public static PrefixBPlusTree create() {
    return create(IndexOptions.DEFAULT);
  }

  /**
   * Creates an empty index in memory, with pages of {@link #DEFAULT_PAGE_BYTES}.
   *
   * @param options the options; their missing value is not used
   */
  public static PrefixBPlusTree create(IndexOptions options) {
    return create(options, DEFAULT_PAGE_BYTES);
  }

  /**
   * Creates an empty index in memory.
   *
   * @param options the options; their missing value is not used
   * @param pageBytes size of a page in bytes: a power of two from 512 bytes to 64 KiB
   * @throws IllegalArgumentException if the size is none of these
   */
  public static PrefixBPlusTree create(IndexOptions options, int pageBytes) {
    PageStore store = options.pagesInMemory(pageBytes);
    try {
      return new PrefixBPlusTree(store);
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
  public static PrefixBPlusTree open(PageStore store) {
    return new PrefixBPlusTree(store);
  }

  PrefixStructure structure() {
    return tree;
  }

  /** Checks the length of a key that is to be stored. */
  static void checkKey(MemorySegment key) {
    if (isTooLong(key)) {
      throw new IllegalArgumentException(
          "key has " + key.byteSize() + " bytes; at most " + MAX_KEY + " are allowed");
    }
  }

  /** Tells whether a key is longer than any that an index has. It is absent, then. */
  static boolean isTooLong(MemorySegment key) {
    return key.byteSize() > MAX_KEY;
  }

  /**
   * Returns what to search for in place of a key: the key, or so much of one that is too long as no
   * key of an index has. That is absent too, and belongs where the whole one does.
   */
  static MemorySegment sought(MemorySegment key) {
    return isTooLong(key) ? key.asSlice(0, MAX_KEY + 1L) : key;
  }

  /** Checks the length of a value, and returns it. */
  static int checkValue(long bytes) {
    if (bytes > MAX_VALUE) {
      throw new IllegalArgumentException(
          "value has " + bytes + " bytes; at most " + MAX_VALUE + " are allowed");
    }
    return (int) bytes;
  }

  // ---------------------------------------------------------------- search

  @Override
  public byte @Nullable [] get(byte[] key) {
    return get(MemorySegment.ofArray(Objects.requireNonNull(key, "key is null")));
  }

  private byte @Nullable [] get(MemorySegment key) {
    tree.checkOpen();
    if (isTooLong(key)) {
      return null;
    }
    long page = tree.leafOf(key);
    try {
      int found = tree.search(page, key);
      if (found < 0) {
        return null;
      }
      byte[] value = new byte[tree.valueLength(page, found)];
      copy(page, found, MemorySegment.ofArray(value));
      return value;
    } finally {
      tree.store.unpin(page, false);
    }
  }

  /** Copies as much of a value as fits. */
  private void copy(long page, int i, MemorySegment into) {
    tree.readValue(
        page,
        i,
        (piece, from, bytes, position, _) -> {
          long room = Math.min(bytes, into.byteSize() - position);
          if (room > 0) {
            MemorySegment.copy(piece, from, into, position, room);
          }
        });
  }

  @Override
  public boolean get(MemorySegment key, ValueReader reader) {
    tree.checkOpen();
    if (isTooLong(key)) {
      return false;
    }
    long page = tree.leafOf(key);
    try {
      int found = tree.search(page, key);
      if (found < 0) {
        return false;
      }
      tree.readValue(page, found, reader);
      return true;
    } finally {
      tree.store.unpin(page, false);
    }
  }

  @Override
  public long get(MemorySegment key, MemorySegment into) {
    tree.checkOpen();
    if (isTooLong(key)) {
      return -1;
    }
    long page = tree.leafOf(key);
    try {
      int found = tree.search(page, key);
      if (found < 0) {
        return -1;
      }
      copy(page, found, into);
      return tree.valueLength(page, found);
    } finally {
      tree.store.unpin(page, false);
    }
  }

  @Override
  public boolean containsKey(byte[] key) {
    return containsKey(MemorySegment.ofArray(key));
  }

  @Override
  public boolean containsKey(MemorySegment key) {
    tree.checkOpen();
    return !isTooLong(key) && tree.searchAndUnpin(tree.leafOf(key), key) >= 0;
  }

  @Override
  public int getAll(PackedBytes keys, BatchReader reader) {
    tree.checkOpen();
    return lookup.getAll(keys, reader);
  }

  // ---------------------------------------------------------------- write

  @Override
  public byte @Nullable [] put(byte[] key, byte[] value) {
    byte[] before = get(key);
    set(key, value);
    return before;
  }

  @Override
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
    checkValue(value.length);
    byte[] before = get(key);
    if (before == null) {
      set(key, value);
    }
    return before;
  }

  @Override
  public byte @Nullable [] remove(byte[] key) {
    byte[] before = get(key);
    if (before != null) {
      delete(key);
    }
    return before;
  }

  @Override
  public void set(byte[] key, byte[] value) {
    set(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
  }

  @Override
  public void set(MemorySegment key, MemorySegment value) {
    tree.checkOpen();
    checkKey(key);
    checkValue(value.byteSize());
    change.set(key, value);
  }

  @Override
  public boolean delete(byte[] key) {
    return delete(MemorySegment.ofArray(key));
  }

  @Override
  public boolean delete(MemorySegment key) {
    tree.checkOpen();
    return change.delete(sought(key));
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
   * Removes a range by whole leaves. O(log n + leaves), and a look at each leaf of the range for
   * long keys and values, whose pages go with it.
   */
  @Override
  public long removeRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    tree.checkOpen();
    MemorySegment low = MemorySegment.ofArray(from);
    MemorySegment high = MemorySegment.ofArray(to);
    if (KeyOrder.compare(low, high) > 0) {
      return BytesIndex.super.removeRange(from, fromInclusive, to, toInclusive); // which refuses it
    }
    return new PrefixCut(tree, change, cursor(), low, fromInclusive, high, toInclusive).remove();
  }

  @Override
  public void clear() {
    tree.clear();
  }

  @Override
  public void bulkload(
      BytesEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    tree.checkOpen();
    BulkloadInput.checkStart(fillFactor, size());
    tree.store.beforeChange();
    tree.modifications.changes++;
    tree.store.free(tree.root());
    try {
      PrefixBulkload.load(tree, entries, fillFactor, total, listener);
    } catch (RuntimeException | Error failed) {
      try {
        tree.clear();
      } catch (RuntimeException second) {
        failed.addSuppressed(second);
      }
      throw failed;
    }
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public long size() {
    tree.checkOpen();
    return tree.size.get();
  }

  @Override
  public boolean isEmpty() {
    return size() == 0;
  }

  @Override
  public BytesCursor cursor() {
    tree.checkOpen();
    return new PrefixCursor(this, tree);
  }

  @Override
  public void verify(ProgressListener listener) {
    tree.checkOpen();
    PrefixVerifier.verify(tree, listener);
  }

  @Override
  public NodeView rootView() {
    tree.checkOpen();
    return tree.rootView();
  }

  @Override
  public IndexStatistics statistics() {
    return IndexStatistics.of(rootView(), size(), tree.store);
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
    tree.close();
  }

  /** Returns the variant with the numbers of its entries and bytes. */
  @Override
  public String toString() {
    return isClosed()
        ? "PrefixBPlusTree, closed"
        : "PrefixBPlusTree of %,d entries in %,d bytes"
            .formatted(tree.size.get(), tree.store.usedBytes());
  }
}
