// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.benchmarks.peer.PackedStrings;
import dev.espalier.benchmarks.peer.StringEntries;
import dev.espalier.benchmarks.peer.StringMapPeer;
import dev.espalier.benchmarks.peer.StringStore;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB in files with strings for keys, with its log and Bloom filters. Its own indexes and
 * filters are in memory from the opening on, outside of the cache, as it does by default.
 */
final class RocksDbStringStore implements StringStore {
  private static final double FILTER_BITS = 10;

  static {
    RocksDB.loadLibrary();
  }

  private final TemporaryFolder folder = new TemporaryFolder("rocksdb");
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final BloomFilter filter = new BloomFilter(FILTER_BITS);
  private LRUCache cache;
  private Options options;
  private RocksDB store;

  RocksDbStringStore(long cacheBytes) {
    cache = new LRUCache(cacheBytes);
    options = options(cache, filter).setCreateIfMissing(true);
    try {
      store = RocksDB.open(options, folder.path().toString());
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Options options(LRUCache cache, BloomFilter filter) {
    return new Options()
        .setTableFormatConfig(
            new BlockBasedTableConfig().setBlockCache(cache).setFilterPolicy(filter));
  }

  @Override
  public void putTogether(StringEntries entries, int from, int to) {
    try (WriteBatch batch = new WriteBatch()) {
      for (int i = from; i < to; i++) {
        batch.put(entries.keys().array(i), entries.valueArray(i));
      }
      store.write(synced, batch);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void settle() {
    try (FlushOptions flush = new FlushOptions()) {
      store.flush(flush);
      store.compactRange();
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void reopen(long cacheBytes) {
    closeStore();
    cache = new LRUCache(cacheBytes);
    options = options(cache, filter).setUseDirectReads(true);
    try {
      store = RocksDB.openReadOnly(options, folder.path().toString());
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public long getAll(PackedStrings probes, int group) {
    List<byte[]> keys = new ArrayList<>(group);
    long sum = 0;
    try {
      for (int i = 0; i < probes.count(); i += group) {
        keys.clear();
        for (int j = i; j < Math.min(i + group, probes.count()); j++) {
          keys.add(probes.array(j));
        }
        for (byte[] value : store.multiGetAsList(keys)) {
          sum += value == null ? 0 : StringMapPeer.number(value);
        }
      }
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
    return sum;
  }

  private void closeStore() {
    store.close();
    options.close();
    cache.close();
  }

  @Override
  public void close() {
    closeStore();
    synced.close();
    filter.close();
    folder.delete();
  }
}
