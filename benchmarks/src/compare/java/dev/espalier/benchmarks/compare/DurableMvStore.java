// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import java.util.Objects;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/** H2's MVStore in a file, with a cache as large as the pool of others. */
final class DurableMvStore implements DurableStore {
  private final TemporaryFolder folder = new TemporaryFolder("mvstore");
  private final MVStore store;
  private final MVMap<Long, Long> map;

  DurableMvStore(long cacheBytes) {
    store =
        new MVStore.Builder()
            .fileName(folder.path().resolve("store").toString())
            .cacheSize((int) Math.max(1, cacheBytes >> 20))
            .autoCommitDisabled()
            .open();
    map = store.openMap("entries");
  }

  @Override
  public void put(long key, long value) {
    map.put(key, value);
  }

  @Override
  public void commit() {
    store.commit();
    store.sync();
  }

  @Override
  public void putTogether(long[] keys, long[] values, int from, int count) {
    for (int i = from; i < from + count; i++) {
      put(keys[i], values[i]);
    }
    commit();
  }

  @Override
  public void putSafely(long key, long value) {
    map.put(key, value);
    commit();
  }

  @Override
  public long get(long key) {
    return Objects.requireNonNull(map.get(key));
  }

  @Override
  public void close() {
    store.close();
    folder.delete();
  }
}
