// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import java.util.Map;
import java.util.NavigableMap;

/** A map of the JDK, with boxed keys and values. */
final class NavigableMapPeer implements Peer {
  private final NavigableMap<Long, Long> map;

  NavigableMapPeer(NavigableMap<Long, Long> map) {
    this.map = map;
  }

  @Override
  public long get(long key) {
    Long value = map.get(key);
    return value == null ? MISSING : value;
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
  public long scanEntries() {
    long sum = 0;
    for (Map.Entry<Long, Long> entry : map.entrySet()) {
      sum += entry.getKey() + entry.getValue();
    }
    return sum;
  }

  @Override
  public long scanRange(long from, int count) {
    long sum = 0;
    int left = count;
    for (Map.Entry<Long, Long> entry : map.tailMap(from, true).entrySet()) {
      if (left-- == 0) {
        break;
      }
      sum += entry.getKey() + entry.getValue();
    }
    return sum;
  }

  @Override
  public long size() {
    return map.size();
  }

  @Override
  public void close() {
    map.clear();
  }
}
