// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/** A hash map of fastutil: what an ordered structure costs where no order is needed. */
final class HashMapPeer implements Peer {
  private final Long2LongOpenHashMap map = new Long2LongOpenHashMap();

  HashMapPeer() {
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
    throw new UnsupportedOperationException("a hash map has no order");
  }

  @Override
  public long scanRange(long from, int count) {
    throw new UnsupportedOperationException("a hash map has no order");
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
