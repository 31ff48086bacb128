// SPDX-License-Identifier: Apache-2.0
package dev.espalier.map;

import java.util.AbstractSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The keys of a map over an index. */
public final class NavigableKeys<K> extends AbstractSet<K> implements NavigableSet<K> {
  private final NavigableMap<K, ?> map;
  private final Supplier<? extends Iterator<K>> iterators;

  /**
   * Returns the keys of a map.
   *
   * @param iterators makes iterators over the keys, which remove from the map
   */
  public NavigableKeys(NavigableMap<K, ?> map, Supplier<? extends Iterator<K>> iterators) {
    this.map = map;
    this.iterators = iterators;
  }

  @Override
  public Iterator<K> iterator() {
    return iterators.get();
  }

  @Override
  public Iterator<K> descendingIterator() {
    return descendingSet().iterator();
  }

  /** Sorted, but of unknown size: behind a lock the set may grow or shrink on the way. */
  @Override
  public Spliterator<K> spliterator() {
    Iterator<K> keys = iterator();
    int characteristics =
        Spliterator.DISTINCT | Spliterator.SORTED | Spliterator.ORDERED | Spliterator.NONNULL;
    return new Spliterators.AbstractSpliterator<>(Long.MAX_VALUE, characteristics) {
      @Override
      public boolean tryAdvance(Consumer<? super K> action) {
        if (!keys.hasNext()) {
          return false;
        }
        action.accept(keys.next());
        return true;
      }

      @Override
      public @Nullable Comparator<? super K> getComparator() {
        return comparator();
      }
    };
  }

  @Override
  public int size() {
    return map.size();
  }

  @Override
  public boolean isEmpty() {
    return map.isEmpty();
  }

  @Override
  public void clear() {
    map.clear();
  }

  @Override
  public boolean contains(Object key) {
    return map.containsKey(key);
  }

  @Override
  public boolean remove(Object key) {
    return map.remove(key) != null;
  }

  @Override
  public @Nullable Comparator<? super K> comparator() {
    return map.comparator();
  }

  @Override
  public K first() {
    return map.firstKey();
  }

  @Override
  public K last() {
    return map.lastKey();
  }

  @Override
  public @Nullable K lower(K key) {
    return map.lowerKey(key);
  }

  @Override
  public @Nullable K floor(K key) {
    return map.floorKey(key);
  }

  @Override
  public @Nullable K ceiling(K key) {
    return map.ceilingKey(key);
  }

  @Override
  public @Nullable K higher(K key) {
    return map.higherKey(key);
  }

  @Override
  public @Nullable K pollFirst() {
    var entry = map.pollFirstEntry();
    return entry == null ? null : entry.getKey();
  }

  @Override
  public @Nullable K pollLast() {
    var entry = map.pollLastEntry();
    return entry == null ? null : entry.getKey();
  }

  @Override
  public NavigableSet<K> descendingSet() {
    return map.descendingKeySet();
  }

  @Override
  public NavigableSet<K> subSet(K from, boolean fromInclusive, K to, boolean toInclusive) {
    return map.subMap(from, fromInclusive, to, toInclusive).navigableKeySet();
  }

  @Override
  public NavigableSet<K> headSet(K to, boolean inclusive) {
    return map.headMap(to, inclusive).navigableKeySet();
  }

  @Override
  public NavigableSet<K> tailSet(K from, boolean inclusive) {
    return map.tailMap(from, inclusive).navigableKeySet();
  }

  @Override
  public NavigableSet<K> subSet(K from, K to) {
    return subSet(from, true, to, false);
  }

  @Override
  public NavigableSet<K> headSet(K to) {
    return headSet(to, false);
  }

  @Override
  public NavigableSet<K> tailSet(K from) {
    return tailSet(from, true);
  }
}
