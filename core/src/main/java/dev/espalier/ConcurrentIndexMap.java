// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;

/**
 * The map of an index that many threads may use. The views of this map are concurrent maps, too.
 */
final class ConcurrentIndexMap<K, V> extends IndexMap<K, V>
    implements ConcurrentNavigableMap<K, V> {
  ConcurrentIndexMap(LongNavigable entries, KeyCodec<K> keyCodec, ValueCodec<V> valueCodec) {
    super(
        entries,
        Objects.requireNonNull(keyCodec, "keyCodec"),
        Objects.requireNonNull(valueCodec, "valueCodec"),
        false);
  }

  private ConcurrentIndexMap(
      LongNavigable entries, KeyCodec<K> keyCodec, ValueCodec<V> valueCodec, boolean descending) {
    super(entries, keyCodec, valueCodec, descending);
  }

  @Override
  ConcurrentIndexMap<K, V> over(
      LongNavigable part, KeyCodec<K> keyCodec, ValueCodec<V> valueCodec, boolean descending) {
    return new ConcurrentIndexMap<>(part, keyCodec, valueCodec, descending);
  }

  @Override
  public ConcurrentNavigableMap<K, V> subMap(
      K from, boolean fromInclusive, K to, boolean toInclusive) {
    return (ConcurrentIndexMap<K, V>) super.subMap(from, fromInclusive, to, toInclusive);
  }

  @Override
  public ConcurrentNavigableMap<K, V> headMap(K to, boolean inclusive) {
    return (ConcurrentIndexMap<K, V>) super.headMap(to, inclusive);
  }

  @Override
  public ConcurrentNavigableMap<K, V> tailMap(K from, boolean inclusive) {
    return (ConcurrentIndexMap<K, V>) super.tailMap(from, inclusive);
  }

  @Override
  public ConcurrentNavigableMap<K, V> subMap(K from, K to) {
    return subMap(from, true, to, false);
  }

  @Override
  public ConcurrentNavigableMap<K, V> headMap(K to) {
    return headMap(to, false);
  }

  @Override
  public ConcurrentNavigableMap<K, V> tailMap(K from) {
    return tailMap(from, true);
  }

  @Override
  public ConcurrentNavigableMap<K, V> descendingMap() {
    return (ConcurrentIndexMap<K, V>) super.descendingMap();
  }
}
