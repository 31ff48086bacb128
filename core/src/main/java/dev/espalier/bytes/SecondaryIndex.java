// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.CodecMarks;
import dev.espalier.ProgressListener;
import dev.espalier.tuple.TupleReader;
import dev.espalier.tuple.TupleWriter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Keys with any number of ids each, as needed to index rows by a column that is not unique. Two
 * rows may have the same key, and a row may have several keys.
 *
 * {@snippet :
 * BytesIndex entries = PrefixBPlusTree.create();
 * SecondaryIndex<String> byCity = SecondaryIndex.over(entries, BytesKeyCodec.ofString());
 * byCity.add("Zurich", 4711);
 * byCity.add("Zurich", 17);
 * byCity.ids("Zurich"); // 17, 4711
 * }
 *
 * <p>Each pair of a key and an id is one entry of a {@link BytesIndex}. The entry's key is the
 * tuple of both, and its value is empty. So all ids of a key lie together, in ascending order, and
 * keys are in the order of their codec. The entries are for this class alone, and for batches that
 * write to them together with other indexes. Closing and verifying them is up to whoever created
 * them.
 *
 * <p>An entry takes the bytes of its key, one more for each byte that is 0, and 3 to 11 for the id
 * and the ends of the parts. It may take up to {@link BytesIndex#MAX_KEY} bytes in all. The rules
 * for threads are those of the entries. Every method throws {@link IllegalStateException} once the
 * entries are closed.
 *
 * <p>Costs are given for a tree of {@code n} entries whose pages have {@code B} children.
 */
public final class SecondaryIndex<K> {
  private static final byte[] NO_VALUE = {};
  private static final MemorySegment EMPTY = MemorySegment.ofArray(NO_VALUE);

  private final BytesIndex entries;
  private final BytesKeyCodec<K> codec;

  private SecondaryIndex(BytesIndex entries, BytesKeyCodec<K> codec) {
    this.entries = Objects.requireNonNull(entries, "entries");
    this.codec = Objects.requireNonNull(codec, "codec");
  }

  /**
   * A key and one of its ids.
   *
   * @param key the key
   * @param id the id
   */
  public record Entry<K>(K key, long id) {}

  /**
   * Returns a secondary index that keeps its entries in {@code entries}, which must be empty, or
   * must have been filled by a secondary index with the same codec. O(log_B n): it looks at the
   * first entry.
   *
   * @throws IllegalArgumentException if the index has other entries than those of a secondary index
   *     with this codec, as far as its first entry tells, or was made with another codec, and
   *     remembers it
   */
  public static <K> SecondaryIndex<K> over(BytesIndex entries, BytesKeyCodec<K> codec) {
    SecondaryIndex<K> index = new SecondaryIndex<>(entries, codec);
    entries.checkCodecs(marks(codec));
    index.checkFirstEntry();
    return index;
  }

  /** Returns the marks by which an index remembers that it has such entries. */
  public static CodecMarks marks(BytesKeyCodec<?> codec) {
    return new CodecMarks(Objects.requireNonNull(codec, "codec").mark(), "ids");
  }

  private void checkFirstEntry() {
    BytesCursor cursor = entries.cursor();
    if (!cursor.first()) {
      return;
    }
    boolean isKeyAndId = cursor.valueBytes() == 0;
    RuntimeException cause = null;
    try {
      TupleReader entry = new TupleReader(cursor.keyArray());
      codec.decode(entry.nextBytes());
      entry.nextLong();
      isKeyAndId &= !entry.hasNext();
    } catch (IllegalArgumentException | NoSuchElementException refused) {
      isKeyAndId = false;
      cause = refused;
    }
    if (!isKeyAndId) {
      throw new IllegalArgumentException(
          entries + " is no secondary index with this codec: its first entry is no key with an id",
          cause);
    }
  }

  /**
   * Adds an id to a key. O(log_B n).
   *
   * @return whether the key did not have it before
   * @throws dev.espalier.memory.MemoryLimitException if there is no room for the entry; nothing has
   *     changed then
   * @throws IllegalArgumentException if the codec can't store the key, or the entry is too long
   */
  public boolean add(K key, long id) {
    return entries.putIfAbsent(entry(key, id), NO_VALUE) == null;
  }

  /**
   * Fills this empty index with keys, each with an id, in ascending order of the keys and then of
   * the ids, several times faster than {@link #add}. Pairs in any order can be sorted first: a
   * {@link dev.espalier.sort.BytesSorter} takes the {@link #entry entry} of each, with an empty
   * value, and {@code entries().bulkload} what it has sorted. O(n).
   *
   * @param pairs the keys and ids
   * @param fillFactor how full to make the pages, from 0.5 to 1
   * @param total number of pairs, to be reported to the listener, or -1 if unknown
   * @param listener told of the progress; may cancel
   * @throws IllegalStateException if the index is not empty
   * @throws IllegalArgumentException if the fill factor is out of range, a pair does not come after
   *     the pair before it, the codec can't store a key, or an entry is too long; the index is then
   *     empty
   * @throws dev.espalier.memory.MemoryLimitException if the entries do not fit; the index is then
   *     empty
   * @throws java.util.concurrent.CancellationException if the listener cancels; the index is then
   *     empty
   */
  public void bulkload(
      Iterator<Entry<K>> pairs, double fillFactor, long total, ProgressListener listener) {
    Objects.requireNonNull(pairs, "pairs");
    entries.bulkload(new Pairs(pairs), fillFactor, total, listener);
  }

  /**
   * Removes an id from a key. O(log_B n).
   *
   * @return whether the key had it
   */
  public boolean remove(K key, long id) {
    return entries.delete(entry(key, id));
  }

  /**
   * Returns the ids of a key, in ascending order. They are read as the stream is consumed; ids that
   * are added or removed meanwhile may or may not appear. O(log_B n + ids).
   */
  public LongStream ids(K key) {
    int idAt = start(key).size();
    BytesCursor cursor = between(key, true, key, true).cursor();
    return StreamSupport.longStream(new Ids(BytesView.forKeys(cursor), idAt), false);
  }

  /** Returns a cursor that looks up many keys, one after the other. */
  public IdCursor idCursor() {
    return new IdCursor(BytesView.forKeys(entries.cursor()));
  }

  /** Returns the number of ids of a key. O(log_B n + ids). */
  public long count(K key) {
    return countRange(key, true, key, true);
  }

  /**
   * Returns the keys between two keys, paired with each of their ids, in ascending order of the
   * keys and then of the ids. They are read as the stream is consumed, as by {@link #ids}. O(log_B
   * n + entries).
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to}
   */
  public Stream<Entry<K>> range(K from, boolean fromInclusive, K to, boolean toInclusive) {
    BytesCursor cursor = between(from, fromInclusive, to, toInclusive).cursor();
    return StreamSupport.stream(new Entries(BytesView.forKeys(cursor)), false);
  }

  /**
   * Returns the number of entries whose keys lie between two keys. O(log_B n + entries).
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to}
   */
  public long countRange(K from, boolean fromInclusive, K to, boolean toInclusive) {
    return between(from, fromInclusive, to, toInclusive).size();
  }

  /** Returns the index that holds the entries. */
  public BytesIndex entries() {
    return entries;
  }

  /**
   * Returns the key of the entry for a key and an id, for callers that write to several indexes at
   * once. The value of the entry is empty.
   *
   * @throws IllegalArgumentException if the codec can't store the key
   */
  public byte[] entry(K key, long id) {
    return start(key).add(id).toBytes();
  }

  /** Begins an entry with the part that comes from its key. */
  private TupleWriter start(K key) {
    return new TupleWriter().add(codec.encode(Objects.requireNonNull(key, "key")));
  }

  /**
   * Returns the entries of the keys between two keys. An exclusive end is at the least or greatest
   * id of its key: an entry that begins with the bytes of a key might belong to a longer key.
   */
  private BytesNavigable between(K from, boolean fromInclusive, K to, boolean toInclusive) {
    byte[] first = entry(from, fromInclusive ? Long.MIN_VALUE : Long.MAX_VALUE);
    byte[] last = entry(to, toInclusive ? Long.MAX_VALUE : Long.MIN_VALUE);
    boolean isNothing =
        !fromInclusive && !toInclusive && Arrays.equals(last, entry(from, Long.MIN_VALUE));
    return entries.subView(isNothing ? last : first, fromInclusive, last, toInclusive);
  }

  /** Pairs as entries, for a bulkload. */
  private final class Pairs implements BytesEntrySource {
    private final Iterator<Entry<K>> pairs;
    private MemorySegment entry = MemorySegment.NULL;

    Pairs(Iterator<Entry<K>> pairs) {
      this.pairs = pairs;
    }

    @Override
    public boolean next() {
      if (!pairs.hasNext()) {
        return false;
      }
      Entry<K> pair = pairs.next();
      entry = MemorySegment.ofArray(entry(pair.key(), pair.id()));
      return true;
    }

    @Override
    public MemorySegment key() {
      return entry;
    }

    @Override
    public void value(ValueReader reader) {
      reader.read(EMPTY, 0, 0, 0, 0);
    }

    @Override
    public long valueBytes() {
      return 0;
    }
  }

  /** The ids of one key. */
  private static final class Ids extends Spliterators.AbstractLongSpliterator {
    private final BytesCursor cursor;

    /** Where the id begins in the entries. */
    private final int idAt;

    Ids(BytesCursor cursor, int idAt) {
      super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.NONNULL);
      this.cursor = cursor;
      this.idAt = idAt;
    }

    @Override
    public boolean tryAdvance(LongConsumer action) {
      if (!cursor.next()) {
        return false;
      }
      MemorySegment key = cursor.key();
      action.accept(new TupleReader(key.asSlice(idAt)).nextLong());
      return true;
    }
  }

  /** The entries of several keys. */
  private final class Entries extends Spliterators.AbstractSpliterator<Entry<K>> {
    private final BytesCursor cursor;

    Entries(BytesCursor cursor) {
      super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.NONNULL);
      this.cursor = cursor;
    }

    @Override
    public boolean tryAdvance(Consumer<? super Entry<K>> action) {
      if (!cursor.next()) {
        return false;
      }
      TupleReader entry = new TupleReader(cursor.keyArray());
      byte[] key = entry.nextBytes();
      action.accept(new Entry<>(codec.decode(key), entry.nextLong()));
      return true;
    }
  }
}
