// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.CodecMarks;
import dev.espalier.ProgressListener;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * An index of byte strings with the codecs of its keys and values: nothing is encoded by hand.
 *
 * {@snippet :
 * try (TypedIndex<String, Integer> towns =
 *     PrefixBPlusTree.create().typed(BytesKeyCodec.ofString(), BytesValueCodec.ofInt())) {
 *   towns.set("Bern", 134_591);
 *   Integer people = towns.get("Bern");
 * }
 * }
 *
 * <p>It reads and writes through to the {@linkplain #index() index of byte strings}, whose rules
 * for threads, closing and errors it has; further methods of that index, such as {@code flush} and
 * {@code verify}, are called there. {@link #asMap} returns the same entries with all methods of
 * {@link NavigableMap}, views among them. Keys and values must not be null.
 *
 * <p>Costs are those of {@link BytesNavigable}, and what the codecs take.
 */
public final class TypedIndex<K, V> implements AutoCloseable {
  private final BytesIndex index;
  private final BytesKeyCodec<K> keyCodec;
  private final BytesValueCodec<V> valueCodec;

  TypedIndex(BytesIndex index, BytesKeyCodec<K> keyCodec, BytesValueCodec<V> valueCodec) {
    this.index = index;
    this.keyCodec = keyCodec;
    this.valueCodec = valueCodec;
  }

  /** Returns the marks of a pair of codecs. */
  public static CodecMarks marks(BytesKeyCodec<?> keyCodec, BytesValueCodec<?> valueCodec) {
    return new CodecMarks(
        Objects.requireNonNull(keyCodec, "keyCodec").mark(),
        Objects.requireNonNull(valueCodec, "valueCodec").mark());
  }

  // ---------------------------------------------------------------- single entries

  /**
   * Returns the value of a key, or null if there is none.
   *
   * @throws IllegalArgumentException if a codec can't store the key or read the value; applies to
   *     every method
   */
  public @Nullable V get(K key) {
    return valueOrNull(index.get(encodeKey(key)));
  }

  /** Returns whether there is an entry for a key. */
  public boolean containsKey(K key) {
    return index.containsKey(encodeKey(key));
  }

  /** Stores a value for a key. Throws the same exceptions as {@link BytesIndex#put}. */
  public void set(K key, V value) {
    index.set(encodeKey(key), encodeValue(value));
  }

  /** Stores a value for a key, as {@link #set} does, and returns the previous value, or null. */
  public @Nullable V put(K key, V value) {
    return valueOrNull(index.put(encodeKey(key), encodeValue(value)));
  }

  /**
   * Stores a value for a key, as {@link #set} does, unless the key has a value. Returns the
   * existing value, or null if there was none.
   */
  public @Nullable V putIfAbsent(K key, V value) {
    return valueOrNull(index.putIfAbsent(encodeKey(key), encodeValue(value)));
  }

  /** Removes a key and returns its value, or null if it had none. */
  public @Nullable V remove(K key) {
    return valueOrNull(index.remove(encodeKey(key)));
  }

  /** Removes a key. Returns whether there was an entry. */
  public boolean delete(K key) {
    return index.delete(encodeKey(key));
  }

  /** Returns the number of entries. */
  public long size() {
    return index.size();
  }

  // ---------------------------------------------------------------- batches

  /**
   * Looks up many keys at once, which is faster per key than {@link #get}.
   *
   * @return the value of each key, null where there is none
   */
  public List<@Nullable V> getAll(List<? extends K> keys) {
    byte[][] stored = new byte[keys.size()][];
    index.getAll(
        packed(keys),
        (i, piece, from, bytes, position, total) -> {
          if (position == 0) {
            stored[i] = new byte[(int) total];
          }
          MemorySegment.copy(
              piece, ValueLayout.JAVA_BYTE, from, stored[i], (int) position, (int) bytes);
        });
    List<@Nullable V> values = new ArrayList<>(stored.length);
    for (byte @Nullable [] value : stored) {
      values.add(valueOrNull(value));
    }
    return values;
  }

  private PackedBytes packed(List<? extends K> keys) {
    List<byte[]> encoded = new ArrayList<>(keys.size());
    for (K key : keys) {
      encoded.add(encodeKey(key));
    }
    return PackedBytes.of(encoded);
  }

  /**
   * Stores all entries of a map, in its order.
   *
   * @throws ArithmeticException if keys or values have more than 2^31 - 1 bytes in all
   * @throws dev.espalier.memory.MemoryLimitException if there is no room for an entry; the entries
   *     before it are stored
   */
  public void putAll(Map<? extends K, ? extends V> entries) {
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
      keys.add(encodeKey(entry.getKey()));
      values.add(encodeValue(entry.getValue()));
    }
    index.putAll(PackedBytes.of(keys), PackedBytes.of(values));
  }

  /**
   * Fills this empty index with entries whose keys ascend, with full pages. O(n).
   *
   * @throws IllegalStateException if the index is not empty
   * @throws IllegalArgumentException if a key is not greater than the key before it; the index is
   *     then empty
   * @throws dev.espalier.memory.MemoryLimitException if the entries do not fit; the index is then
   *     empty
   */
  public void bulkload(Iterable<? extends Map.Entry<? extends K, ? extends V>> entries) {
    index.bulkload(new Source<>(this, entries.iterator()), 1.0, -1, ProgressListener.NONE);
  }

  // ---------------------------------------------------------------- ranges

  /** Returns a new cursor, which is on no entry yet. */
  public TypedCursor<K, V> cursor() {
    return new TypedCursor<>(this, index.cursor());
  }

  /**
   * Returns the entries between two keys, in ascending order. They are read as the stream is
   * consumed; entries that are added or removed meanwhile may or may not appear.
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to}
   */
  public Stream<Map.Entry<K, V>> range(K from, boolean fromInclusive, K to, boolean toInclusive) {
    BytesNavigable view = index.subView(encodeKey(from), fromInclusive, encodeKey(to), toInclusive);
    return StreamSupport.stream(new Entries<>(new TypedCursor<>(this, view.cursor())), false);
  }

  /** Returns the number of entries between two keys, as {@link BytesNavigable#countRange} does. */
  public long countRange(K from, boolean fromInclusive, K to, boolean toInclusive) {
    return index.countRange(encodeKey(from), fromInclusive, encodeKey(to), toInclusive);
  }

  /** Removes all entries between two keys and returns how many there were. */
  public long removeRange(K from, boolean fromInclusive, K to, boolean toInclusive) {
    return index.removeRange(encodeKey(from), fromInclusive, encodeKey(to), toInclusive);
  }

  /** Returns a live map of the entries, as {@link BytesIndex#asMap} does. */
  public NavigableMap<K, V> asMap() {
    return index.asMap(keyCodec, valueCodec);
  }

  // ---------------------------------------------------------------- codecs

  /** Returns the index of byte strings that has the entries. */
  public BytesIndex index() {
    return index;
  }

  /** Returns the bytes that are stored for a key. */
  public byte[] encodeKey(K key) {
    return keyCodec.encode(Objects.requireNonNull(key, "key"));
  }

  /** Returns the bytes that are stored for a value. */
  public byte[] encodeValue(V value) {
    return valueCodec.encode(Objects.requireNonNull(value, "value"));
  }

  /** Returns the key for which some bytes are stored; the array is handed over. */
  public K decodeKey(byte[] stored) {
    return keyCodec.decode(stored);
  }

  /** Returns the value for which some bytes are stored; the array is handed over. */
  public V decodeValue(byte[] stored) {
    return valueCodec.decode(stored);
  }

  private @Nullable V valueOrNull(byte @Nullable [] stored) {
    return stored == null ? null : valueCodec.decode(stored);
  }

  /** Closes the index of byte strings. A second call does nothing. */
  @Override
  public void close() {
    index.close();
  }

  @Override
  public String toString() {
    return index.toString();
  }

  /** The entries of a range. */
  private static final class Entries<K, V>
      extends Spliterators.AbstractSpliterator<Map.Entry<K, V>> {
    private final TypedCursor<K, V> cursor;

    Entries(TypedCursor<K, V> cursor) {
      super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.NONNULL);
      this.cursor = cursor;
    }

    @Override
    public boolean tryAdvance(Consumer<? super Map.Entry<K, V>> action) {
      if (!cursor.next()) {
        return false;
      }
      action.accept(Map.entry(cursor.key(), cursor.value()));
      return true;
    }
  }

  /** Entries of the caller's, encoded one after the other. */
  private static final class Source<K, V> implements BytesEntrySource {
    private static final byte[] NONE = {};

    private final TypedIndex<K, V> index;
    private final Iterator<? extends Map.Entry<? extends K, ? extends V>> entries;
    private byte[] key = NONE;
    private byte[] value = NONE;

    Source(
        TypedIndex<K, V> index, Iterator<? extends Map.Entry<? extends K, ? extends V>> entries) {
      this.index = index;
      this.entries = entries;
    }

    @Override
    public boolean next() {
      if (!entries.hasNext()) {
        return false;
      }
      Map.Entry<? extends K, ? extends V> entry = entries.next();
      key = index.encodeKey(entry.getKey());
      value = index.encodeValue(entry.getValue());
      return true;
    }

    @Override
    public MemorySegment key() {
      return MemorySegment.ofArray(key);
    }

    @Override
    public void value(ValueReader reader) {
      reader.read(MemorySegment.ofArray(value).asReadOnly(), 0, value.length, 0, value.length);
    }

    @Override
    public long valueBytes() {
      return value.length;
    }
  }
}
