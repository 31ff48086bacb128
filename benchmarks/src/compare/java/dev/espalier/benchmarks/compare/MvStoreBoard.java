// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.benchmarks.board.BoardSession;
import dev.espalier.benchmarks.board.BoardStore;
import dev.espalier.benchmarks.board.Coding;
import dev.espalier.benchmarks.board.MapSession;
import dev.espalier.benchmarks.board.Setting;
import java.util.Iterator;
import java.util.Map;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.DataType;
import org.h2.mvstore.type.LongDataType;

/** MVStore of H2 under a crew of threads. */
final class MvStoreBoard implements BoardStore {
  private static final String NAME = "entries";

  private final TemporaryFolder folder = new TemporaryFolder("mvstore");
  private final boolean isAsItComes;
  private final MVStore store;
  private final BoardSession session;

  MvStoreBoard(Setting setting) {
    isAsItComes = setting.isAsItComes();
    store = open(setting, folder.path().resolve("store").toString());
    Runnable commit = setting.isDurable() ? this::commit : () -> {};
    if (setting.isOfLongs()) {
      MVMap<Long, Long> map = map(LongDataType.INSTANCE);
      session = MapSession.ofLongs(map, from -> new Entries<>(map.cursor(from)), commit);
    } else {
      MVMap<byte[], byte[]> map = map(ByteArrayDataType.INSTANCE);
      session =
          MapSession.ofBytes(
              map, from -> new Entries<>(map.cursor(from)), new Coding(setting.kind()), commit);
    }
  }

  private static MVStore open(Setting setting, String file) {
    if (setting.isAsItComes()) {
      return MVStore.open(file);
    }
    MVStore.Builder builder = new MVStore.Builder();
    if (setting.data() != Setting.Data.MEMORY) {
      builder.fileName(file).cacheSize((int) Math.max(1, setting.poolBytes() >> 20));
      if (setting.isDurable()) {
        builder.autoCommitDisabled();
      }
    }
    MVStore opened = builder.open();
    opened.setVersionsToKeep(0);
    return opened;
  }

  private <T> MVMap<T, T> map(DataType<T> type) {
    return isAsItComes
        ? store.openMap(NAME)
        : store.openMap(NAME, new MVMap.Builder<T, T>().keyType(type).valueType(type));
  }

  private void commit() {
    store.commit();
    store.sync();
  }

  /** A cursor as others are. */
  private record Entries<T>(Cursor<T, T> cursor) implements Iterator<Map.Entry<T, T>> {
    @Override
    public boolean hasNext() {
      return cursor.hasNext();
    }

    @Override
    public Map.Entry<T, T> next() {
      return Map.entry(cursor.next(), cursor.getValue());
    }
  }

  @Override
  public BoardSession session(int threads) {
    return session;
  }

  @Override
  public void close() {
    // Without the compaction for which the default would take its time.
    store.close(0);
    folder.delete();
  }
}
