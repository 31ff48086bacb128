// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.NavigableMap;

/**
 * An ordered index that owns off-heap memory: long keys in signed order, long values (a tuple id, a
 * handle, a number).
 *
 * <p><b>Threads.</b> Many threads may read at once, or one may write; the caller keeps readers and
 * writers apart, or wraps the index by {@link #withReadWriteLock()}. Misuse may give wrong answers
 * or an exception, but neither crashes nor runs for ever.
 *
 * <p><b>Closing.</b> {@link #close} frees the memory. Afterwards every call, on the index, its
 * views, cursors and maps, from any thread, throws {@link IllegalStateException}; but for {@link
 * #isClosed}, {@link #variant} and the making of adapters ({@link #asMap()}, {@link
 * #withReadWriteLock}), whose own calls then do.
 *
 * <p><b>Memory.</b> {@code get}, {@code put}, {@code set}, {@code remove}, {@code delete}, {@code
 * getAll} over arrays and the moves of a cursor allocate no Java objects and box nothing; {@code
 * putAll} and {@code getAll} over segments may allocate one or two small arrays per call.
 */
public interface LongIndex extends LongNavigable, AutoCloseable {

  /** Returns the catalogue entry of this index's class. */
  TreeVariant variant();

  /** Returns the number of entries without ever taking a pass; exact unless the class says so. */
  default long sizeEstimate() {
    return size();
  }

  /**
   * Looks up many keys: {@code values[i]} becomes the value of {@code keys[i]}, or {@link
   * #missingValue()}. Faster per key than {@link #get}, because the keys' cache misses overlap;
   * from about 16 keys on it pays, from about 64 on it gains no more. The keys are in any order and
   * may repeat. The arrays may be the same.
   *
   * <p>If it ends by an exception, {@code values} may hold anything.
   *
   * @throws IllegalArgumentException if the arrays differ in length
   */
  default void getAll(long[] keys, long[] values) {
    Arguments.checkEqualLengths(keys, values);
    getAll(keys, 0, values, 0, keys.length);
  }

