// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.benchmarks.peer.PackedStrings;
import dev.espalier.benchmarks.peer.StringEntries;
import dev.espalier.benchmarks.peer.StringPeer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.rocksdb.BloomFilter;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/**
 * RocksDB with strings for keys, as {@link RocksDbPeer}. It is called with buffers outside of the
 * heap, and compacted before it is read.
 */
final class RocksDbStrings implements StringPeer {
  private static final long CACHE_BYTES = 4L << 30;
  private static final int MOST_BYTES = 4096;

  private final TemporaryFolder folder = new TemporaryFolder("rocksdb");
  private final LRUCache cache;
  private final BloomFilter filter;
  private final Options options;
  private final WriteOptions writeOptions;
  private final ReadOptions readOptions;
  private final RocksDB store;
  private final ByteBuffer keyBuffer = ByteBuffer.allocateDirect(MOST_BYTES);
  private final MemorySegment key = MemorySegment.ofBuffer(keyBuffer);
  private final ByteBuffer found =
      ByteBuffer.allocateDirect(MOST_BYTES).order(ByteOrder.nativeOrder());

  RocksDbStrings() {
    RocksDB.loadLibrary();
    cache = new LRUCache(CACHE_BYTES);
    filter = new BloomFilter(RocksDbPeer.FILTER_BITS);
    options = RocksDbPeer.options(cache, filter);
    writeOptions = new WriteOptions().setDisableWAL(true);
    readOptions = new ReadOptions();
    try {
      store = RocksDB.open(options, folder.path().toString());
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void put(StringEntries entries, int from, int to) {
    ByteBuffer valueBuffer = ByteBuffer.allocateDirect(entries.valueBytes());
    MemorySegment value = MemorySegment.ofBuffer(valueBuffer);
    try {
      for (int i = from; i < to; i++) {
        entries.writeValue(i, value);
        store.put(writeOptions, key(entries.keys(), i), valueBuffer.position(0));
      }
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  private ByteBuffer key(PackedStrings keys, int i) {
    return keyBuffer.position(0).limit(keys.copy(i, key));
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
  public long get(PackedStrings probes) {
    long sum = 0;
    try {
      for (int i = 0; i < probes.count(); i++) {
        int size = store.get(readOptions, key(probes, i), found.clear());
        sum += size < Long.BYTES ? 0 : found.getLong(0);
      }
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
    return sum;
  }

  @Override
  public long scan() {
    long sum = 0;
    try (RocksIterator entries = store.newIterator()) {
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        sum += entries.key(keyBuffer.clear());
        entries.value(found.clear());
        sum += found.getLong(0);
      }
    }
    return sum;
  }

  @Override
  public void close() {
    store.close();
    options.close();
    writeOptions.close();
    readOptions.close();
    filter.close();
    cache.close();
    folder.delete();
  }
}
