// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.peer.Peer;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.LongDataType;

/** MVStore of H2, in memory, without old versions. */
final class MvStorePeer implements Peer {
  private final MVStore store = MVStore.open(null);
  private final MVMap<Long, Long> map =
      store.openMap(
          "entries",
          new MVMap.Builder<Long, Long>()
              .keyType(LongDataType.INSTANCE)
              .valueType(LongDataType.INSTANCE));

  MvStorePeer() {
    store.setVersionsToKeep(0);
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
    return sum(map.cursor(Long.MIN_VALUE), Long.MAX_VALUE);
  }

  @Override
  public long scanRange(long from, int count) {
    return sum(map.cursor(from), count);
  }

  private static long sum(Cursor<Long, Long> entries, long count) {
    long sum = 0;
    for (long left = count; left > 0 && entries.hasNext(); left--) {
      sum += entries.next() + entries.getValue();
    }
    return sum;
  }

  @Override
  public long size() {
    return map.sizeAsLong();
  }

  @Override
  public void close() {
    store.close();
  }
}