  /**
   * Looks up {@code count} keys, as {@link #getAll(long[], long[])}.
   *
   * @param keys holds the keys, from {@code keysFrom} on
   * @param values takes the values, from {@code valuesFrom} on
   * @throws IndexOutOfBoundsException if either array is too short
   */
  default void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    batchLookup().getAll(keys, keysFrom, values, valuesFrom, count);
  }

  /**
   * Looks up many keys, as {@link #getAll(long[], long[])}, and tells a key whose value is {@link
   * #missingValue()} from one that is not there.
   *
   * @param found takes a bit for each key: bit {@code i % 64} of {@code found[i / 64]} is set if
   *     {@code keys[i]} is there; the other bits of these words are cleared. An array of its own
   * @return how many of the keys are there, each counted as often as it is asked for
   * @throws IllegalArgumentException if {@code keys} and {@code values} differ in length
   * @throws IndexOutOfBoundsException if {@code found} is too short
   */
  default int getAll(long[] keys, long[] values, long[] found) {
    Arguments.checkEqualLengths(keys, values);
    return getAll(keys, 0, values, 0, keys.length, found);
  }

  /**
   * Looks up {@code count} keys, as {@link #getAll(long[], long[], long[])}. The bits begin at 0,
   * wherever the keys do.
   *
   * @throws IndexOutOfBoundsException if an array is too short
   */
  default int getAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
    return batchLookup().getAll(keys, keysFrom, values, valuesFrom, count, found);
  }

  /**
   * Looks up keys that lie in native memory, as {@link #getAll(long[], long[])}.
   *
   * @param keys longs in native byte order
   * @param values takes the values; as many bytes as {@code keys}
   * @throws IllegalArgumentException if the segments differ in size, or the size is not a multiple
   *     of 8, or {@code values} can't be written
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
   * Stores {@code values[i]} for {@code keys[i]}, for every {@code i} in turn.
   *
   * @throws IllegalArgumentException if the arrays differ in length
   * @throws dev.espalier.memory.MemoryLimitException if the index may not grow further; the entries
   *     before the one that did not fit are stored
   */
  default void putAll(long[] keys, long[] values) {
    Arguments.checkEqualLengths(keys, values);
    putAll(keys, 0, values, 0, keys.length);
  }

  /**
   * Stores {@code count} entries, as {@link #putAll(long[], long[])}.
   *
   * @throws IndexOutOfBoundsException if either array is too short
   */
  void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count);

  /**
   * Fills this empty index from entries in strictly ascending key order, several times faster than
   * by {@link #put}. O(n).
   *
   * @param fillFactor how full to make the nodes, from 0.5 to 1; below 1 leaves room for inserts
   * @param total number of entries for the listener, or -1 if unknown
   * @throws IllegalStateException if the index is not empty
   * @throws IllegalArgumentException if the fill factor is out of range or a key is not above its
   *     predecessor; the index is then empty
   * @throws dev.espalier.memory.MemoryLimitException if the entries do not fit; the index is then
   *     empty
   * @throws java.util.concurrent.CancellationException if the listener cancels; the index is then
   *     empty
   */
  void bulkload(LongEntrySource entries, double fillFactor, long total, ProgressListener listener);

  /** Fills this empty index from two arrays, full nodes; otherwise as the general form. */
  default void bulkload(long[] keys, long[] values) {
    Arguments.checkEqualLengths(keys, values);
    bulkload(
        LongEntrySource.of(keys, values, keys.length), 1.0, keys.length, ProgressListener.NONE);
  }

  /** Returns a live {@link NavigableMap} over this index. */
  default NavigableMap<Long, Long> asMap() {
    return asMap(KeyCodec.ofLong(), ValueCodec.ofLong());
  }

  /**
   * Returns a live {@link NavigableMap} whose keys and values are stored as longs.
   *
   * @param keyCodec keeps the order of the keys
   */
  default <K, V> NavigableMap<K, V> asMap(KeyCodec<K> keyCodec, ValueCodec<V> valueCodec) {
    return new IndexMap<>(this, keyCodec, valueCodec);
  }

  @Override
  default long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return CursorRanges.count(this, from, fromInclusive, to, toInclusive);
  }

  @Override
  default long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return CursorRanges.remove(this, from, fromInclusive, to, toInclusive);
  }

  /**
   * Returns this index behind a read-write lock, for use by readers and writers at once. Every call
   * is atomic; cursors answer key and value as they were when they moved.
   */
  default LongIndex withReadWriteLock() {
    return new LockedIndex(this);
  }

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
   * Gives back memory that the entries no longer need: worth its time after large removals. All
   * entries are loaded into new memory beside the old, as compactly as {@link #bulkload} does it,
   * so for a while there are both; where the memory limit, or the system, does not allow that, or
   * nothing would be gained, the index stays as it was. So does an index in a file. Cursors go on.
   * O(n).
   *
   * @param listener must not write to this index
   * @return the bytes given back: those by which {@link IndexStatistics#committedBytes} went down
   * @throws java.util.concurrent.CancellationException if the listener cancels; the index is then
   *     as it was
   */
  long shrink(ProgressListener listener);

  /** Gives back memory, as {@link #shrink(ProgressListener)}. */
  default long shrink() {
    return shrink(ProgressListener.NONE);
  }

  /**
   * Checks every invariant of the structure, in one pass.
   *
   * @throws dev.espalier.inspect.InvariantViolationException naming the first invariant that does
   *     not hold, by its number in the class's source, and the place
   * @throws java.util.concurrent.CancellationException if the listener cancels
   */
  void verify(ProgressListener listener);

  /** Checks every invariant, as {@link #verify(ProgressListener)}. */
  default void verify() {
    verify(ProgressListener.NONE);
  }

  /**
   * Returns how this index looks up many keys. {@code dev.espalier.batch.BatchLookup.of(index)}
   * also tells what it chooses, why, and what the methods cost.
   *
   * @throws UnsupportedOperationException if this is an index behind a lock, which would not be
   *     held between two calls
   */
  LongBatchLookup batchLookup();

  /** Returns the root as a cold, readable view, for printers and statistics. */
  NodeView rootView();

  /** Returns height, nodes, fill and bytes. Takes a pass over the nodes. */
  IndexStatistics statistics();

  /**
   * Makes all entries safe from a crash of the machine if the index lives in a file; in memory it
   * does nothing.
   */
  default void flush() {
    Arguments.checkOpen(this);
  }

  /** Tells whether {@link #close} was called. */
  boolean isClosed();

  /** Frees the memory, after a {@link #flush}. A second call does nothing. */
  @Override
  void close();
}
