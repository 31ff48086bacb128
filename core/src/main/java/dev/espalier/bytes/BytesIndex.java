// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.CodecMarks;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import java.util.NavigableMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * An ordered index outside the Java heap whose keys and values are byte strings: keys of 0 to
 * 65,535 bytes in unsigned byte order, values of 0 bytes to 1 GiB.
 *
 * <p>Any number of threads may use an index in a file, or a {@link
 * dev.espalier.prefix.ConcurrentPrefixBPlusTree} in memory. Of others, any number may read at the
 * same time, or one may write; {@link #withReadWriteLock} returns an index that ensures this.
 *
 * <p>{@link #close} frees the memory. Afterwards every method of the index, its views, cursors and
 * maps throws {@link IllegalStateException}, in any thread, except {@link #isClosed}, {@link
 * #asMap}, {@link #typed}, {@link #checkCodecs} and {@link #withReadWriteLock}.
 */
public interface BytesIndex extends BytesNavigable, AutoCloseable {

  /** Length of the longest key, in bytes. */
  int MAX_KEY = 65_535;

  /** Length of the longest value, in bytes. */
  int MAX_VALUE = 1 << 30;

  /**
   * Looks up many keys, and shows the values of those that are present. Faster per key than {@link
   * #get}, because the cache misses of several keys overlap.
   *
   * @return the number of keys present; a repeated key counts each time
   */
  int getAll(PackedBytes keys, BatchReader reader);

  /**
   * Stores value {@code i} for key {@code i}, for each {@code i} in ascending order.
   *
   * @throws IllegalArgumentException if the batches differ in count, or an entry is too long
   * @throws dev.espalier.memory.MemoryLimitException if there is no room for an entry; the entries
   *     before it are stored
   */
  void putAll(PackedBytes keys, PackedBytes values);

  /**
   * Fills this empty index with entries in strictly ascending key order. O(n).
   *
   * @param fillFactor how full to make the pages, from 0.5 to 1
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
  void bulkload(BytesEntrySource entries, double fillFactor, long total, ProgressListener listener);

  /**
   * Returns a live {@link NavigableMap} over this index, which reads and writes through to it. The
   * map refuses null, and is in the order of the key codec. Its {@code size} is at most {@link
   * Integer#MAX_VALUE}; its iterators never throw because the map has changed.
   *
   * @param keyCodec how keys are stored
   * @param valueCodec how values are stored
   * @throws IllegalArgumentException if this index was made with other codecs, and remembers them
   */
  default <K, V> NavigableMap<K, V> asMap(
      BytesKeyCodec<K> keyCodec, BytesValueCodec<V> valueCodec) {
    checkCodecs(TypedIndex.marks(keyCodec, valueCodec));
    return new BytesMap<>(this, keyCodec, valueCodec);
  }

  /**
   * Returns this index with codecs, so that nothing needs to be encoded by hand. Closing it closes
   * this index.
   *
   * @throws IllegalArgumentException as {@link #asMap} does
   */
  default <K, V> TypedIndex<K, V> typed(BytesKeyCodec<K> keyCodec, BytesValueCodec<V> valueCodec) {
    checkCodecs(TypedIndex.marks(keyCodec, valueCodec));
    return new TypedIndex<>(this, keyCodec, valueCodec);
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
  default long countRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    return BytesView.all(this).countRange(from, fromInclusive, to, toInclusive);
  }

  @Override
  default long removeRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    return BytesView.all(this).removeEach(from, fromInclusive, to, toInclusive);
  }

  @Override
  default BytesNavigable subView(
      byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    return BytesView.all(this).subView(from, fromInclusive, to, toInclusive);
  }

  @Override
  default BytesNavigable headView(byte[] to, boolean inclusive) {
    return BytesView.all(this).headView(to, inclusive);
  }

  @Override
  default BytesNavigable tailView(byte[] from, boolean inclusive) {
    return BytesView.all(this).tailView(from, inclusive);
  }

  @Override
  default BytesNavigable prefixView(byte[] prefix) {
    return BytesView.all(this).prefixView(prefix);
  }

  @Override
  default BytesNavigable descendingView() {
    return BytesView.all(this).descendingView();
  }

  /**
   * Checks every invariant of the structure. O(n).
   *
   * @throws dev.espalier.inspect.InvariantViolationException if an invariant does not hold
   * @throws java.util.concurrent.CancellationException if the listener cancels
   */
  void verify(ProgressListener listener);

  /** Checks every invariant, as {@link #verify(ProgressListener)} does. */
  default void verify() {
    verify(ProgressListener.NONE);
  }

  /**
   * Returns this index for use by many threads: each method holds a read-write lock, which all
   * readers share. Use only the returned index from then on. Each of its cursors is for one thread,
   * and sees what other threads write between two of its moves.
   *
   * <p>Readers of values and listeners are called with the lock held: a write to the index from one
   * of them is refused with {@link IllegalStateException}.
   */
  default BytesIndex withReadWriteLock() {
    return withReadWriteLock(new ReentrantReadWriteLock());
  }

  /**
   * Returns this index behind a lock of the caller's, as {@link #withReadWriteLock()} does. Whoever
   * holds the write lock keeps all others out over several calls.
   */
  default BytesIndex withReadWriteLock(ReentrantReadWriteLock lock) {
    return new LockedBytesIndex(this, lock);
  }

  /**
   * Waits until everything written so far is safe from a crash, if the index is in a file;
   * otherwise does nothing.
   */
  void flush();

  /** Returns a view of the root, for printers and statistics; not for fast loops. */
  NodeView rootView();

  /**
   * Returns the height, the numbers of pages, how full they are, and how many bytes they take.
   * Visits all pages, O(n).
   */
  IndexStatistics statistics();

  /** Returns whether {@link #close} was called. */
  boolean isClosed();

  /** Frees the memory. A second call does nothing. */
  @Override
  void close();
}
