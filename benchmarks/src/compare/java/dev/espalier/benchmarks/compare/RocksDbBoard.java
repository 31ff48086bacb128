// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.benchmarks.board.BoardSession;
import dev.espalier.benchmarks.board.BoardStore;
import dev.espalier.benchmarks.board.Coding;
import dev.espalier.benchmarks.board.Setting;
import dev.espalier.benchmarks.board.Word;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.RocksObject;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB under a crew of threads: as it comes, or tuned as the page "Basic Tuning" of its wiki
 * advises.
 */
final class RocksDbBoard implements BoardStore {
  private static final int BACKGROUND_JOBS = 6;
  private static final long BYTES_PER_SYNC = 1 << 20;
  private static final long BLOCK_BYTES = 16 << 10;

  static {
    RocksDB.loadLibrary();
  }

  private final TemporaryFolder folder = new TemporaryFolder("rocksdb");
  private final List<RocksObject> parts = new ArrayList<>();
  private final ReadOptions reading = part(new ReadOptions());
  private final WriteOptions single;
  private final WriteOptions together;
  private final Coding coding;
  private final RocksDB store;

  RocksDbBoard(Setting setting) {
    coding = new Coding(setting.kind());
    boolean isLogged = setting.data() != Setting.Data.MEMORY;
    single = part(new WriteOptions().setDisableWAL(!isLogged));
    together = part(new WriteOptions().setDisableWAL(!isLogged).setSync(setting.isDurable()));
    Options options = part(new Options().setCreateIfMissing(true));
    if (!setting.isAsItComes()) {
      tune(options, setting);
    }
    try {
      store = RocksDB.open(options, folder.path().toString());
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  private void tune(Options options, Setting setting) {
    options
        .setMaxBackgroundJobs(BACKGROUND_JOBS)
        .setBytesPerSync(BYTES_PER_SYNC)
        .setUseDirectReads(setting.data() == Setting.Data.TENFOLD)
        .setTableFormatConfig(
            new BlockBasedTableConfig()
                .setBlockSize(BLOCK_BYTES)
                .setBlockCache(part(new LRUCache(setting.poolBytes())))
                .setCacheIndexAndFilterBlocks(true)
                .setPinL0FilterAndIndexBlocksInCache(true)
                .setFilterPolicy(part(new BloomFilter(RocksDbPeer.FILTER_BITS))));
  }

  /** Returns a part of the store, which is closed after it. */
  private <T extends RocksObject> T part(T made) {
    parts.add(made);
    return made;
  }

  @Override
  public BoardSession session(int threads) {
    return new Session();
  }

  @Override
  public void close() {
    store.close();
    parts.forEach(RocksObject::close);
    folder.delete();
  }

  private final class Session implements BoardSession {
    private final ByteBuffer key = ByteBuffer.allocateDirect(coding.keyBytes());
    private final ByteBuffer value = ByteBuffer.allocateDirect(coding.valueBytes());
    private final MemorySegment keyBytes = MemorySegment.ofBuffer(key);
    private final MemorySegment valueBytes = MemorySegment.ofBuffer(value);

    private ByteBuffer key(long entry) {
      coding.writeKey(entry, keyBytes);
      return key.clear();
    }

    private ByteBuffer value(long word) {
      coding.writeValue(word, valueBytes);
      return value.clear();
    }

    @Override
    public long read(long entry) {
      try {
        int bytes = store.get(reading, key(entry), value.clear());
        if (bytes == RocksDB.NOT_FOUND) {
          return Word.ABSENT;
        }
        return bytes == coding.valueBytes() ? coding.word(valueBytes) : Word.TORN;
      } catch (RocksDBException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void write(long entry, long word) {
      try {
        store.put(single, key(entry), value(word));
      } catch (RocksDBException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void remove(long entry) {
      try {
        store.delete(single, key(entry));
      } catch (RocksDBException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void scan(long entry, int count, Visitor visitor) {
      try (RocksIterator entries = store.newIterator(reading)) {
        entries.seek(key(entry));
        for (int left = count; left > 0 && entries.isValid(); left--) {
          entries.key(key.clear());
          int bytes = entries.value(value.clear());
          visitor.visit(
              coding.key(keyBytes),
              bytes == coding.valueBytes() ? coding.word(valueBytes) : Word.TORN);
          entries.next();
        }
      }
    }

    @Override
    public void writeTogether(long[] entries, long[] words, int count) {
      try (WriteBatch batch = new WriteBatch()) {
        for (int i = 0; i < count; i++) {
          batch.put(key(entries[i]), value(words[i]));
        }
        store.write(together, batch);
      } catch (RocksDBException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void removeTogether(long[] entries, int count) {
      try (WriteBatch batch = new WriteBatch()) {
        for (int i = 0; i < count; i++) {
          batch.delete(key(entries[i]));
        }
        store.write(together, batch);
      } catch (RocksDBException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
