// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.benchmarks.peer.Peer;
import java.util.Arrays;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** RocksDB without its log, with a block cache that holds everything, and Bloom filters. */
final class RocksDbPeer implements Peer {
  private static final long CACHE_BYTES = 4L << 30;
  static final double FILTER_BITS = 10;

  private final TemporaryFolder folder = new TemporaryFolder("rocksdb");
  private final LRUCache cache;
  private final BloomFilter filter;
  private final Options options;
  private final WriteOptions writeOptions;
  private final RocksDB store;

  RocksDbPeer() {
    RocksDB.loadLibrary();
    cache = new LRUCache(CACHE_BYTES);
    filter = new BloomFilter(FILTER_BITS);
    options = options(cache, filter);
    writeOptions = new WriteOptions().setDisableWAL(true);
    store = call(() -> RocksDB.open(options, folder.path().toString()));
  }

  /** Returns options with a block cache and a Bloom filter. */
  static Options options(LRUCache cache, BloomFilter filter) {
    return new Options()
        .setCreateIfMissing(true)
        .setTableFormatConfig(
            new BlockBasedTableConfig().setBlockCache(cache).setFilterPolicy(filter));
  }

  @Override
  public long get(long key) {
    return call(
        () -> {
          byte[] value = store.get(OrderedBytes.encode(key));
          return value == null ? MISSING : OrderedBytes.decode(value);
        });
  }

  @Override
  public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    List<byte[]> encoded =
        Arrays.stream(keys, keysFrom, keysFrom + count).mapToObj(OrderedBytes::encode).toList();
    List<byte[]> found = call(() -> store.multiGetAsList(encoded));
    for (int i = 0; i < count; i++) {
      byte[] value = found.get(i);
      values[valuesFrom + i] = value == null ? MISSING : OrderedBytes.decode(value);
    }
  }

  @Override
  public void put(long key, long value) {
    call(
        () -> {
          store.put(writeOptions, OrderedBytes.encode(key), OrderedBytes.encode(value));
          return store;
        });
  }

  @Override
  public void remove(long key) {
    call(
        () -> {
          store.delete(writeOptions, OrderedBytes.encode(key));
          return store;
        });
  }

  @Override
  public long scanEntries() {
    try (RocksIterator entries = store.newIterator()) {
      entries.seekToFirst();
      return sum(entries, Long.MAX_VALUE);
    }
  }

  @Override
  public long scanRange(long from, int count) {
    try (RocksIterator entries = store.newIterator()) {
      entries.seek(OrderedBytes.encode(from));
      return sum(entries, count);
    }
  }

  private static long sum(RocksIterator entries, long count) {
    long sum = 0;
    for (long left = count; left > 0 && entries.isValid(); left--) {
      sum += OrderedBytes.decode(entries.key()) + OrderedBytes.decode(entries.value());
      entries.next();
    }
    return sum;
  }

  @Override
  public long size() {
    long size = 0;
    try (RocksIterator entries = store.newIterator()) {
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        size++;
      }
    }
    return size;
  }

  @Override
  public void close() {
    store.close();
    options.close();
    writeOptions.close();
    filter.close();
    cache.close();
    folder.delete();
  }

  @FunctionalInterface
  private interface Call<T> {
    T run() throws RocksDBException;
  }

  private static <T> T call(Call<T> call) {
    try {
      return call.run();
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }
}
