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
import dev.espalier.io.IndexVersions.Version;
import dev.espalier.io.Seen.Write;
import dev.espalier.io.Transactions.Place;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * An index of byte strings as a transaction sees it: what was committed when the transaction began,
 * and its own writes, which nobody else sees. The counterpart of {@link TransactionIndex}, which is
 * for longs.
 */
final class TransactionBytesIndex implements BytesIndex, Transaction.Part {
  /** The first key that there can be, and the last. */
  static final byte[] FIRST = {};

  static final byte[] LAST = new byte[MAX_KEY];

  static {
    Arrays.fill(LAST, (byte) 0xff);
  }

  /** Bytes of memory of a write, without its key and value. */
  private static final int WRITE_BYTES = 160;

  /** Keys, and bytes of them, whose pages are read before a commit at most. */
  private static final int MOST_AHEAD = 1 << 12;

  private static final int MOST_BYTES_AHEAD = 1 << 20;

  private final Transaction transaction;
  private final Transactions transactions;
  private final StoreBytesIndex index;
  private final Seen<byte[], byte[]> seen;
  private final boolean notesKeys;
  private final boolean notesRanges;
  private final boolean readsTreeFirst;
  private final ReadStringRanges read = new ReadStringRanges();

  TransactionBytesIndex(Transaction transaction, Transactions transactions, StoreBytesIndex index) {
    this.transaction = transaction;
    this.transactions = transactions;
    this.index = index;
    this.seen =
        new Seen<>(transaction, transactions.of(index), new TreeMap<>(Arrays::compareUnsigned));
    boolean notes = transaction.isolation() == Isolation.SERIALIZABLE;
    this.notesKeys = notes && transactions.keeps(Rule.KEYS_READ_ARE_CHECKED);
    this.notesRanges = notes && transactions.keeps(Rule.RANGES_READ_ARE_CHECKED);
    this.readsTreeFirst = transactions.keeps(Rule.TREES_ARE_READ_BEFORE_VERSIONS);
  }

  private static byte[] copy(MemorySegment string) {
    return string.toArray(ValueLayout.JAVA_BYTE);
  }

  // ---------------------------------------------------------------- for the cursor

  void checkOpen() {
    transaction.checkOpen();
  }

  /** To be called when something was read, before it is used: the versions may have gone. */
  void checkAlive() {
    transaction.checkAlive();
  }

  /** Returns what others have changed, and this transaction has written. */
  Seen<byte[], byte[]> seen() {
    return seen;
  }

  /** Returns what others have changed of a key that was just read from the tree. */
  @Nullable Version<byte[], byte[]> versionOfRead(byte[] key) {
    transactions.reach(Place.HALF_READ);
    return seen.version(key);
  }

  /**
   * Notes that a range was read.
   *
   * @param from is kept, and must not be changed
   * @param to the same; null for no end
   */
  void noteRange(byte[] from, boolean fromInclusive, byte @Nullable [] to, boolean toInclusive) {
    if (notesRanges) {
      read.add(from, fromInclusive, to, toInclusive);
    }
  }

  /** Notes that a key was read, unless nobody can write it. */
  private void noteKey(byte[] key) {
    if (notesKeys && key.length <= MAX_KEY) {
      byte[] noted = key.clone();
      read.add(noted, true, noted, true);
    }
  }

  private void noteKey(MemorySegment key) {
    if (notesKeys && !isTooLong(key)) {
      byte[] noted = copy(key);
      read.add(noted, true, noted, true);
    }
  }

  /**
   * Returns the value of a key, whatever the tree has; null if there is none. Others may have the
   * same array.
   */
  byte @Nullable [] findAny(byte[] key) {
    Write<byte[]> own = seen.own(key);
    if (own != null) {
      return own.value;
    }
    if (!readsTreeFirst) {
      Version<byte[], byte[]> version = seen.version(key);
      transactions.reach(Place.HALF_READ);
      byte[] value = index.get(key);
      return version == null ? value : version.before;
    }
    byte[] value = index.get(key);
    Version<byte[], byte[]> version = versionOfRead(key);
    return version == null ? value : version.before;
  }

