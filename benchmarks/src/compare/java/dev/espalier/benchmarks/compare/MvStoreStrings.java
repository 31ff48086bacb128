// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.peer.PackedStrings;
import dev.espalier.benchmarks.peer.StringEntries;
import dev.espalier.benchmarks.peer.StringMapPeer;
import dev.espalier.benchmarks.peer.StringPeer;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.StringDataType;

/** MVStore of H2 with strings for keys, in memory, without old versions. */
final class MvStoreStrings implements StringPeer {
  private final MVStore store = MVStore.open(null);
  private final MVMap<String, byte[]> map =
      store.openMap(
          "entries",
          new MVMap.Builder<String, byte[]>()
              .keyType(StringDataType.INSTANCE)
              .valueType(ByteArrayDataType.INSTANCE));

  MvStoreStrings() {
    store.setVersionsToKeep(0);
  }

  @Override
  public void put(StringEntries entries, int from, int to) {
    for (int i = from; i < to; i++) {
      map.put(entries.keys().string(i), entries.valueArray(i));
    }
  }

  @Override
  public long get(PackedStrings probes) {
    long sum = 0;
    for (int i = 0; i < probes.count(); i++) {
      byte[] value = map.get(probes.string(i));
      sum += value == null ? 0 : StringMapPeer.number(value);
    }
    return sum;
  }

  @Override
  public long scan() {
    long sum = 0;
    Cursor<String, byte[]> cursor = map.cursor(null);
    while (cursor.hasNext()) {
      sum += cursor.next().length() + StringMapPeer.number(cursor.getValue());
    }
    return sum;
  }

  @Override
  public void close() {
    store.close();
  }
}
