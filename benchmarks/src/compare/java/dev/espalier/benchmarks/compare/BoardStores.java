// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.board.StoreProvider;
import dev.espalier.benchmarks.board.StoreType;
import java.util.List;

/** The stores of the compare profile, for the board. */
public final class BoardStores implements StoreProvider {

  @Override
  public List<StoreType> stores() {
    return List.of(
        new StoreType(
            "LMDB",
            false,
            "0.9.33 by lmdbjava 0.9.3; `MDB_NORDAHEAD`, `MDB_NOTLS`; a read transaction for each"
                + " session, renewed for each read; a write transaction for each write or group."
                + " Not synced: `MDB_NOSYNC` and `MDB_WRITEMAP`. Also \"in memory\" it is in a"
                + " file. As it comes: a map size and `MDB_NOSYNC`, as no other store syncs every"
                + " write; a read transaction for each read",
            _ -> true,
            LmdbBoard::new),
        new StoreType(
            "RocksDB",
            false,
            "11.8.1; by its wiki's basic tuning: Bloom filters of 10 bits, blocks of 16 KiB, index"
                + " and filters in the block cache, 6 background jobs, `bytes_per_sync` of 1 MiB;"
                + " direct reads where the file has ten times the pool, which is its block cache."
                + " \"In memory\" it is in a file, without its log. Durable: a `WriteBatch` with"
                + " `sync`. As it comes: `new Options().setCreateIfMissing(true)`",
            _ -> true,
            RocksDbBoard::new),
        new StoreType(
            "MVStore",
            false,
            "of H2 2.5.252; no old versions, `cacheSize` that of the pool, and the system's cache"
                + " behind it. Durable: `commit()` and `sync()`, without auto-commit. As it comes:"
                + " `MVStore.open(file)` and `openMap(name)`, which finds out types by itself",
            _ -> true,
            MvStoreBoard::new),
        new StoreType(
            "TuplDB",
            false,
            "as Tupl 1.3.11; direct access to pages, cache that of the pool, and the system's cache"
                + " behind it; `NO_FLUSH`, auto-commit of each write. Durable: a transaction with"
                + " `SYNC`, whose keys are in order so that none deadlock. As it comes: base file"
                + " and `NO_FLUSH`, as in the first example with a file, whose cache size is left"
                + " out",
            _ -> true,
            TuplBoard::new),
        new StoreType(
            "MapDB",
            false,
            "3.1.0; in memory `memoryDirectDB`, in a file memory-mapped without clearing; values of"
                + " 1,000 bytes outside of nodes. Durable: `transactionEnable` and `commit()`. As"
                + " it comes: `DBMaker.fileDB(file).make()`, and a `treeMap` that is told the"
                + " serializers of its keys and values",
            _ -> true,
            MapDbBoard::new));
  }
}