  // ---------------------------------------------------------------- for the commit

  @Override
  public int writeCount() {
    return seen.writeCount();
  }

  @Override
  public void addTo(WriteBatch batch) {
    seen.forEachWrite(
        (key, value) -> {
          if (value == null) {
            batch.delete(index, key);
          } else {
            batch.set(index, key, value);
          }
        });
  }

  @Override
  public void readAhead() {
    List<byte[]> keys = new ArrayList<>();
    int bytes = 0;
    for (byte[] key : seen.keys()) {
      bytes += key.length;
      if (keys.size() == MOST_AHEAD || bytes > MOST_BYTES_AHEAD) {
        break;
      }
      keys.add(key);
    }
    if (keys.size() == 1) {
      index.containsKey(keys.getFirst());
    } else {
      index.getAll(PackedBytes.of(keys), (_, _, _, _, _, _) -> {});
    }
  }

  @Override
  public void checkUnchanged() {
    if (!seen.isChanged()) {
      return;
    }
    if (transactions.keeps(Rule.KEYS_WRITTEN_ARE_CHECKED)) {
      check("written", seen.changedOwn());
    }
    read.forEach((from, behind) -> check("read", seen.changedOf(from, behind, false)));
  }

  private void check(String what, byte @Nullable [] changed) {
    if (changed != null) {
      throw new TransactionConflictException(name(), changed, what);
    }
  }

  // ---------------------------------------------------------------- read

  @Override
  public byte @Nullable [] get(byte[] key) {
    checkOpen();
    Objects.requireNonNull(key, "key");
    noteKey(key);
    byte[] value = findAny(key);
    checkAlive();
    return value == null || seen.isTree() ? value : value.clone();
  }

  @Override
  public boolean get(MemorySegment key, ValueReader reader) {
    checkOpen();
    noteKey(key);
    Write<byte[]> own = seen.hasWrites() ? seen.own(copy(key)) : null;
    if (own != null) {
      checkAlive();
      return SeenValue.show(own.value, reader);
    }
    SeenValue value = new SeenValue(this, key, reader);
    boolean isThere = index.get(key, value);
    Version<byte[], byte[]> version = value.version();
    return version == null ? isThere : SeenValue.show(version.before, reader);
  }

  @Override
  public long get(MemorySegment key, MemorySegment into) {
    long[] length = {-1};
    get(
        key,
        (piece, from, bytes, position, total) -> {
          length[0] = total;
          if (position < into.byteSize()) {
            long copied = Math.min(bytes, into.byteSize() - position);
            MemorySegment.copy(piece, from, into, position, copied);
          }
        });
    return length[0];
  }

  @Override
  public boolean containsKey(byte[] key) {
    return containsKey(MemorySegment.ofArray(key));
  }

  @Override
  public boolean containsKey(MemorySegment key) {
    checkOpen();
    noteKey(key);
    boolean isThere = index.containsKey(key);
    transactions.reach(Place.HALF_READ);
    if (!seen.isTree()) {
      isThere = isThere(copy(key), isThere);
    }
    checkAlive();
    return isThere;
  }

  /**
   * Tells whether a key has an entry.
   *
   * @param isInTree whether the tree has one, in which it was just looked for
   */
  private boolean isThere(byte[] key, boolean isInTree) {
    Write<byte[]> own = seen.own(key);
    if (own != null) {
      return own.value != null;
    }
    Version<byte[], byte[]> version = seen.version(key);
    return version == null ? isInTree : version.before != null;
  }

