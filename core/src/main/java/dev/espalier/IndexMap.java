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
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.BiFunction;
import java.util.function.Function;
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
 *
 * <p>Over an index that several threads may write, each method for one entry takes effect at one
 * moment. It reads the entry, and writes only if the entry is still the same; otherwise it starts
 * over. No lock is held while a user's function runs.
 */
class IndexMap<K, V> extends AbstractMap<K, V> implements NavigableMap<K, V> {
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

  IndexMap(
      LongNavigable entries, KeyCodec<K> keyCodec, ValueCodec<V> valueCodec, boolean descending) {
    this.entries = entries;
    this.keyCodec = keyCodec;
    this.valueCodec = valueCodec;
    this.descending = descending;
  }

  // Single entries

  @Override
  public @Nullable V get(Object key) {
    return decoded(find(storedKey(key)));
  }

  @Override
  public boolean containsKey(Object key) {
    return entries.containsKey(storedKey(key));
  }

  @Override
  public @Nullable V put(K key, V value) {
    long stored = storedKey(key);
    long newValue = storedValue(value);
    while (true) {
      Long before = find(stored);
      if (exchange(stored, before, newValue)) {
        return decoded(before);
      }
    }
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    long stored = storedKey(key);
    long newValue = storedValue(value);
    while (true) {
      Long before = find(stored);
      if (before != null || entries.insert(stored, newValue)) {
        return decoded(before);
      }
    }
  }

  @Override
  public @Nullable V remove(Object key) {
    long stored = storedKey(key);
    while (true) {
      Long before = find(stored);
      if (before == null || entries.remove(stored, before)) {
        return decoded(before);
      }
    }
  }

  @Override
  public boolean remove(Object key, @Nullable Object value) {
    long stored = storedKey(key);
    while (true) {
      Long before = find(stored);
      if (before == null || !valueCodec.decode(before).equals(value)) {
        return false;
      }
      if (entries.remove(stored, before)) {
        return true;
      }
    }
  }

  @Override
  public @Nullable V replace(K key, V value) {
    long stored = storedKey(key);
    long newValue = storedValue(value);
    while (true) {
      Long before = find(stored);
      if (before == null || entries.replace(stored, before, newValue)) {
        return decoded(before);
      }
    }
  }

  @Override
  public boolean replace(K key, V oldValue, V newValue) {
    long stored = storedKey(key);
    Objects.requireNonNull(oldValue, "oldValue");
    long storedNew = storedValue(newValue);
    while (true) {
      Long before = find(stored);
      if (before == null || !valueCodec.decode(before).equals(oldValue)) {
        return false;
      }
      if (entries.replace(stored, before, storedNew)) {
        return true;
      }
    }
  }

  // Functions of an entry: called without a lock, and once more if the entry has changed meanwhile.

  @Override
  public @Nullable V computeIfAbsent(
      K key, Function<? super K, ? extends @Nullable V> mappingFunction) {
    Objects.requireNonNull(mappingFunction, "mappingFunction");
    V present = get(key);
    if (present != null) {
      return present;
    }
    V value = mappingFunction.apply(key);
    if (value == null) {
      return null;
    }
    V earlier = putIfAbsent(key, value);
    return earlier == null ? value : earlier;
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> remappingFunction) {
    Objects.requireNonNull(remappingFunction, "remappingFunction");
    long stored = storedKey(key);
    while (true) {
      Long before = find(stored);
      if (before == null) {
        return null;
      }
      V value = remappingFunction.apply(key, valueCodec.decode(before));
      if (store(stored, before, value)) {
        return value;
      }
    }
  }

