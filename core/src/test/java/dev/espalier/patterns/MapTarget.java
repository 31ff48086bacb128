// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

import java.util.Map;
import java.util.TreeMap;

/** The sorted map that everyone has. */
public final class MapTarget implements PatternTarget {
  private final TreeMap<Long, Long> map = new TreeMap<>();

  /** Returns the map. */
  public TreeMap<Long, Long> map() {
    return map;
  }

  @Override
  public long get(long key) {
    return map.getOrDefault(key, NONE);
  }

  @Override
  public void put(long key, long value) {
    map.put(key, value);
  }

  @Override
  public void remove(long key) {
    map.remove(key);
  }

  @Override
  public long first() {
    Map.Entry<Long, Long> first = map.firstEntry();
    return first == null ? NONE : first.getKey();
  }

  @Override
  public long scan(long from, int count) {
    long sum = 0;
    int left = count;
    for (Long key : map.tailMap(from, true).keySet()) {
      sum += key;
      left--;
      if (left == 0) {
        break;
      }
    }
    return sum;
  }

  @Override
  public void removeRange(long from, long to) {
    map.subMap(from, to).clear();
  }

  @Override
  public void close() {
    map.clear();
  }
}
