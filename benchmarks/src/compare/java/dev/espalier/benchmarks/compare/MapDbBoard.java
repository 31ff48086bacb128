// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.benchmarks.board.BoardSession;
import dev.espalier.benchmarks.board.BoardStore;
import dev.espalier.benchmarks.board.Coding;
import dev.espalier.benchmarks.board.MapSession;
import dev.espalier.benchmarks.board.Setting;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.serializer.GroupSerializer;

/** MapDB's B-link tree under a crew of threads. */
final class MapDbBoard implements BoardStore {
  private final TemporaryFolder folder = new TemporaryFolder("mapdb");
  private final DB store;
  private final BoardSession session;

  MapDbBoard(Setting setting) {
    store = open(setting);
    Runnable commit = setting.isDurable() ? store::commit : () -> {};
    if (setting.isOfLongs()) {
      BTreeMap<Long, Long> map = map(Serializer.LONG, false);
      session = MapSession.ofLongs(map, from -> MapSession.tail(map, from), commit);
    } else {
      BTreeMap<byte[], byte[]> map =
          map(
              Serializer.BYTE_ARRAY,
              setting.kind() == Setting.Kind.STRINGS_1000 && !setting.isAsItComes());
      session =
          MapSession.ofBytes(
              map, from -> MapSession.tail(map, from), new Coding(setting.kind()), commit);
    }
  }

  private DB open(Setting setting) {
    if (setting.data() == Setting.Data.MEMORY) {
      return DBMaker.memoryDirectDB().make();
    }
    DBMaker.Maker maker = DBMaker.fileDB(folder.path().resolve("store").toFile());
    if (setting.isAsItComes()) {
      return maker.make();
    }
    maker.fileMmapEnableIfSupported().fileMmapPreclearDisable();
    return (setting.isDurable() ? maker.transactionEnable() : maker).make();
  }

  private <T> BTreeMap<T, T> map(GroupSerializer<T> serializer, boolean areValuesOutside) {
    DB.TreeMapMaker<T, T> maker = store.treeMap("entries", serializer, serializer);
    return (areValuesOutside ? maker.valuesOutsideNodesEnable() : maker).create();
  }

  @Override
  public BoardSession session(int threads) {
    return session;
  }

  @Override
  public void close() {
    store.close();
    folder.delete();
  }
}