  @Override
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> remappingFunction) {
    Objects.requireNonNull(remappingFunction, "remappingFunction");
    long stored = storedKey(key);
    while (true) {
      Long before = find(stored);
      V value = remappingFunction.apply(key, decoded(before));
      if (store(stored, before, value)) {
        return value;
      }
    }
  }

  @Override
  public @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> remappingFunction) {
    Objects.requireNonNull(remappingFunction, "remappingFunction");
    long stored = storedKey(key);
    Objects.requireNonNull(value, "value");
    while (true) {
      Long before = find(stored);
      V merged = before == null ? value : remappingFunction.apply(valueCodec.decode(before), value);
      if (store(stored, before, merged)) {
        return merged;
      }
    }
  }

  @Override
  public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
    Objects.requireNonNull(function, "function");
    LongCursor cursor = entries.cursor();
    while (cursor.next()) {
      K key = keyCodec.decode(cursor.key());
      computeIfPresent(key, (_, value) -> Objects.requireNonNull(function.apply(key, value)));
    }
  }

  /** Returns what is stored for a key, or null. */
  private @Nullable Long find(long key) {
    long[] value = new long[1];
    return entries.find(key, value) ? value[0] : null;
  }

  /**
   * Stores a value, or removes the entry if the value is null, unless the entry has changed since
   * it was found.
   */
  private boolean store(long key, @Nullable Long before, @Nullable V value) {
    if (value != null) {
      return exchange(key, before, valueCodec.encode(value));
    }
    return before == null || entries.remove(key, before);
  }

  private boolean exchange(long key, @Nullable Long before, long value) {
    return before == null ? entries.insert(key, value) : entries.replace(key, before, value);
  }

  private @Nullable V decoded(@Nullable Long stored) {
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
    return keyCodec.decode(entries.firstKey());
  }

  @Override
  public K lastKey() {
    return keyCodec.decode(entries.lastKey());
  }

  @Override
  public @Nullable K lowerKey(K key) {
    LongEntry found = new LongEntry();
    return keyOrNull(found, entries.lower(storedKey(key), found));
  }

  @Override
  public @Nullable K floorKey(K key) {
    LongEntry found = new LongEntry();
    return keyOrNull(found, entries.floor(storedKey(key), found));
  }

  @Override
  public @Nullable K ceilingKey(K key) {
    LongEntry found = new LongEntry();
    return keyOrNull(found, entries.ceiling(storedKey(key), found));
  }

  @Override
  public @Nullable K higherKey(K key) {
    LongEntry found = new LongEntry();
    return keyOrNull(found, entries.higher(storedKey(key), found));
  }

  @Override
  public @Nullable Entry<K, V> firstEntry() {
    LongEntry found = new LongEntry();
    return entryOrNull(found, entries.first(found));
  }

  @Override
  public @Nullable Entry<K, V> lastEntry() {
    LongEntry found = new LongEntry();
    return entryOrNull(found, entries.last(found));
  }

  @Override
  public @Nullable Entry<K, V> lowerEntry(K key) {
    LongEntry found = new LongEntry();
    return entryOrNull(found, entries.lower(storedKey(key), found));
  }

  @Override
  public @Nullable Entry<K, V> floorEntry(K key) {
    LongEntry found = new LongEntry();
    return entryOrNull(found, entries.floor(storedKey(key), found));
  }

  @Override
  public @Nullable Entry<K, V> ceilingEntry(K key) {
    LongEntry found = new LongEntry();
    return entryOrNull(found, entries.ceiling(storedKey(key), found));
  }

  @Override
  public @Nullable Entry<K, V> higherEntry(K key) {
    LongEntry found = new LongEntry();
    return entryOrNull(found, entries.higher(storedKey(key), found));
  }

  @Override
  public @Nullable Entry<K, V> pollFirstEntry() {
    LongEntry found = new LongEntry();
    return entryOrNull(found, entries.pollFirst(found));
  }

  @Override
  public @Nullable Entry<K, V> pollLastEntry() {
    LongEntry found = new LongEntry();
    return entryOrNull(found, entries.pollLast(found));
  }

  private @Nullable K keyOrNull(LongEntry found, boolean isThere) {
    return isThere ? keyCodec.decode(found.key()) : null;
  }

  private @Nullable Entry<K, V> entryOrNull(LongEntry found, boolean isThere) {
    return isThere
        ? Map.entry(keyCodec.decode(found.key()), valueCodec.decode(found.value()))
        : null;
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
    return over(entries.descendingView(), keyCodec, valueCodec, !descending);
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

  private IndexMap<K, V> over(LongNavigable part) {
    return over(part, keyCodec, valueCodec, descending);
  }

  /** Creates a view of the same kind as this map. */
  IndexMap<K, V> over(
      LongNavigable part,
      KeyCodec<K> codecOfKeys,
      ValueCodec<V> codecOfValues,
      boolean isDescending) {
    return new IndexMap<>(part, codecOfKeys, codecOfValues, isDescending);
  }

  @SuppressWarnings("unchecked") // As in TreeMap, a key of another type is a ClassCastException.
  private long storedKey(Object key) {
    return keyCodec.encode((K) Objects.requireNonNull(key, "key"));
  }

  private long storedValue(V value) {
    return valueCodec.encode(Objects.requireNonNull(value, "value"));
  }

  /** An entry of an iterator, with the value it had when the iterator reached it. */
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
      if (IndexMap.this.replace(getKey(), value) == null) {
        throw new IllegalStateException("the entry of key " + getKey() + " has been removed");
      }
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
