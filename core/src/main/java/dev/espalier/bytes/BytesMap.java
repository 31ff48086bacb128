// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.map.NavigableKeys;
import java.lang.foreign.MemorySegment;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import org.jspecify.annotations.Nullable;

/**
 * A {@link NavigableMap} over an index or view. Keys and values pass through codecs; null is
 * refused.
 *
 * <p>Iterators are weakly consistent, like those of {@link
 * java.util.concurrent.ConcurrentSkipListMap}: they never throw because the map has changed, show
 * each entry that exists throughout the iteration exactly once, and may or may not show entries
 * that are added or removed meanwhile. {@code setValue} of their entries writes through; entries
 * from all other methods are immutable snapshots.
 */
final class BytesMap<K, V> extends AbstractMap<K, V> implements NavigableMap<K, V> {
  private final BytesNavigable entries;
  private final BytesKeyCodec<K> keyCodec;
  private final BytesValueCodec<V> valueCodec;
  private final boolean descending;

  BytesMap(BytesIndex index, BytesKeyCodec<K> keyCodec, BytesValueCodec<V> valueCodec) {
    this(
        index,
        Objects.requireNonNull(keyCodec, "keyCodec"),
        Objects.requireNonNull(valueCodec, "valueCodec"),
        false);
  }

  private BytesMap(
      BytesNavigable entries,
      BytesKeyCodec<K> keyCodec,
      BytesValueCodec<V> valueCodec,
      boolean descending) {
    this.entries = entries;
    this.keyCodec = keyCodec;
    this.valueCodec = valueCodec;
    this.descending = descending;
  }

  // Single entries

  @Override
  public @Nullable V get(Object key) {
    return valueOrNull(entries.get(storedKey(key)));
  }

  @Override
  public boolean containsKey(Object key) {
    return entries.containsKey(storedKey(key));
  }

  @Override
  public @Nullable V put(K key, V value) {
    return valueOrNull(entries.put(storedKey(key), storedValue(value)));
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    return valueOrNull(entries.putIfAbsent(storedKey(key), storedValue(value)));
  }

  @Override
  public @Nullable V remove(Object key) {
    return valueOrNull(entries.remove(storedKey(key)));
  }

  private @Nullable V valueOrNull(byte @Nullable [] stored) {
    return stored == null ? null : valueCodec.decode(stored);
  }

  // The whole map

  @Override
  public int size() {
    return (int) Math.min(entries.size(), Integer.MAX_VALUE);
  }

  @Override
  public boolean isEmpty() {
    return entries.isEmpty();
  }

  @Override
  public void clear() {
    entries.clear();
  }

  @Override
  public @Nullable Comparator<? super K> comparator() {
    return descending ? Collections.reverseOrder(keyCodec.comparator()) : keyCodec.comparator();
  }

  // Neighbours

  @Override
  public K firstKey() {
    BytesCursor cursor = keyCursor();
    return keyOrThrow(cursor, cursor.first());
  }

  @Override
  public K lastKey() {
    BytesCursor cursor = keyCursor();
    return keyOrThrow(cursor, cursor.last());
  }

  @Override
  public @Nullable K lowerKey(K key) {
    BytesCursor cursor = keyCursor();
    return keyOrNull(cursor, cursor.lower(sought(key)));
  }

  @Override
  public @Nullable K floorKey(K key) {
    BytesCursor cursor = keyCursor();
    return keyOrNull(cursor, cursor.floor(sought(key)));
  }

  @Override
  public @Nullable K ceilingKey(K key) {
    BytesCursor cursor = keyCursor();
    return keyOrNull(cursor, cursor.ceiling(sought(key)));
  }

  @Override
  public @Nullable K higherKey(K key) {
    BytesCursor cursor = keyCursor();
    return keyOrNull(cursor, cursor.higher(sought(key)));
  }

  @Override
  public @Nullable Entry<K, V> firstEntry() {
    BytesCursor cursor = entryCursor();
    return entryOrNull(cursor, cursor.first());
  }

  @Override
  public @Nullable Entry<K, V> lastEntry() {
    BytesCursor cursor = entryCursor();
    return entryOrNull(cursor, cursor.last());
  }

  @Override
  public @Nullable Entry<K, V> lowerEntry(K key) {
    BytesCursor cursor = entryCursor();
    return entryOrNull(cursor, cursor.lower(sought(key)));
  }

  @Override
  public @Nullable Entry<K, V> floorEntry(K key) {
    BytesCursor cursor = entryCursor();
    return entryOrNull(cursor, cursor.floor(sought(key)));
  }

  @Override
  public @Nullable Entry<K, V> ceilingEntry(K key) {
    BytesCursor cursor = entryCursor();
    return entryOrNull(cursor, cursor.ceiling(sought(key)));
  }

  @Override
  public @Nullable Entry<K, V> higherEntry(K key) {
    BytesCursor cursor = entryCursor();
    return entryOrNull(cursor, cursor.higher(sought(key)));
  }

  @Override
  public @Nullable Entry<K, V> pollFirstEntry() {
    return entryOrNull(TakenEntry.take(entries, BytesCursor::first));
  }

  @Override
  public @Nullable Entry<K, V> pollLastEntry() {
    return entryOrNull(TakenEntry.take(entries, BytesCursor::last));
  }

  private BytesCursor keyCursor() {
    return BytesView.forKeys(entries.cursor());
  }

  private BytesCursor entryCursor() {
    BytesCursor cursor = entries.cursor();
    cursor.expectValues(BytesCursor.Expected.ALL);
    return cursor;
  }

  private K keyOrThrow(BytesCursor cursor, boolean found) {
    if (!found) {
      throw new NoSuchElementException("the map is empty");
    }
    return keyCodec.decode(cursor.keyArray());
  }

