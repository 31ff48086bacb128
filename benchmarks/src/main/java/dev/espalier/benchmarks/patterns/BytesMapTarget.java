// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import dev.espalier.patterns.PatternTarget;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** A {@link TreeMap} of arrays. */
final class BytesMapTarget implements PatternTarget {
  private final TreeMap<byte[], byte[]> map = new TreeMap<>(Arrays::compareUnsigned);

  @Override
  public long get(long key) {
    byte[] value = map.get(StringKeys.key(key));
    return value == null ? NONE : StringKeys.numberOfValue(value);
  }

  @Override
  public void put(long key, long value) {
    map.put(StringKeys.key(key), StringKeys.value(value));
  }

  @Override
  public void remove(long key) {
    map.remove(StringKeys.key(key));
  }

  @Override
  public long first() {
    Map.Entry<byte[], byte[]> first = map.firstEntry();
    return first == null ? NONE : StringKeys.number(first.getKey());
  }

  @Override
  public long scan(long from, int count) {
    long sum = 0;
    int left = count;
    for (byte[] key : map.tailMap(StringKeys.key(from), true).keySet()) {
      sum += StringKeys.number(key);
      left--;
      if (left == 0) {
        break;
      }
    }
    return sum;
  }

  @Override
  public void removeRange(long from, long to) {
    map.subMap(StringKeys.key(from), StringKeys.key(to)).clear();
  }

  @Override
  public void close() {
    map.clear();
  }
}
