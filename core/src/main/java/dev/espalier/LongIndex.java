// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.NavigableMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * An ordered index outside the Java heap: long keys in signed order, each with a long value (a row
 * id, a handle, a number).
 *
 * <p>Create one in memory with {@link dev.espalier.family.Indexes#create()}, or in a file with
 * {@code dev.espalier.io.Espalier.open(path)}; {@code dev.espalier.io.IndexStore} keeps several in
 * one file. Close it after use.
 *
 * <p><b>Threads.</b> A {@link ConcurrentLongIndex} takes any number of readers and writers at once:
 * what {@code Indexes.create()} makes, which is a {@link
 * dev.espalier.concurrent.ConcurrentPbPlusTree}, every index in a file, {@link
 * dev.espalier.blink.BLinkTree}, {@link dev.espalier.blink.FpbLinkTree}, {@link
 * dev.espalier.pio.PioBTree} and {@link PartitionedIndex}. In any other index many threads may read
 * at the same time, or one may write. Either the caller keeps readers and writers apart, or {@link
 * #withReadWriteLock()} does. Misuse may lead to wrong answers or exceptions, but not to a crash of
 * the JVM or an endless loop.
 *
 * <p><b>Closing.</b> {@link #close} frees the memory. Afterwards every method of the index, its
 * views, cursors and maps throws {@link IllegalStateException}, in any thread. The exceptions are
 * {@link #isClosed}, {@link #variant}, {@link #checkCodecs}, {@link #asMap()} and {@link
 * #withReadWriteLock}; what the last two return throws once it is used.
 *
 * <p><b>Memory.</b> {@code get}, {@code put}, {@code set}, {@code remove}, {@code delete}, {@code
 * getAll} of fewer than 4096 keys from one array into another, and the moves of a cursor allocate
 * no Java objects; {@code putAll}, larger batches, and {@code getAll} over segments may allocate
 * arrays. {@code floor} and the other methods that find one neighbour allocate nothing in a {@code
 * PbPlusTree}, {@code ConcurrentPbPlusTree}, {@code FpbLinkTree}, {@code CssTree} and {@code
 * DiskFirstFpbPlusTree}; other trees make a cursor for each call.
 */
public interface LongIndex extends LongNavigable, AutoCloseable {

  /** Returns the description of the tree that this index is. */
  TreeVariant variant();

  /**
   * Returns the number of entries without counting them, O(1). Exact unless the class documents
   * otherwise.
   */
  default long sizeEstimate() {
    return size();
  }

  /**
   * Looks up many keys: {@code values[i]} becomes the value of {@code keys[i]}, or {@link
   * #missingValue()}. This is faster per key than {@link #get}, because the cache misses of several
   * keys overlap; it is worthwhile from about 16 keys. Keys may be in any order and may repeat. The
   * two arrays may be the same.
   *
   * <p>If the call throws, the contents of {@code values} are undefined.
   *
   * @throws IllegalArgumentException if the arrays differ in length
   */
  default void getAll(long[] keys, long[] values) {
    Arguments.checkEqualLengths(keys, values);
    getAll(keys, 0, values, 0, keys.length);
  }

  /**
   * Looks up {@code count} keys, as {@link #getAll(long[], long[])} does.
   *
   * @param keys the keys, from index {@code keysFrom}
   * @param values receives the values, from index {@code valuesFrom}
   * @throws IndexOutOfBoundsException if either array is too short
   */
  default void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    batchLookup().getAll(keys, keysFrom, values, valuesFrom, count);
  }

  /**
   * Looks up many keys, as {@link #getAll(long[], long[])} does, and reports which of them are
   * present: this tells an absent key from one whose value is {@link #missingValue()}.
   *
   * @param found receives a bit for each key: bit {@code i % 64} of {@code found[i / 64]} is set if
   *     {@code keys[i]} is present; the other bits of these words are cleared. Must not be {@code
   *     keys} or {@code values}
   * @return the number of keys present; a repeated key counts each time
   * @throws IllegalArgumentException if {@code keys} and {@code values} differ in length
   * @throws IndexOutOfBoundsException if {@code found} is too short
   */
  default int getAll(long[] keys, long[] values, long[] found) {
    Arguments.checkEqualLengths(keys, values);
    return getAll(keys, 0, values, 0, keys.length, found);
  }

  /**
   * Looks up {@code count} keys, as {@link #getAll(long[], long[], long[])} does. Bit 0 stands for
   * the first key looked up, {@code keys[keysFrom]}.
   *
   * @throws IndexOutOfBoundsException if an array is too short
   */
  default int getAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
    return batchLookup().getAll(keys, keysFrom, values, valuesFrom, count, found);
  }

  /**
   * Looks up keys held in memory segments, as {@link #getAll(long[], long[])} does.
   *
   * @param keys longs in native byte order
   * @param values receives the values, as longs in native byte order; of the same size as {@code
   *     keys}
   * @throws IllegalArgumentException if the segments differ in size, their size is not a multiple
   *     of 8 bytes, or {@code values} is read-only
   */
  default void getAll(MemorySegment keys, MemorySegment values) {
    Arguments.checkSegments(keys, values);
    Arguments.checkOpen(this);
    int most = (int) Math.min(keys.byteSize() / Long.BYTES, 1 << 20); // 16 MiB of arrays
    long[] group = new long[most];
    long[] answers = new long[most];
    for (long offset = 0; offset < keys.byteSize(); offset += (long) most * Long.BYTES) {
      int count = (int) Math.min(most, (keys.byteSize() - offset) / Long.BYTES);
      MemorySegment.copy(keys, ValueLayout.JAVA_LONG_UNALIGNED, offset, group, 0, count);
      getAll(group, 0, answers, 0, count);
      MemorySegment.copy(answers, 0, values, ValueLayout.JAVA_LONG_UNALIGNED, offset, count);
    }
  }

  /**
   * Stores {@code values[i]} for {@code keys[i]}, for each {@code i} in ascending order.
   *
   * @throws IllegalArgumentException if the arrays differ in length
   * @throws dev.espalier.memory.MemoryLimitException if there is no room for an entry; the entries
   *     before it are stored
   */
  default void putAll(long[] keys, long[] values) {
    Arguments.checkEqualLengths(keys, values);
    putAll(keys, 0, values, 0, keys.length);
  }

  /**
   * Stores {@code count} entries, as {@link #putAll(long[], long[])} does.
   *
   * @throws IndexOutOfBoundsException if either array is too short
   */
  void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count);

  /**
   * Fills this empty index with entries in strictly ascending key order, several times faster than
   * {@link #put}. O(n).
   *
   * @param fillFactor how full to make the nodes, from 0.5 to 1; less than 1 leaves room for
   *     inserts
   * @param total number of entries, to be reported to the listener, or -1 if unknown
   * @param listener told of the progress; may cancel
   * @throws IllegalStateException if the index is not empty
   * @throws IllegalArgumentException if the fill factor is out of range, or a key is not greater
   *     than the key before it; the index is then empty
   * @throws dev.espalier.memory.MemoryLimitException if the entries do not fit; the index is then
   *     empty
   * @throws java.util.concurrent.CancellationException if the listener cancels; the index is then
   *     empty
   */
  void bulkload(LongEntrySource entries, double fillFactor, long total, ProgressListener listener);

  /**
   * Fills this empty index from two arrays, with full nodes, which is best if it is then read, or
   * goes on with greater keys. If keys between these are put next, give {@link
   * #bulkload(LongEntrySource, double, long, ProgressListener)} a fill factor of 0.8: in full nodes
   * the first of them split almost every node. Throws the same exceptions as that method.
   */
  default void bulkload(long[] keys, long[] values) {
    Arguments.checkEqualLengths(keys, values);
    bulkload(
        LongEntrySource.of(keys, values, keys.length), 1.0, keys.length, ProgressListener.NONE);
  }

  /**
   * Returns a live {@link NavigableMap} over the longs in this index, whatever they stand for; in
   * all else as {@link #asMap(KeyCodec, ValueCodec)} does.
   */
  default NavigableMap<Long, Long> asMap() {
    return new IndexMap<>(this, KeyCodec.ofLong(), ValueCodec.ofLong());
  }

  /**
   * Returns a live {@link NavigableMap} whose keys and values are stored as longs in this index.
   *
   * <p>The map refuses null. Its iterators are weakly consistent, like those of {@link
   * java.util.concurrent.ConcurrentSkipListMap}: changes to the index do not make them throw, and
   * they may or may not show them. {@code setValue} of their entries writes through; all other
   * entries are immutable snapshots.
   *
   * <p>If several threads may write this index, as behind {@link #withReadWriteLock}, each method
   * of the map for one entry takes effect at one moment, as those of {@link
   * java.util.concurrent.ConcurrentMap} do: {@code putIfAbsent}, {@code replace}, {@code
   * remove(key, value)}, {@code compute}, {@code merge}, {@code pollFirstEntry} and so on. The
   * functions given to them run without a lock, and are called again if another thread has changed
   * the entry meanwhile.
   *
   * @param keyCodec converts keys to longs, keeping their order
   * @param valueCodec converts values to longs
   * @throws IllegalArgumentException if this index was made with other codecs, and remembers them
   */
  default <K, V> NavigableMap<K, V> asMap(KeyCodec<K> keyCodec, ValueCodec<V> valueCodec) {
    checkCodecs(CodecMarks.of(keyCodec, valueCodec));
    return new IndexMap<>(this, keyCodec, valueCodec);
  }

  /**
   * Checks that codecs may be used with this index: that it was not made with others, as far as it
   * remembers them.
   *
   * @param given the marks of the codecs
   * @throws IllegalArgumentException if it was made with others; the message names them
   */
  default void checkCodecs(CodecMarks given) {}

  @Override
  default long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return CursorRanges.count(this, from, fromInclusive, to, toInclusive);
  }

  @Override
  default long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return CursorRanges.remove(this, from, fromInclusive, to, toInclusive);
  }

  /**
   * Returns this index behind a read-write lock, for concurrent readers and writers. Each call is
   * atomic. Cursors return key and value as they were when the cursor last moved.
   *
   * <p>In an index that {@linkplain #allowsTornReads allows torn reads}, {@link #get}, {@link
   * #getOrDefault}, {@link #containsKey} and {@link #find} do not take the lock unless writers
   * disturb them again and again, so they write nothing that other threads read. Nor do steps of
   * cursors within a run. All other calls take it.
   *
   * <p>An index in a file has a lock within if it needs one, and returns itself. So does the index
   * of {@link dev.espalier.family.Indexes#create()}, which needs none.
   */
  default LongIndex withReadWriteLock() {
    return new LockedIndex(this);
  }

  /**
   * Returns this index behind a lock of the caller's, as {@link #withReadWriteLock()} does. Whoever
   * holds the write lock keeps all others out over several calls, except for lookups that take no
   * lock: those may see what is written between two of these calls.
   */
  default LongIndex withReadWriteLock(ReentrantReadWriteLock lock) {
    return new LockedIndex(this, lock);
  }

  /**
   * Returns whether a lookup of one key ends soon even if another thread writes meanwhile. The
   * lookup may then return any answer or throw any exception, but leaves nothing behind. This is so
   * in all indexes of this library that are in memory and not in a file, as far as they know their
   * memory.
   */
  default boolean allowsTornReads() {
    return false;
  }

  /**
   * Announces that from now on, lookups will run at the same time as writes, if that is {@linkplain
   * #allowsTornReads allowed}. An index that grows then frees no memory that a lookup may be
   * reading: it keeps what it has outgrown until it is closed.
   */
  default void expectTornReads() {}

  @Override
  default LongNavigable subView(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return IndexView.all(this).subView(from, fromInclusive, to, toInclusive);
  }

  @Override
  default LongNavigable headView(long to, boolean inclusive) {
    return IndexView.all(this).headView(to, inclusive);
  }

  @Override
  default LongNavigable tailView(long from, boolean inclusive) {
    return IndexView.all(this).tailView(from, inclusive);
  }

  @Override
  default LongNavigable descendingView() {
    return IndexView.all(this).descendingView();
  }

  /**
   * Frees memory that the entries no longer need, for use after large removals. Copies all entries
   * into new memory, as compactly as {@link #bulkload}, before it frees the old. Does nothing if
   * the memory limit or the system leaves no room for the copy, if nothing would be gained, or if
   * the index lives in a file. Open cursors stay valid. O(n).
   *
   * @param listener told of the progress; may cancel, and must not write to this index
   * @return by how many bytes {@link IndexStatistics#committedBytes} went down
   * @throws java.util.concurrent.CancellationException if the listener cancels; the index is then
   *     unchanged
   */
  long shrink(ProgressListener listener);

  /** Frees memory that the entries no longer need, as {@link #shrink(ProgressListener)} does. */
  default long shrink() {
    return shrink(ProgressListener.NONE);
  }

  /**
   * Checks every invariant of the structure, in one pass over all nodes. O(n).
   *
   * @param listener told of the progress; may cancel
   * @throws dev.espalier.inspect.InvariantViolationException if an invariant does not hold; the
   *     message names the first such invariant, by its number in the source, and the place
   * @throws java.util.concurrent.CancellationException if the listener cancels
   */
  void verify(ProgressListener listener);

  /** Checks every invariant, as {@link #verify(ProgressListener)} does. */
  default void verify() {
    verify(ProgressListener.NONE);
  }

  /**
   * Returns the batch lookup that {@code getAll} uses. {@link dev.espalier.batch.BatchLookup#of}
   * returns it in a form that also lets you choose the method and see what each would cost.
   *
   * @throws UnsupportedOperationException if this index is one in memory behind a lock: the lock
   *     could not be held from one call to the next
   */
  LongBatchLookup batchLookup();

  /** Returns a view of the root, for printers and statistics; not for fast loops. */
  NodeView rootView();

  /**
   * Returns the height, the numbers of nodes, how full they are, and how many bytes they take.
   * Visits all nodes, O(n).
   */
  IndexStatistics statistics();

  /**
   * Makes all changes so far safe from a crash of the program or the machine, if the index lives in
   * a file; does nothing for an index in memory. After a crash, the index has everything that was
   * written up to some moment after the last flush, in order.
   */
  default void flush() {
    Arguments.checkOpen(this);
  }

  /** Returns whether {@link #close} was called. */
  boolean isClosed();

  /** Flushes as {@link #flush} does, then frees the memory. A second call does nothing. */
  @Override
  void close();
}
