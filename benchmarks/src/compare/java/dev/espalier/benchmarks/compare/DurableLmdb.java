// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.Txn;

/** LMDB, each of whose transactions ends with a force. Its cache is the system's, without limit. */
final class DurableLmdb implements DurableStore {
  private static final long MAP_BYTES = 16L << 30;

  private final TemporaryFolder folder = new TemporaryFolder("lmdb");
  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> dbi;
  private final ByteBuffer key = ByteBuffer.allocateDirect(Long.BYTES);
  private final ByteBuffer value =
      ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
  private Txn<ByteBuffer> txn;

  DurableLmdb() {
    env = Env.create().setMapSize(MAP_BYTES).open(folder.path().toFile(), EnvFlags.MDB_NORDAHEAD);
    dbi = env.openDbi("entries".getBytes(StandardCharsets.UTF_8), DbiFlags.MDB_CREATE);
    txn = env.txnWrite();
  }

  @Override
  public void put(long newKey, long newValue) {
    dbi.put(txn, key.putLong(0, OrderedBytes.bits(newKey)), value.putLong(0, newValue));
  }

  @Override
  public void commit() {
    txn.commit();
    txn = env.txnWrite();
  }

  @Override
  public void putTogether(long[] keys, long[] values, int from, int count) {
    for (int i = from; i < from + count; i++) {
      put(keys[i], values[i]);
    }
    commit();
  }

  /** LMDB's transactions belong to a thread; so this is for one. */
  @Override
  public void putSafely(long newKey, long newValue) {
    put(newKey, newValue);
    commit();
  }

  @Override
  public long get(long wanted) {
    ByteBuffer found = dbi.get(txn, key.putLong(0, OrderedBytes.bits(wanted)));
    return found.order(ByteOrder.nativeOrder()).getLong(0);
  }

  @Override
  public void close() {
    txn.close();
    env.close();
    folder.delete();
  }
}
