// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.LongEntrySource;
import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.benchmarks.peer.Peer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.PutFlags;
import org.lmdbjava.SeekOp;
import org.lmdbjava.Stat;
import org.lmdbjava.Txn;

/**
 * LMDB, without syncing to disk. All writes are in one transaction, which readers see: the fastest
 * it can be used, and as little durable as a tree in memory.
 */
final class LmdbPeer implements Peer {
  static final long MAP_BYTES = 1L << 37;

  private final TemporaryFolder folder = new TemporaryFolder("lmdb");
  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> dbi;
  private final Txn<ByteBuffer> txn;
  private final ByteBuffer keyBuffer = ByteBuffer.allocateDirect(Long.BYTES);
  private final ByteBuffer valueBuffer = ByteBuffer.allocateDirect(Long.BYTES);

  LmdbPeer() {
    env = environment(folder);
    dbi = entries(env);
    txn = env.txnWrite();
    valueBuffer.order(ByteOrder.nativeOrder());
  }

  /** Opens an environment that never syncs. */
  static Env<ByteBuffer> environment(TemporaryFolder folder) {
    return Env.create()
        .setMapSize(MAP_BYTES)
        .open(
            folder.path().toFile(),
            EnvFlags.MDB_NOSYNC,
            EnvFlags.MDB_WRITEMAP,
            EnvFlags.MDB_NORDAHEAD);
  }

  /** Opens the one table of an environment. */
  static Dbi<ByteBuffer> entries(Env<ByteBuffer> env) {
    return env.openDbi("entries".getBytes(StandardCharsets.UTF_8), DbiFlags.MDB_CREATE);
  }

  @Override
  public long get(long key) {
    ByteBuffer value = dbi.get(txn, key(key));
    return value == null ? MISSING : value.order(ByteOrder.nativeOrder()).getLong(0);
  }

  @Override
  public void put(long key, long value) {
    dbi.put(txn, key(key), value(value));
  }

  @Override
  public void remove(long key) {
    dbi.delete(txn, key(key));
  }

  @Override
  public void bulkload(LongEntrySource entries, long total) {
    while (entries.next()) {
      dbi.put(txn, key(entries.key()), value(entries.value()), PutFlags.MDB_APPEND);
    }
  }

  @Override
  public long scanEntries() {
    try (Cursor<ByteBuffer> cursor = dbi.openCursor(txn)) {
      return cursor.seek(SeekOp.MDB_FIRST) ? sum(cursor, Long.MAX_VALUE) : 0;
    }
  }

  @Override
  public long scanRange(long from, int count) {
    try (Cursor<ByteBuffer> cursor = dbi.openCursor(txn)) {
      return cursor.get(key(from), GetOp.MDB_SET_RANGE) ? sum(cursor, count) : 0;
    }
  }

  private static long sum(Cursor<ByteBuffer> cursor, long count) {
    long sum = 0;
    long left = count;
    boolean more = true;
    while (more && left-- > 0) {
      sum +=
          OrderedBytes.key(cursor.key().getLong(0))
              + cursor.val().order(ByteOrder.nativeOrder()).getLong(0);
      more = cursor.next();
    }
    return sum;
  }

  @Override
  public long size() {
    return dbi.stat(txn).entries;
  }

  @Override
  public long bytes() {
    Stat stat = dbi.stat(txn);
    return (stat.branchPages + stat.leafPages + stat.overflowPages) * stat.pageSize;
  }

  @Override
  public void close() {
    txn.close();
    env.close();
    folder.delete();
  }

  private ByteBuffer key(long key) {
    return keyBuffer.putLong(0, OrderedBytes.bits(key));
  }

  private ByteBuffer value(long value) {
    return valueBuffer.putLong(0, value);
  }
}
