// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TreeVariant;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.family.Family;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every structure gives the answers that the benchmarks take it to give. */
final class PeerContractTest {
  private static final int ENTRIES = 3000;

  static List<PeerType> peers() {
    return Peers.all();
  }

  @ParameterizedTest
  @MethodSource("peers")
  void getFindsWhatWasPutAndNothingElse(PeerType type) {
    try (Peer peer = loaded(type)) {
      for (int i = 0; i < ENTRIES; i++) {
        assertEquals(WorkKeys.value(WorkKeys.key(i)), peer.get(WorkKeys.key(i)));
        assertEquals(Peer.MISSING, peer.get(WorkKeys.key(ENTRIES + i)));
      }
      assertEquals(ENTRIES, peer.size());
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  void getAllAnswersEveryKeyAtItsPlace(PeerType type) {
    try (Peer peer = loaded(type)) {
      long[] keys = WorkKeys.keys(ENTRIES - 100, 200);
      long[] values = new long[150];
      peer.getAll(keys, 50, values, 0, 150);
      long[] expected = new long[150];
      Arrays.fill(expected, Peer.MISSING);
      for (int i = 0; i < 50; i++) {
        expected[i] = WorkKeys.value(keys[50 + i]);
      }
      assertArrayEquals(expected, values);
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  void putReplacesTheValueOfAKey(PeerType type) {
    try (Peer peer = loaded(type)) {
      peer.put(WorkKeys.key(7), 77);
      assertEquals(77, peer.get(WorkKeys.key(7)));
      assertEquals(ENTRIES, peer.size());
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  void setStoresAsPutDoes(PeerType type) {
    try (Peer peer = loaded(type)) {
      peer.set(WorkKeys.key(7), 77);
      peer.set(WorkKeys.key(ENTRIES), 78);
      assertEquals(77, peer.get(WorkKeys.key(7)));
      assertEquals(78, peer.get(WorkKeys.key(ENTRIES)));
      assertEquals(ENTRIES + 1, peer.size());
    }
  }

  @Test
  void hashMapIsAPeerWithoutOrder() {
    try (Peer peer = loaded(Peers.named("Long2LongOpenHashMap"))) {
      assertEquals(WorkKeys.value(WorkKeys.key(7)), peer.get(WorkKeys.key(7)));
      assertEquals(Peer.MISSING, peer.get(WorkKeys.key(ENTRIES)));
      peer.remove(WorkKeys.key(7));
      assertEquals(ENTRIES - 1, peer.size());
      assertThrows(UnsupportedOperationException.class, peer::scanEntries);
      assertThrows(UnsupportedOperationException.class, () -> peer.scanRange(0, 1));
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  void removeTakesOneEntryAway(PeerType type) {
    try (Peer peer = loaded(type)) {
      peer.remove(WorkKeys.key(7));
      assertEquals(Peer.MISSING, peer.get(WorkKeys.key(7)));
      assertEquals(ENTRIES - 1, peer.size());
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  void scansVisitEveryEntryOnce(PeerType type) {
    try (Peer peer = loaded(type)) {
      assertEquals(WorkKeys.sum(ENTRIES), peer.scanEntries());
      assertEquals(WorkKeys.sum(ENTRIES), peer.scanRuns());
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  void rangeStartsAtTheFirstKeyNotBelow(PeerType type) {
    NavigableMap<Long, Long> model = model();
    try (Peer peer = loaded(type)) {
      long[] starts = {WorkKeys.key(5), WorkKeys.key(5) + 1, Long.MIN_VALUE, model.lastKey(), 0};
      for (long from : starts) {
        long expected =
            model.tailMap(from).entrySet().stream()
                .limit(100)
                .mapToLong(entry -> entry.getKey() + entry.getValue())
                .sum();
        assertEquals(expected, peer.scanRange(from, 100), () -> "from " + from);
      }
      assertEquals(0, peer.scanRange(model.lastKey() + 1, 100));
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  void bulkloadTakesAllSortedEntries(PeerType type) {
    try (Peer peer = type.create()) {
      peer.bulkload(WorkKeys.sorted(ENTRIES), ENTRIES);
      assertEquals(ENTRIES, peer.size());
      assertEquals(WorkKeys.sum(ENTRIES), peer.scanEntries());
    }
  }

  @Test
  void catalogueHasEveryTreeAndEveryNameOnce() {
    List<String> trees = Family.all().stream().map(TreeVariant::name).toList();
    assertTrue(Peers.names().containsAll(trees));
    assertEquals(Peers.names().stream().distinct().toList(), Peers.names());
  }

  @Test
  void unknownNameIsRefusedWithTheNamesThereAre() {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Peers.named("HashMap"));
    assertTrue(String.valueOf(e.getMessage()).contains("'HashMap'"), e.getMessage());
    assertTrue(String.valueOf(e.getMessage()).contains("Long2LongAVLTreeMap"), e.getMessage());
  }

  private static Peer loaded(PeerType type) {
    Peer peer = type.create();
    for (int i = 0; i < ENTRIES; i++) {
      peer.put(WorkKeys.key(i), WorkKeys.value(WorkKeys.key(i)));
    }
    return peer;
  }

  private static NavigableMap<Long, Long> model() {
    TreeMap<Long, Long> model = new TreeMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      model.put(WorkKeys.key(i), WorkKeys.value(WorkKeys.key(i)));
    }
    return model;
  }
}