  @Override
  public int getAll(PackedBytes keys, BatchReader reader) {
    checkOpen();
    for (int i = 0; i < keys.count() && notesKeys; i++) {
      noteKey(keys.get(i));
    }
    BitSet shown = new BitSet(keys.count());
    index.getAll(
        keys,
        (i, piece, from, bytes, position, total) -> {
          if (position == 0 && isOfTree(keys, i)) {
            shown.set(i);
          }
          if (shown.get(i)) {
            reader.read(i, piece, from, bytes, position, total);
          }
        });
    boolean isPlain = seen.isTree();
    checkAlive();
    for (int i = 0; i < keys.count() && !isPlain; i++) {
      if (!shown.get(i) && showOther(keys, i, reader)) {
        shown.set(i);
      }
    }
    return shown.cardinality();
  }

  /** Tells whether the value of a key counts that was just read from the tree. */
  private boolean isOfTree(PackedBytes keys, int i) {
    boolean isOfTree = true;
    if (!seen.isTree()) {
      byte[] key = copy(keys.get(i));
      isOfTree = seen.own(key) == null && seen.version(key) == null;
    }
    checkAlive();
    return isOfTree;
  }

  /** Shows the value of a key if it is another one than that of the tree, and there is one. */
  private boolean showOther(PackedBytes keys, int i, BatchReader reader) {
    byte[] key = copy(keys.get(i));
    Write<byte[]> own = seen.own(key);
    Version<byte[], byte[]> version = own == null ? seen.version(key) : null;
    byte[] value = own != null ? own.value : version != null ? version.before : null;
    checkAlive();
    return SeenValue.show(
        value,
        (piece, from, bytes, position, total) ->
            reader.read(i, piece, from, bytes, position, total));
  }

  @Override
  public BytesCursor cursor() {
    checkOpen();
    return newCursor();
  }

  private TransactionBytesCursor newCursor() {
    return new TransactionBytesCursor(this, index.cursor());
  }

  /** Returns a cursor that is asked for no values. */
  private TransactionBytesCursor cursorOfKeys() {
    TransactionBytesCursor cursor = newCursor();
    cursor.expectValues(BytesCursor.Expected.NONE);
    return cursor;
  }

