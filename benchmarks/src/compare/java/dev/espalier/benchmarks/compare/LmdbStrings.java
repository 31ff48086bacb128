// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.benchmarks.peer.PackedStrings;
import dev.espalier.benchmarks.peer.StringEntries;
import dev.espalier.benchmarks.peer.StringPeer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.SeekOp;
import org.lmdbjava.Txn;

/** LMDB with strings for keys, as {@link LmdbPeer}. Its values are read where they lie. */
final class LmdbStrings implements StringPeer {
  private static final int MOST_KEY_BYTES = 511;

  private final TemporaryFolder folder = new TemporaryFolder("lmdb");
  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> dbi;
  private final Txn<ByteBuffer> txn;
  private final ByteBuffer keyBuffer = ByteBuffer.allocateDirect(MOST_KEY_BYTES);
  private final MemorySegment key = MemorySegment.ofBuffer(keyBuffer);

  LmdbStrings() {
    env = LmdbPeer.environment(folder);
    dbi = LmdbPeer.entries(env);
    txn = env.txnWrite();
  }

  @Override
  public void put(StringEntries entries, int from, int to) {
    ByteBuffer valueBuffer = ByteBuffer.allocateDirect(entries.valueBytes());
    MemorySegment value = MemorySegment.ofBuffer(valueBuffer);
    for (int i = from; i < to; i++) {
      entries.writeValue(i, value);
      dbi.put(txn, key(entries.keys(), i), valueBuffer);
    }
  }

  private ByteBuffer key(PackedStrings keys, int i) {
    return keyBuffer.position(0).limit(keys.copy(i, key));
  }

  @Override
  public long get(PackedStrings probes) {
    long sum = 0;
    for (int i = 0; i < probes.count(); i++) {
      ByteBuffer value = dbi.get(txn, key(probes, i));
      sum += value == null ? 0 : number(value);
    }
    return sum;
  }

  private static long number(ByteBuffer value) {
    return value.order(ByteOrder.nativeOrder()).getLong(0);
  }

  @Override
  public long scan() {
    long sum = 0;
    try (Cursor<ByteBuffer> cursor = dbi.openCursor(txn)) {
      boolean more = cursor.seek(SeekOp.MDB_FIRST);
      while (more) {
        sum += cursor.key().remaining() + number(cursor.val());
        more = cursor.next();
      }
    }
    return sum;
  }

  @Override
  public void close() {
    txn.close();
    env.close();
    folder.delete();
  }
}
