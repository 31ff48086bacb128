// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.benchmarks.board.BoardSession;
import dev.espalier.benchmarks.board.BoardStore;
import dev.espalier.benchmarks.board.Coding;
import dev.espalier.benchmarks.board.Setting;
import dev.espalier.benchmarks.board.Word;
import java.io.File;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.Txn;

/** LMDB under a crew of threads. */
final class LmdbBoard implements BoardStore {
  private static final int MOST_READERS = 4096;

  private final TemporaryFolder folder = new TemporaryFolder("lmdb");
  private final Coding coding;
  private final boolean isAsItComes;
  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> dbi;

  LmdbBoard(Setting setting) {
    coding = new Coding(setting.kind());
    isAsItComes = setting.isAsItComes();
    env = open(setting, folder.path().toFile());
    dbi = LmdbPeer.entries(env);
  }

  private static Env<ByteBuffer> open(Setting setting, File file) {
    Env.Builder<ByteBuffer> builder = Env.create().setMapSize(LmdbPeer.MAP_BYTES);
    if (setting.isAsItComes()) {
      return builder.open(file, EnvFlags.MDB_NOSYNC); // No other store syncs every write.
    }
    builder.setMaxReaders(MOST_READERS);
    return setting.isDurable()
        ? builder.open(file, EnvFlags.MDB_NORDAHEAD, EnvFlags.MDB_NOTLS)
        : builder.open(
            file,
            EnvFlags.MDB_NORDAHEAD,
            EnvFlags.MDB_NOTLS,
            EnvFlags.MDB_NOSYNC,
            EnvFlags.MDB_WRITEMAP);
  }

  @Override
  public BoardSession session(int threads) {
    return new Session();
  }

  @Override
  public void close() {
    env.close();
    folder.delete();
  }

  private final class Session implements BoardSession {
    private final ByteBuffer key = ByteBuffer.allocateDirect(coding.keyBytes());
    private final ByteBuffer value = ByteBuffer.allocateDirect(coding.valueBytes());
    private final MemorySegment keyBytes = MemorySegment.ofBuffer(key);
    private final MemorySegment valueBytes = MemorySegment.ofBuffer(value);
    private final @Nullable Txn<ByteBuffer> kept;

    Session() {
      // Without MDB_NOTLS, a thread has one read transaction at most, and makes it itself.
      kept = isAsItComes ? null : env.txnRead();
      if (kept != null) {
        kept.reset();
      }
    }

    private Txn<ByteBuffer> beginReading() {
      if (kept == null) {
        return env.txnRead();
      }
      kept.renew();
      return kept;
    }

    private void endReading(Txn<ByteBuffer> reading) {
      if (kept == null) {
        reading.close();
      } else {
        reading.reset();
      }
    }

    @Override
    public long read(long entry) {
      coding.writeKey(entry, keyBytes);
      Txn<ByteBuffer> reading = beginReading();
      try {
        ByteBuffer found = dbi.get(reading, key);
        return found == null ? Word.ABSENT : coding.word(MemorySegment.ofBuffer(found));
      } finally {
        endReading(reading);
      }
    }

    @Override
    public void write(long entry, long word) {
      try (Txn<ByteBuffer> txn = env.txnWrite()) {
        put(txn, entry, word);
        txn.commit();
      }
    }

    private void put(Txn<ByteBuffer> txn, long entry, long word) {
      coding.writeKey(entry, keyBytes);
      coding.writeValue(word, valueBytes);
      dbi.put(txn, key, value);
    }

    @Override
    public void remove(long entry) {
      try (Txn<ByteBuffer> txn = env.txnWrite()) {
        coding.writeKey(entry, keyBytes);
        dbi.delete(txn, key);
        txn.commit();
      }
    }

    @Override
    public void scan(long entry, int count, Visitor visitor) {
      coding.writeKey(entry, keyBytes);
      Txn<ByteBuffer> reading = beginReading();
      try (Cursor<ByteBuffer> cursor = dbi.openCursor(reading)) {
        boolean more = cursor.get(key, GetOp.MDB_SET_RANGE);
        for (int left = count; more; more = left > 0 && cursor.next()) {
          visitor.visit(
              coding.key(MemorySegment.ofBuffer(cursor.key())),
              coding.word(MemorySegment.ofBuffer(cursor.val())));
          left--;
        }
      } finally {
        endReading(reading);
      }
    }

    @Override
    public void writeTogether(long[] entries, long[] words, int count) {
      try (Txn<ByteBuffer> txn = env.txnWrite()) {
        for (int i = 0; i < count; i++) {
          put(txn, entries[i], words[i]);
        }
        txn.commit();
      }
    }

    @Override
    public void removeTogether(long[] entries, int count) {
      try (Txn<ByteBuffer> txn = env.txnWrite()) {
        for (int i = 0; i < count; i++) {
          coding.writeKey(entries[i], keyBytes);
          dbi.delete(txn, key);
        }
        txn.commit();
      }
    }

    @Override
    public void close() {
      if (kept != null) {
        kept.close();
      }
    }
  }
}