  @Override
  public long countRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    checkOpen();
    if (Arrays.compareUnsigned(from, to) > 0) {
      return BytesIndex.super.countRange(from, fromInclusive, to, toInclusive); // which refuses it
    }
    noteRange(from.clone(), fromInclusive, to.clone(), toInclusive);
    return count(from, fromInclusive, to, toInclusive);
  }

  private long count(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    TransactionBytesCursor cursor = cursorOfKeys();
    long count = 0;
    boolean isThere = cursor.up(from, fromInclusive);
    while (isThere && isWithin(cursor.at(), to, toInclusive)) {
      count++;
      isThere = cursor.up(cursor.at(), false);
    }
    return count;
  }

  private static boolean isWithin(byte[] key, byte[] to, boolean inclusive) {
    return Arrays.compareUnsigned(key, to) < (inclusive ? 1 : 0);
  }

  /** Counts the entries if this transaction or somebody else has written since it began. */
  @Override
  public long size() {
    checkOpen();
    noteRange(FIRST, true, null, false);
    if (!seen.hasWrites()) {
      long size = index.size();
      boolean isOfThen = !seen.isChanged();
      checkAlive();
      if (isOfThen) {
        return size;
      }
    }
    return count(FIRST, true, LAST, true);
  }

  @Override
  public boolean isEmpty() {
    checkOpen();
    return !cursorOfKeys().first();
  }

  // ---------------------------------------------------------------- write

  /** Tells whether a key is longer than any that is stored. */
  private static boolean isTooLong(MemorySegment key) {
    return key.byteSize() > MAX_KEY;
  }

  @Override
  public void set(byte[] key, byte[] value) {
    set(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
  }

  @Override
  public void set(MemorySegment key, MemorySegment value) {
    checkOpen();
    WriteBatch.check("key", key.byteSize(), MAX_KEY);
    WriteBatch.check("value", value.byteSize(), MAX_VALUE);
    write(copy(key), copy(value));
  }

  /**
   * Writes a key.
   *
   * @param key is kept, and must not be changed
   * @param value the same; null to remove the entry
   */
  void write(byte[] key, byte @Nullable [] value) {
    seen.write(key, value, WRITE_BYTES + key.length + (value == null ? 0 : value.length));
  }

  @Override
  public byte @Nullable [] put(byte[] key, byte[] value) {
    byte[] before = get(key);
    set(key, value);
    return before;
  }

  @Override
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
    WriteBatch.check("value", value.length, MAX_VALUE);
    byte[] before = get(key);
    if (before == null) {
      set(key, value);
    }
    return before;
  }

  @Override
  public byte @Nullable [] remove(byte[] key) {
    byte[] before = get(key);
    removeIfShort(MemorySegment.ofArray(key));
    return before;
  }

  @Override
  public boolean delete(byte[] key) {
    return delete(MemorySegment.ofArray(key));
  }

  @Override
  public boolean delete(MemorySegment key) {
    boolean isThere = containsKey(key);
    removeIfShort(key);
    return isThere;
  }

  /** Removes a key, unless it is too long to be there. */
  private void removeIfShort(MemorySegment key) {
    if (!isTooLong(key)) {
      write(copy(key), null);
    }
  }

  @Override
  public void putAll(PackedBytes keys, PackedBytes values) {
    checkOpen();
    if (keys.count() != values.count()) {
      throw new IllegalArgumentException(
          "there are " + keys.count() + " keys, but " + values.count() + " values");
    }
    for (int i = 0; i < keys.count(); i++) {
      set(keys.get(i), values.get(i));
    }
  }

  @Override
  public void clear() {
    checkOpen();
    noteRange(FIRST, true, null, false);
    removeAll(FIRST, true, LAST, true);
  }

  @Override
  public long removeRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    checkOpen();
    if (Arrays.compareUnsigned(from, to) > 0) {
      return BytesIndex.super.removeRange(from, fromInclusive, to, toInclusive); // which refuses it
    }
    noteRange(from.clone(), fromInclusive, to.clone(), toInclusive);
    return removeAll(from, fromInclusive, to, toInclusive);
  }

  private long removeAll(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    TransactionBytesCursor cursor = cursorOfKeys();
    long removed = 0;
    boolean isThere = cursor.up(from, fromInclusive);
    while (isThere && isWithin(cursor.at(), to, toInclusive)) {
      write(cursor.at(), null);
      removed++;
      isThere = cursor.up(cursor.at(), false);
    }
    return removed;
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public void checkCodecs(CodecMarks given) {
    index.checkCodecs(given);
  }

  /** Tells whether the transaction is over. */
  @Override
  public boolean isClosed() {
    return transaction.isEnded();
  }

  /** Does nothing: the end of the transaction is the end of this. */
  @Override
  public void close() {}

  @Override
  public void flush() {
    throw refused("flush", "commit the transaction instead");
  }

  @Override
  public void bulkload(
      BytesEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    throw refused("bulkload", "load the index of the store");
  }

  @Override
  public void verify(ProgressListener listener) {
    throw refused("verify", "verify the index of the store");
  }

  @Override
  public NodeView rootView() {
    throw refused("rootView", "look at the index of the store");
  }

  @Override
  public IndexStatistics statistics() {
    throw refused("statistics", "ask the index of the store");
  }

  @Override
  public BytesIndex withReadWriteLock() {
    throw refused("withReadWriteLock", "a transaction is for one thread at a time");
  }

  @Override
  public BytesIndex withReadWriteLock(ReentrantReadWriteLock lock) {
    return withReadWriteLock();
  }

  private String name() {
    return seen.versions.name;
  }

  private UnsupportedOperationException refused(String call, String instead) {
    checkOpen();
    return new UnsupportedOperationException(
        "%s is not for index '%s' in a transaction; %s".formatted(call, name(), instead));
  }

  @Override
  public String toString() {
    return "index '" + name() + "' in a transaction";
  }
}
