// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.peer.Peer;
import java.util.Map;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/** MapDB's B-link tree in direct memory. */
final class MapDbPeer implements Peer {
  private final DB store = DBMaker.memoryDirectDB().make();
  private final BTreeMap<Long, Long> map =
      store.treeMap("entries", Serializer.LONG, Serializer.LONG).create();

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
    return sum(map.entrySet(), Long.MAX_VALUE);
  }

  @Override
  public long scanRange(long from, int count) {
    return sum(map.tailMap(from, true).entrySet(), count);
  }

  private static long sum(Iterable<Map.Entry<Long, Long>> entries, long count) {
    long sum = 0;
    long left = count;
    for (Map.Entry<Long, Long> entry : entries) {
      if (left-- == 0) {
        break;
      }
      sum += entry.getKey() + entry.getValue();
    }
    return sum;
  }

  @Override
  public long size() {
    return map.sizeLong();
  }

  @Override
  public void close() {
    store.close();
  }
}