  private @Nullable K keyOrNull(BytesCursor cursor, boolean found) {
    return found ? keyCodec.decode(cursor.keyArray()) : null;
  }

  private @Nullable Entry<K, V> entryOrNull(BytesCursor cursor, boolean found) {
    return found ? snapshot(cursor) : null;
  }

  private @Nullable Entry<K, V> entryOrNull(@Nullable TakenEntry taken) {
    return taken == null
        ? null
        : Map.entry(keyCodec.decode(taken.keyBytes), valueCodec.decode(taken.bytes));
  }

  private Entry<K, V> snapshot(BytesCursor cursor) {
    return Map.entry(keyCodec.decode(cursor.keyArray()), valueCodec.decode(cursor.valueArray()));
  }

  // Views

  @Override
  public NavigableMap<K, V> subMap(K from, boolean fromInclusive, K to, boolean toInclusive) {
    return over(entries.subView(storedKey(from), fromInclusive, storedKey(to), toInclusive));
  }

  @Override
  public NavigableMap<K, V> headMap(K to, boolean inclusive) {
    return over(entries.headView(storedKey(to), inclusive));
  }

  @Override
  public NavigableMap<K, V> tailMap(K from, boolean inclusive) {
    return over(entries.tailView(storedKey(from), inclusive));
  }

  @Override
  public NavigableMap<K, V> subMap(K from, K to) {
    return subMap(from, true, to, false);
  }

  @Override
  public NavigableMap<K, V> headMap(K to) {
    return headMap(to, false);
  }

  @Override
  public NavigableMap<K, V> tailMap(K from) {
    return tailMap(from, true);
  }

  @Override
  public NavigableMap<K, V> descendingMap() {
    return new BytesMap<>(entries.descendingView(), keyCodec, valueCodec, !descending);
  }

  @Override
  public NavigableSet<K> keySet() {
    return navigableKeySet();
  }

  @Override
  public NavigableSet<K> navigableKeySet() {
    return new NavigableKeys<>(this, this::keyIterator);
  }

  @Override
  public NavigableSet<K> descendingKeySet() {
    return descendingMap().navigableKeySet();
  }

  @Override
  public Collection<V> values() {
    return new Values();
  }

  @Override
  public Set<Entry<K, V>> entrySet() {
    return new EntrySet();
  }

  private Iterator<K> keyIterator() {
    return new BytesIterator<>(entries, keyCursor(), cursor -> keyCodec.decode(cursor.keyArray()));
  }

  private NavigableMap<K, V> over(BytesNavigable part) {
    return new BytesMap<>(part, keyCodec, valueCodec, descending);
  }

  @SuppressWarnings("unchecked") // As in TreeMap, a key of another type is a ClassCastException.
  private byte[] storedKey(Object key) {
    return keyCodec.encode((K) Objects.requireNonNull(key, "key"));
  }

  private MemorySegment sought(K key) {
    return MemorySegment.ofArray(storedKey(key));
  }

  private byte[] storedValue(V value) {
    return valueCodec.encode(Objects.requireNonNull(value, "value"));
  }

  /** An entry of an iterator, with the value it had when the iterator reached it. */
  private final class WriteThroughEntry extends SimpleEntry<K, V> {
    private static final long serialVersionUID = 1;

    WriteThroughEntry(BytesCursor cursor) {
      super(keyCodec.decode(cursor.keyArray()), valueCodec.decode(cursor.valueArray()));
    }

    /**
     * Writes through.
     *
     * @throws IllegalStateException if the entry has been removed
     */
    @Override
    public V setValue(V value) {
      MemorySegment newValue = MemorySegment.ofArray(storedValue(value));
      MemorySegment key = sought(getKey());
      BytesCursor cursor = keyCursor();
      if (!cursor.ceiling(key) || cursor.key().mismatch(key) >= 0) {
        throw new IllegalStateException("the entry of key " + getKey() + " has been removed");
      }
      cursor.setValue(newValue);
      return super.setValue(value);
    }
  }

  private final class EntrySet extends AbstractSet<Entry<K, V>> {
    @Override
    public Iterator<Entry<K, V>> iterator() {
      return new BytesIterator<>(entries, entryCursor(), WriteThroughEntry::new);
    }

    @Override
    public Spliterator<Entry<K, V>> spliterator() {
      return Spliterators.spliteratorUnknownSize(
          iterator(), Spliterator.DISTINCT | Spliterator.ORDERED | Spliterator.NONNULL);
    }

    @Override
    public int size() {
      return BytesMap.this.size();
    }

    @Override
    public boolean isEmpty() {
      return BytesMap.this.isEmpty();
    }

    @Override
    public boolean contains(Object object) {
      return object instanceof Entry<?, ?> entry
          && entry.getValue() != null
          && entry.getValue().equals(BytesMap.this.get(entry.getKey()));
    }

    @Override
    public boolean remove(Object object) {
      return object instanceof Entry<?, ?> entry
          && BytesMap.this.remove(entry.getKey(), entry.getValue());
    }

    @Override
    public void clear() {
      BytesMap.this.clear();
    }
  }

  private final class Values extends AbstractCollection<V> {
    @Override
    public Iterator<V> iterator() {
      return new BytesIterator<>(
          entries, entryCursor(), cursor -> valueCodec.decode(cursor.valueArray()));
    }

    @Override
    public Spliterator<V> spliterator() {
      return Spliterators.spliteratorUnknownSize(
          iterator(), Spliterator.ORDERED | Spliterator.NONNULL);
    }

    @Override
    public int size() {
      return BytesMap.this.size();
    }

    @Override
    public boolean isEmpty() {
      return BytesMap.this.isEmpty();
    }

    @Override
    public void clear() {
      BytesMap.this.clear();
    }
  }
}
