// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.CodecMarks;
import dev.espalier.LongBatchLookup;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.io.IndexVersions.Version;
import dev.espalier.io.Seen.Write;
import dev.espalier.io.Transactions.Place;
import dev.espalier.node.Bits;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * An index as a transaction sees it: what was committed when the transaction began, and its own
 * writes, which nobody else sees.
 */
final class TransactionIndex implements LongIndex, Transaction.Part {
  /** Bytes of memory of a write. */
  private static final int WRITE_BYTES = 120;

  private final Transaction transaction;
  private final Transactions transactions;
  private final StoreIndex index;
  private final Seen<Long, Long> seen;
  private final boolean notesKeys;
  private final boolean notesRanges;
  private final boolean readsTreeFirst;

  private final ReadRanges read = new ReadRanges();
  private final long[] answer = new long[1];

  TransactionIndex(Transaction transaction, Transactions transactions, StoreIndex index) {
    this.transaction = transaction;
    this.transactions = transactions;
    this.index = index;
    this.seen = new Seen<>(transaction, transactions.of(index), new TreeMap<>());
    boolean notes = transaction.isolation() == Isolation.SERIALIZABLE;
    this.notesKeys = notes && transactions.keeps(Rule.KEYS_READ_ARE_CHECKED);
    this.notesRanges = notes && transactions.keeps(Rule.RANGES_READ_ARE_CHECKED);
    this.readsTreeFirst = transactions.keeps(Rule.TREES_ARE_READ_BEFORE_VERSIONS);
  }

  // ---------------------------------------------------------------- for the cursor

  void checkOpen() {
    transaction.checkOpen();
  }

  /** To be called when something was read, before it is used: the versions may have gone. */
  void checkAlive() {
    transaction.checkAlive();
  }

  /** Returns room for a value. */
  long[] answer() {
    return answer;
  }

  /** Notes that a range was read, both ends included. */
  void noteRange(long from, long to) {
    if (notesRanges) {
      read.add(from, to);
    }
  }

  private void noteKey(long key) {
    if (notesKeys) {
      read.add(key, key);
    }
  }

  /** Returns what others have changed, and this transaction has written. */
  Seen<Long, Long> seen() {
    return seen;
  }

  /**
   * Tells whether a key has an entry, whatever the tree has.
   *
   * @param value receives the value
   */
  boolean findAny(long key, long[] value) {
    Write<Long> own = seen.hasWrites() ? seen.own(key) : null;
    if (own != null) {
      return take(own.value, value);
    }
    if (!readsTreeFirst) {
      Version<Long, Long> version = seen.version(key);
      transactions.reach(Place.HALF_READ);
      boolean isThere = index.find(key, value);
      return version == null ? isThere : take(version.before, value);
    }
    boolean isThere = index.find(key, value);
    transactions.reach(Place.HALF_READ);
    Version<Long, Long> version = seen.isChanged() ? seen.version(key) : null;
    return version == null ? isThere : take(version.before, value);
  }

  /**
   * Tells whether a key has an entry that was just read from the tree.
   *
   * @param value has the value that was read, and receives the one that counts
   */
  boolean isThere(long key, long[] value) {
    Write<Long> own = seen.hasWrites() ? seen.own(key) : null;
    if (own != null) {
      return take(own.value, value);
    }
    transactions.reach(Place.HALF_READ);
    Version<Long, Long> version = seen.isChanged() ? seen.version(key) : null;
    return version == null || take(version.before, value);
  }

  private static boolean take(@Nullable Long found, long[] value) {
    value[0] = found == null ? 0 : found;
    return found != null;
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
    long[] keys = new long[Math.min(seen.writeCount(), 1 << 12)];
    int count = 0;
    for (long key : seen.keys()) {
      if (count == keys.length) {
        break;
      }
      keys[count++] = key;
    }
    index.getAll(keys, 0, keys, 0, count);
  }

  @Override
  public void checkUnchanged() {
    if (!seen.isChanged()) {
      return;
    }
    if (transactions.keeps(Rule.KEYS_WRITTEN_ARE_CHECKED)) {
      check("written", seen.changedOwn());
    }
    read.forEach(
        (from, to) ->
            check("read", from.equals(to) ? seen.changedOf(from) : seen.changedOf(from, to, true)));
  }

  private void check(String what, @Nullable Long changed) {
    if (changed != null) {
      throw new TransactionConflictException(name(), changed, what);
    }
  }

  // ---------------------------------------------------------------- read

  @Override
  public boolean find(long key, long[] value) {
    checkOpen();
    noteKey(key);
    boolean isThere = findAny(key, value);
    checkAlive();
    return isThere;
  }

  @Override
  public long get(long key) {
    return find(key, answer) ? answer[0] : missingValue();
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return find(key, answer) ? answer[0] : defaultValue;
  }

  @Override
  public boolean containsKey(long key) {
    return find(key, answer);
  }

