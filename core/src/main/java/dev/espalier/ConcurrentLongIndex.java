// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.concurrent.ConcurrentNavigableMap;

/**
 * A {@link LongIndex} that any number of threads may read and write at once. Its maps are {@link
 * ConcurrentNavigableMap}s.
 */
public interface ConcurrentLongIndex extends LongIndex {
  @Override
  default ConcurrentNavigableMap<Long, Long> asMap() {
    return new ConcurrentIndexMap<>(this, KeyCodec.ofLong(), ValueCodec.ofLong());
  }

  /**
   * Returns a live map whose keys and values are stored as longs in this index; see {@link
   * LongIndex#asMap(KeyCodec, ValueCodec)}. Each of its methods for one entry takes effect at one
   * moment; {@code size} costs as much as that of the index; on a view, it counts the entries.
   */
  @Override
  default <K, V> ConcurrentNavigableMap<K, V> asMap(
      KeyCodec<K> keyCodec, ValueCodec<V> valueCodec) {
    checkCodecs(CodecMarks.of(keyCodec, valueCodec));
    return new ConcurrentIndexMap<>(this, keyCodec, valueCodec);
  }

  /**
   * Removes the entries between two keys, each at one moment. What is there from the beginning of
   * the call to its end is removed; what others put meanwhile may be removed or not.
   *
   * @return how many entries this call removed
   * @throws IllegalArgumentException if {@code from} is greater than {@code to}
   */
  @Override
  default long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return CursorRanges.removeBesideWriters(this, from, fromInclusive, to, toInclusive);
  }
}
