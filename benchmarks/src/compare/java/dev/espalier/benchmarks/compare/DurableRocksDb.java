// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB with its log, and a block cache as large as the pool of others. */
final class DurableRocksDb implements DurableStore {
  static {
    RocksDB.loadLibrary();
  }

  private final TemporaryFolder folder = new TemporaryFolder("rocksdb");
  private final LRUCache cache;
  private final Options options;
  private final WriteOptions logged = new WriteOptions();
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final RocksDB store;

  DurableRocksDb(long cacheBytes) {
    cache = new LRUCache(cacheBytes);
    options =
        new Options()
            .setCreateIfMissing(true)
            .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache));
    try {
      store = RocksDB.open(options, folder.path().toString());
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void put(long key, long value) {
    put(logged, key, value);
  }

  @Override
  public void commit() {
    try {
      store.syncWal();
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void putTogether(long[] keys, long[] values, int from, int count) {
    try (WriteBatch batch = new WriteBatch()) {
      for (int i = from; i < from + count; i++) {
        batch.put(OrderedBytes.encode(keys[i]), OrderedBytes.encode(values[i]));
      }
      store.write(synced, batch);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void putSafely(long key, long value) {
    put(synced, key, value);
  }

  private void put(WriteOptions how, long key, long value) {
    try {
      store.put(how, OrderedBytes.encode(key), OrderedBytes.encode(value));
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public long get(long key) {
    try {
      return OrderedBytes.decode(store.get(OrderedBytes.encode(key)));
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    store.close();
    options.close();
    logged.close();
    synced.close();
    cache.close();
    folder.delete();
  }
}