  @Override
  public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    checkOpen();
    Objects.requireNonNull(keys, "keys");
    Objects.checkFromIndexSize(keysFrom, count, keys.length);
    getAll(keys, keysFrom, values, valuesFrom, count, new long[Bits.words(count)]);
  }

  @Override
  public int getAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
    checkOpen();
    Objects.requireNonNull(keys, "keys");
    Objects.checkFromIndexSize(keysFrom, count, keys.length);
    long[] asked = new long[count]; // The values may come in place of the keys.
    System.arraycopy(keys, keysFrom, asked, 0, count);
    int total = index.getAll(keys, keysFrom, values, valuesFrom, count, found);
    boolean isPlain = seen.isTree();
    for (int i = 0; i < count; i++) {
      noteKey(asked[i]);
      if (isPlain) {
        continue;
      }
      long bit = 1L << i;
      boolean wasFound = (found[i >>> 6] & bit) != 0;
      answer[0] = values[valuesFrom + i];
      boolean isThere = wasFound ? isThere(asked[i], answer) : findAny(asked[i], answer);
      values[valuesFrom + i] = isThere ? answer[0] : missingValue();
      if (isThere != wasFound) {
        found[i >>> 6] ^= bit;
        total += isThere ? 1 : -1;
      }
    }
    checkAlive();
    return total;
  }

  @Override
  public LongBatchLookup batchLookup() {
    checkOpen();
    return new LongBatchLookup() {
      @Override
      public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
        TransactionIndex.this.getAll(keys, keysFrom, values, valuesFrom, count);
      }

      @Override
      public int getAll(
          long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
        return TransactionIndex.this.getAll(keys, keysFrom, values, valuesFrom, count, found);
      }
    };
  }

  @Override
  public LongCursor cursor() {
    checkOpen();
    return newCursor();
  }

  private TransactionCursor newCursor() {
    return new TransactionCursor(this, index.cursor());
  }

  @Override
  public long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    checkRange(from, to);
    noteRange(from, to);
    TransactionCursor cursor = newCursor();
    long count = 0;
    boolean isThere = cursor.up(from, fromInclusive);
    while (isThere && (cursor.key() < to || (toInclusive && cursor.key() == to))) {
      count++;
      isThere = cursor.up(cursor.key(), false);
    }
    return count;
  }

  private void checkRange(long from, long to) {
    checkOpen();
    if (from > to) {
      throw new IllegalArgumentException("from is " + from + ", which is greater than to, " + to);
    }
  }

  /** Counts the entries if this transaction or somebody else has written since it began. */
  @Override
  public long size() {
    checkOpen();
    if (!seen.hasWrites()) {
      long size = index.size();
      boolean isOfThen = !seen.isChanged();
      checkAlive();
      if (isOfThen) {
        noteRange(Long.MIN_VALUE, Long.MAX_VALUE);
        return size;
      }
    }
    return countRange(Long.MIN_VALUE, true, Long.MAX_VALUE, true);
  }

  /** Returns about how many entries the index of the store has by now. */
  @Override
  public long sizeEstimate() {
    checkOpen();
    return index.sizeEstimate();
  }

  @Override
  public boolean isEmpty() {
    return !cursor().first();
  }

  // ---------------------------------------------------------------- write

  @Override
  public void set(long key, long value) {
    seen.write(key, value, WRITE_BYTES);
  }

  @Override
  public void delete(long key) {
    seen.write(key, null, WRITE_BYTES);
  }

  @Override
  public long put(long key, long value) {
    long before = get(key);
    set(key, value);
    return before;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    if (find(key, answer)) {
      return answer[0];
    }
    set(key, value);
    return missingValue();
  }

  @Override
  public long remove(long key) {
    long before = get(key);
    delete(key);
    return before;
  }

  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    checkOpen();
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    Objects.checkFromIndexSize(keysFrom, count, keys.length);
    Objects.checkFromIndexSize(valuesFrom, count, values.length);
    for (int i = 0; i < count; i++) {
      set(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  @Override
  public void clear() {
    removeRange(Long.MIN_VALUE, true, Long.MAX_VALUE, true);
  }

  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    checkRange(from, to);
    noteRange(from, to);
    TransactionCursor cursor = newCursor();
    long removed = 0;
    boolean isThere = cursor.up(from, fromInclusive);
    while (isThere && (cursor.key() < to || (toInclusive && cursor.key() == to))) {
      delete(cursor.key());
      removed++;
      isThere = cursor.up(cursor.key(), false);
    }
    return removed;
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public TreeVariant variant() {
    return index.variant();
  }

  @Override
  public long missingValue() {
    checkOpen();
    return index.missingValue();
  }

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
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    throw refused("bulkload", "load the index of the store");
  }

  @Override
  public long shrink(ProgressListener listener) {
    throw refused("shrink", "use IndexStore.shrink");
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
  public LongIndex withReadWriteLock() {
    throw refused("withReadWriteLock", "a transaction is for one thread at a time");
  }

  @Override
  public LongIndex withReadWriteLock(ReentrantReadWriteLock lock) {
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
