// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.tuple.TupleReader;
import dev.espalier.tuple.TupleWriter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Keys with any number of ids each, as an index of rows by a column that is not unique has them.
 * Two rows may have the same key, and a row may have several keys.
 *
 * {@snippet :
 * BytesIndex entries = PrefixBPlusTree.create();
 * SecondaryIndex<String> byCity = SecondaryIndex.over(entries, BytesKeyCodec.ofString());
 * byCity.add("Zurich", 4711);
 * byCity.add("Zurich", 17);
 * byCity.ids("Zurich"); // 17, 4711
 * }
 *
 * <p>Each key and id is one entry of a {@link BytesIndex}, whose key is the tuple of both and whose
 * value is empty. So all ids of a key lie together, in ascending order, and keys are in the order
 * of their codec. The entries are for this class alone, and for batches that write to them with
 * others. To close or verify them is up to whoever made them.
 *
 * <p>An entry takes the bytes of its key, one more for each byte that is 0, and 3 to 11 for the id
 * and the ends of the parts. It may have {@link BytesIndex#MAX_KEY} in all. Threads may use this as
 * they may use the entries. Every method throws {@link IllegalStateException} once these are
 * closed.
 *
 * <p>Costs are given for a tree of {@code n} entries whose pages have {@code B} children.
 */
public final class SecondaryIndex<K> {
  private static final byte[] NO_VALUE = {};

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
   * Returns a secondary index that keeps its entries in {@code entries}, which is empty, or was
   * filled by one with the same codec.
   */
  public static <K> SecondaryIndex<K> over(BytesIndex entries, BytesKeyCodec<K> codec) {
    return new SecondaryIndex<>(entries, codec);
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
   * Removes an id from a key. O(log_B n).
   *
   * @return whether the key had it
   */
  public boolean remove(K key, long id) {
    return entries.delete(entry(key, id));
  }

  /**
   * Returns the ids of a key, in ascending order. They are read as the stream is; ids that are
   * added or removed meanwhile may or may not come. O(log_B n + ids).
   */
  public LongStream ids(K key) {
    int idAt = start(key).size();
    BytesCursor cursor = between(key, true, key, true).cursor();
    return StreamSupport.longStream(new Ids(cursor, idAt), false);
  }

  /** Returns a cursor that looks up many keys, one after the other. */
  public IdCursor idCursor() {
    return new IdCursor(entries.cursor());
  }

  /** Returns the number of ids of a key. O(log_B n + ids). */
  public long count(K key) {
    return countRange(key, true, key, true);
  }

  /**
   * Returns the keys between two, each with each of its ids, in ascending order of the keys and
   * then of the ids. They are read as the stream is, as by {@link #ids}. O(log_B n + entries).
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to}
   */
  public Stream<Entry<K>> range(K from, boolean fromInclusive, K to, boolean toInclusive) {
    BytesCursor cursor = between(from, fromInclusive, to, toInclusive).cursor();
    return StreamSupport.stream(new Entries(cursor), false);
  }

  /**
   * Returns the number of entries whose keys lie between two. O(log_B n + entries).
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to}
   */
  public long countRange(K from, boolean fromInclusive, K to, boolean toInclusive) {
    return between(from, fromInclusive, to, toInclusive).size();
  }

  /** Returns the index that has the entries. */
  public BytesIndex entries() {
    return entries;
  }

  /**
   * Returns the key of the entry for a key and an id, whose value is empty: for those who write to
   * several indexes at once.
   *
   * @throws IllegalArgumentException if the codec can't store the key
   */
  public byte[] entry(K key, long id) {
    return start(key).add(id).toBytes();
  }

  /** Begins an entry: with all that its key gives. */
  private TupleWriter start(K key) {
    return new TupleWriter().add(codec.encode(Objects.requireNonNull(key, "key")));
  }

  /**
   * Returns the entries of the keys between two. An exclusive end is at the least or greatest id of
   * its key: what begins with the bytes of a key might belong to a longer one.
   */
  private BytesNavigable between(K from, boolean fromInclusive, K to, boolean toInclusive) {
    byte[] first = entry(from, fromInclusive ? Long.MIN_VALUE : Long.MAX_VALUE);
    byte[] last = entry(to, toInclusive ? Long.MAX_VALUE : Long.MIN_VALUE);
    boolean isNothing =
        !fromInclusive && !toInclusive && Arrays.equals(last, entry(from, Long.MIN_VALUE));
    return entries.subView(isNothing ? last : first, fromInclusive, last, toInclusive);
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
      byte[] key = (byte[]) Objects.requireNonNull(entry.next());
      action.accept(new Entry<>(codec.decode(key), entry.nextLong()));
      return true;
    }
  }
}
