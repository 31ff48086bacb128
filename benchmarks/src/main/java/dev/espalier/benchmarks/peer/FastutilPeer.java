// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongSortedMap;
import it.unimi.dsi.fastutil.objects.ObjectIterator;

/** A sorted map of fastutil, without boxing. */
final class FastutilPeer implements Peer {
  private final Long2LongSortedMap map;

  FastutilPeer(Long2LongSortedMap map) {
    this.map = map;
    map.defaultReturnValue(MISSING);
  }

  @Override
  public long get(long key) {
    return map.get(key);
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
    return sum(map.long2LongEntrySet().iterator(), Long.MAX_VALUE);
  }

  @Override
  public long scanRange(long from, int count) {
    return sum(map.tailMap(from).long2LongEntrySet().iterator(), count);
  }

  private static long sum(ObjectIterator<Long2LongMap.Entry> entries, long count) {
    long sum = 0;
    for (long i = 0; i < count && entries.hasNext(); i++) {
      Long2LongMap.Entry entry = entries.next();
      sum += entry.getLongKey() + entry.getLongValue();
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
