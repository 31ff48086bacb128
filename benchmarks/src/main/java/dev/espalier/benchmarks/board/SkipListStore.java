// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.util.Arrays;
import java.util.concurrent.ConcurrentSkipListMap;

/** The sorted map for many threads that the JDK has. */
final class SkipListStore implements BoardStore {
  static final StoreType TYPE =
      new StoreType(
          "ConcurrentSkipListMap",
          false,
          "of the JDK; keys and values are `Long`, or arrays that are compared unsigned",
          setting -> setting.data() == Setting.Data.MEMORY,
          SkipListStore::new);

  private final BoardSession session;

  private SkipListStore(Setting setting) {
    if (setting.isOfLongs()) {
      ConcurrentSkipListMap<Long, Long> map = new ConcurrentSkipListMap<>();
      session = MapSession.ofLongs(map, from -> MapSession.tail(map, from), () -> {});
    } else {
      ConcurrentSkipListMap<byte[], byte[]> map =
          new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
      session =
          MapSession.ofBytes(
              map, from -> MapSession.tail(map, from), new Coding(setting.kind()), () -> {});
    }
  }

  @Override
  public BoardSession session(int threads) {
    return session;
  }

  @Override
  public void close() {}
}
