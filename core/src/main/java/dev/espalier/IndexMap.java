// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.map.NavigableKeys;
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
 * A {@link NavigableMap} over an index or view: keys and values pass through codecs, null is
 * refused.
 *
 * <p>Iterators are weakly consistent, like those of {@link
 * java.util.concurrent.ConcurrentSkipListMap}: they never throw because the map has changed, show
 * each entry that exists all the time exactly once, and may or may not show what is added or
 * removed meanwhile. {@code setValue} of their entries writes through; entries from all other
 * methods are immutable snapshots.
 *
 * <p>Behind a lock each method is safe for use by several threads, but those of {@link Map} that
 * read and then write (poll, compute, put of a map that holds the index's missing value) are
 * several calls of the index, and not atomic.
 */
final class IndexMap<K, V> extends AbstractMap<K, V> implements NavigableMap<K, V> {
  private final LongNavigable entries;
  private final KeyCodec<K> keyCodec;
  private final ValueCodec<V> valueCodec;
  private final boolean descending;

  IndexMap(LongIndex index, KeyCodec<K> keyCodec, ValueCodec<V> valueCodec) {
    this(
        index,
        Objects.requireNonNull(keyCodec, "keyCodec"),
        Objects.requireNonNull(valueCodec, "valueCodec"),
        false);
  }

  private IndexMap(
      LongNavigable entries, KeyCodec<K> keyCodec, ValueCodec<V> valueCodec, boolean descending) {
    this.entries = entries;
    this.keyCodec = keyCodec;
    this.valueCodec = valueCodec;
    this.descending = descending;
  }

  // Single entries

  @Override
  public @Nullable V get(Object key) {
    long stored = storedKey(key);
    long value = entries.get(stored);
    if (value != entries.missingValue()) {
      return valueCodec.decode(value);
    }
    if (!entries.containsKey(stored)) {
      return null;
    }
    // Only a cursor tells in one call that there is an entry, and its value.
    LongCursor cursor = entries.cursor();
    boolean found = cursor.ceiling(stored) && cursor.key() == stored;
    return found ? valueCodec.decode(cursor.value()) : null;
  }

  @Override
  public boolean containsKey(Object key) {
    return entries.containsKey(storedKey(key));
  }

  @Override
  public @Nullable V put(K key, V value) {
    long stored = storedKey(key);
    long newValue = storedValue(value);
    boolean holdsMissing = holdsMissingValue(stored);
    return previous(entries.put(stored, newValue), holdsMissing);
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    long stored = storedKey(key);
    long newValue = storedValue(value);
    boolean holdsMissing = holdsMissingValue(stored);
    return previous(entries.putIfAbsent(stored, newValue), holdsMissing);
  }

  @Override
  public @Nullable V remove(Object key) {
    long stored = storedKey(key);
    boolean holdsMissing = holdsMissingValue(stored);
    return previous(entries.remove(stored), holdsMissing);
  }

  /** Tells whether {@code key} has an entry and its value is the one that also means "absent". */
  private boolean holdsMissingValue(long key) {
    long missing = entries.missingValue();
    return entries.getOrDefault(key, ~missing) == missing;
  }

  private @Nullable V previous(long value, boolean heldMissing) {
    return value != entries.missingValue() || heldMissing ? valueCodec.decode(value) : null;
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
    LongCursor cursor = entries.cursor();
    return keyOrThrow(cursor, cursor.first());
  }

  @Override
  public K lastKey() {
    LongCursor cursor = entries.cursor();
    return keyOrThrow(cursor, cursor.last());
  }

  @Override
  public @Nullable K lowerKey(K key) {
    LongCursor cursor = entries.cursor();
    return keyOrNull(cursor, cursor.lower(storedKey(key)));
  }

  @Override
  public @Nullable K floorKey(K key) {
    LongCursor cursor = entries.cursor();
    return keyOrNull(cursor, cursor.floor(storedKey(key)));
  }

  @Override
  public @Nullable K ceilingKey(K key) {
    LongCursor cursor = entries.cursor();
    return keyOrNull(cursor, cursor.ceiling(storedKey(key)));
  }

  @Override
  public @Nullable K higherKey(K key) {
    LongCursor cursor = entries.cursor();
    return keyOrNull(cursor, cursor.higher(storedKey(key)));
  }

  @Override
  public @Nullable Entry<K, V> firstEntry() {
    LongCursor cursor = entries.cursor();
    return entryOrNull(cursor, cursor.first());
  }

  @Override
  public @Nullable Entry<K, V> lastEntry() {
    LongCursor cursor = entries.cursor();
    return entryOrNull(cursor, cursor.last());
  }

  @Override
  public @Nullable Entry<K, V> lowerEntry(K key) {
    LongCursor cursor = entries.cursor();
    return entryOrNull(cursor, cursor.lower(storedKey(key)));
  }

  @Override
  public @Nullable Entry<K, V> floorEntry(K key) {
    LongCursor cursor = entries.cursor();
    return entryOrNull(cursor, cursor.floor(storedKey(key)));
  }

  @Override
  public @Nullable Entry<K, V> ceilingEntry(K key) {
    LongCursor cursor = entries.cursor();
    return entryOrNull(cursor, cursor.ceiling(storedKey(key)));
  }

  @Override
  public @Nullable Entry<K, V> higherEntry(K key) {
    LongCursor cursor = entries.cursor();
    return entryOrNull(cursor, cursor.higher(storedKey(key)));
  }

  @Override
  public @Nullable Entry<K, V> pollFirstEntry() {
    LongCursor cursor = entries.cursor();
    return removedOrNull(cursor, cursor.first());
  }

  @Override
  public @Nullable Entry<K, V> pollLastEntry() {
    LongCursor cursor = entries.cursor();
    return removedOrNull(cursor, cursor.last());
  }

  private K keyOrThrow(LongCursor cursor, boolean found) {
    if (!found) {
      throw new NoSuchElementException("the map is empty");
    }
    return keyCodec.decode(cursor.key());
  }

  private @Nullable K keyOrNull(LongCursor cursor, boolean found) {
    return found ? keyCodec.decode(cursor.key()) : null;
  }

  private @Nullable Entry<K, V> entryOrNull(LongCursor cursor, boolean found) {
    return found ? snapshot(cursor) : null;
  }

  private @Nullable Entry<K, V> removedOrNull(LongCursor cursor, boolean found) {
    if (!found) {
      return null;
    }
    Entry<K, V> entry = snapshot(cursor);
    cursor.remove();
    return entry;
  }

  private Entry<K, V> snapshot(LongCursor cursor) {
    return Map.entry(keyCodec.decode(cursor.key()), valueCodec.decode(cursor.value()));
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
    return new IndexMap<>(entries.descendingView(), keyCodec, valueCodec, !descending);
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
    return new CursorIterator<>(entries, (key, value) -> keyCodec.decode(key));
  }

  private NavigableMap<K, V> over(LongNavigable part) {
    return new IndexMap<>(part, keyCodec, valueCodec, descending);
  }

  @SuppressWarnings("unchecked") // As in TreeMap, a key of another type is a ClassCastException.
  private long storedKey(Object key) {
    return keyCodec.encode((K) Objects.requireNonNull(key, "key"));
  }

  private long storedValue(V value) {
    return valueCodec.encode(Objects.requireNonNull(value, "value"));
  }

  /** An entry of an iterator, with the value it had when the iterator came by. */
  private final class WriteThroughEntry extends SimpleEntry<K, V> {
    private static final long serialVersionUID = 1;

    WriteThroughEntry(long key, long value) {
      super(keyCodec.decode(key), valueCodec.decode(value));
    }

    /**
     * Writes through.
     *
     * @throws IllegalStateException if the entry has been removed
     */
    @Override
    public V setValue(V value) {
      long newValue = storedValue(value);
      if (!IndexMap.this.containsKey(getKey())) {
        throw new IllegalStateException("the entry of key " + getKey() + " has been removed");
      }
      entries.set(storedKey(getKey()), newValue);
      return super.setValue(value);
    }
  }

  private final class EntrySet extends AbstractSet<Entry<K, V>> {
    @Override
    public Iterator<Entry<K, V>> iterator() {
      return new CursorIterator<>(entries, WriteThroughEntry::new);
    }

    @Override
    public Spliterator<Entry<K, V>> spliterator() {
      return Spliterators.spliteratorUnknownSize(
          iterator(), Spliterator.DISTINCT | Spliterator.ORDERED | Spliterator.NONNULL);
    }

    @Override
    public int size() {
      return IndexMap.this.size();
    }

    @Override
    public boolean isEmpty() {
      return IndexMap.this.isEmpty();
    }

    @Override
    public boolean contains(Object object) {
      return object instanceof Entry<?, ?> entry
          && entry.getValue() != null
          && entry.getValue().equals(IndexMap.this.get(entry.getKey()));
    }

    @Override
    public boolean remove(Object object) {
      return object instanceof Entry<?, ?> entry
          && IndexMap.this.remove(entry.getKey(), entry.getValue());
    }

    @Override
    public void clear() {
      IndexMap.this.clear();
    }
  }

  private final class Values extends AbstractCollection<V> {
    @Override
    public Iterator<V> iterator() {
      return new CursorIterator<>(entries, (key, value) -> valueCodec.decode(value));
    }

    @Override
    public Spliterator<V> spliterator() {
      return Spliterators.spliteratorUnknownSize(
          iterator(), Spliterator.ORDERED | Spliterator.NONNULL);
    }

    @Override
    public int size() {
      return IndexMap.this.size();
    }

    @Override
    public boolean isEmpty() {
      return IndexMap.this.isEmpty();
    }

    @Override
    public void clear() {
      IndexMap.this.clear();
    }
  }
}
