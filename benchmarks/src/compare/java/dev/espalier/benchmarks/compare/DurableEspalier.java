// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.io.Durability;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import dev.espalier.io.WriteBatch;

/** A tree in a store of Espalier's. */
final class DurableEspalier implements DurableStore {
  private final TemporaryFolder folder = new TemporaryFolder("espalier");
  private final IndexStore store;
  private final LongIndex index;
  private final WriteBatch batch = new WriteBatch();

  DurableEspalier(TreeVariant variant, FileOptions files, boolean everyWrite) {
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(files)
            .withDurability(everyWrite ? Durability.EVERY_WRITE : Durability.ON_COMMIT);
    store = IndexStore.open(folder.path().resolve("store"), options);
    index = store.index("entries", variant);
  }

  @Override
  public void put(long key, long value) {
    index.set(key, value);
  }

  @Override
  public void commit() {
    store.commit();
  }

  @Override
  public void putTogether(long[] keys, long[] values, int from, int count) {
    batch.clear();
    for (int i = from; i < from + count; i++) {
      batch.set(index, keys[i], values[i]);
    }
    store.write(batch);
    store.commit();
  }

  @Override
  public void putSafely(long key, long value) {
    index.set(key, value);
  }

  @Override
  public long get(long key) {
    return index.get(key);
  }

  @Override
  public void close() {
    store.close();
    folder.delete();
  }
}
