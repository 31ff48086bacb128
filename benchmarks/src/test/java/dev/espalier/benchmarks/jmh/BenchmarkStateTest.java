// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.TestSize;
import dev.espalier.benchmarks.Pollution;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.benchmarks.peer.Peer;
import dev.espalier.benchmarks.peer.Peers;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.choices.PbPlusChoices.NodeSearch;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every benchmark does what its name says, for every structure. */
final class BenchmarkStateTest {
  private static final int ENTRIES = UpdateBenchmark.CHANGES;

  /** Every fifth structure, and all in a thorough run. */
  static List<String> names() {
    return TestSize.part(Peers.names());
  }

  @ParameterizedTest
  @MethodSource("names")
  void lookupsHitAndMiss(String name) {
    LoadedPeer loaded = load(new LoadedPeer(), name, ENTRIES);
    LookupBenchmark.Probes probes = new LookupBenchmark.Probes();
    probes.fill(loaded);
    LookupBenchmark.Probes same = new LookupBenchmark.Probes();
    same.fill(loaded);
    LookupBenchmark benchmark = new LookupBenchmark();
    for (int i = 0; i < 100; i++) {
      assertEquals(WorkKeys.value(same.nextHit()), benchmark.getHit(loaded, probes));
    }
    for (int i = 0; i < 100; i++) {
      assertEquals(Peer.MISSING, benchmark.getMiss(loaded, probes));
    }
    loaded.close();
  }

  @ParameterizedTest
  @MethodSource("names")
  void batchedLookupsAnswerEveryKeyOfTheInvocation(String name) {
    LoadedPeer loaded = load(new LoadedPeer(), name, ENTRIES);
    for (int group : new int[] {16, 64, 256, 1024}) {
      BatchLookupBenchmark.Groups groups = new BatchLookupBenchmark.Groups();
      groups.group = group;
      groups.fill(loaded);
      long[] values = new BatchLookupBenchmark().getAll(loaded, groups);
      for (int i = 0; i < BatchLookupBenchmark.KEYS; i++) {
        assertEquals(WorkKeys.value(groups.keys[BatchLookupBenchmark.KEYS + i]), values[i]);
      }
    }
    loaded.close();
  }

  @Test
  void everyGeometryFindsItsKeys() {
    for (int width : new int[] {1, 4, 8, 16}) {
      GeometryBenchmark.Tree state = new GeometryBenchmark.Tree();
      state.width = width;
      state.prefetchDistance = 4;
      state.jumpPointers = width == 1 ? "2" : "INTERNAL";
      state.searchPrefetch = NodePrefetch.BY_SEARCH;
      state.scanPrefetch = NodePrefetch.LINEAR;
      state.search = NodeSearch.SIMD;
      state.size = "1000";
      state.load();
      GeometryBenchmark benchmark = new GeometryBenchmark();
      assertNotEquals(state.tree.missingValue(), benchmark.get(state));
      for (long value : benchmark.getAll(state)) {
        assertNotEquals(state.tree.missingValue(), value);
      }
      assertEquals(WorkKeys.sum(1000), benchmark.scan(state));
      state.close();
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void putsAddAllTheirKeysAndAreUndone(String name) {
    LoadedPeer loaded = load(new LoadedPeer(), name, ENTRIES);
    UpdateBenchmark benchmark = new UpdateBenchmark();
    UpdateBenchmark.NewKeys fresh = new UpdateBenchmark.NewKeys();
    for (int i = 0; i < 2; i++) {
      fresh.draw(loaded);
      assertEquals(ENTRIES + UpdateBenchmark.CHANGES, benchmark.putRandom(loaded, fresh).size());
      fresh.undo(loaded);
      assertUnchanged(loaded);
    }
    UpdateBenchmark.AscendingKeys ascending = new UpdateBenchmark.AscendingKeys();
    ascending.draw();
    assertEquals(
        ENTRIES + UpdateBenchmark.CHANGES, benchmark.putAscending(loaded, ascending).size());
    ascending.undo(loaded);
    assertUnchanged(loaded);
    loaded.close();
  }

  @ParameterizedTest
  @MethodSource("names")
  void removesTakeAllTheirKeysAndAreUndone(String name) {
    LoadedPeer loaded = load(new LoadedPeer(), name, ENTRIES + 10);
    UpdateBenchmark.PresentKeys present = new UpdateBenchmark.PresentKeys();
    for (int i = 0; i < 2; i++) {
      present.draw(loaded);
      assertEquals(10, new UpdateBenchmark().remove(loaded, present).size());
      present.undo(loaded);
      assertUnchanged(loaded);
    }
    loaded.close();
  }

  @ParameterizedTest
  @MethodSource("names")
  void scansSumUpWhatTheyVisit(String name) {
    LoadedPeer loaded = load(new LoadedPeer(), name, 2000);
    ScanBenchmark benchmark = new ScanBenchmark();
    ScanBenchmark.Visited visited = new ScanBenchmark.Visited();
    assertEquals(WorkKeys.sum(2000), benchmark.scanRuns(loaded, visited));
    assertEquals(WorkKeys.sum(2000), benchmark.scanEntries(loaded, visited));
    assertEquals(4000, visited.entry);

    LookupBenchmark.Probes probes = new LookupBenchmark.Probes();
    probes.fill(loaded);
    LookupBenchmark.Probes same = new LookupBenchmark.Probes();
    same.fill(loaded);
    TreeMap<Long, Long> model = new TreeMap<>();
    for (long key : WorkKeys.keys(0, 2000)) {
      model.put(key, WorkKeys.value(key));
    }
    long expected =
        model.tailMap(same.nextHit()).entrySet().stream()
            .limit(ScanBenchmark.RANGE)
            .mapToLong(entry -> entry.getKey() + entry.getValue())
            .sum();
    assertEquals(expected, benchmark.scanRange100(loaded, probes));
    loaded.close();
  }

  @ParameterizedTest
  @MethodSource("names")
  void bulkloadFillsANewStructureEachTime(String name) {
    BulkloadBenchmark.EmptyPeer empty = new BulkloadBenchmark.EmptyPeer();
    empty.index = name;
    empty.size = "2000";
    empty.sort();
    BulkloadBenchmark.Loaded counter = new BulkloadBenchmark.Loaded();
    for (int i = 0; i < 2; i++) {
      empty.create();
      Peer peer = new BulkloadBenchmark().bulkload(empty, counter);
      assertEquals(WorkKeys.sum(2000), peer.scanEntries());
      empty.close();
    }
    assertEquals(4000, counter.entry);
  }

  @Tag("thorough")
  @Test
  void pollutedStructureAnswersAsAlone() {
    for (PollutedBenchmark.Jvm jvm : PollutedBenchmark.Jvm.values()) {
      PollutedBenchmark.PollutedPeer loaded = new PollutedBenchmark.PollutedPeer();
      loaded.jvm = jvm;
      loaded.pollution = Pollution.FEW_ENTRIES;
      load(loaded, "PbPlusTree", 2000);
      loaded.pollute();
      loaded.fill();
      PollutedBenchmark benchmark = new PollutedBenchmark();
      assertEquals(WorkKeys.value(loaded.keys[1]), benchmark.getHit(loaded));
      long[] values = benchmark.getAll(loaded);
      assertEquals(WorkKeys.value(loaded.keys[1 + PollutedBenchmark.GROUP]), values[0]);
      assertEquals(WorkKeys.sum(2000), benchmark.scanRuns(loaded));
      loaded.close();
    }
  }

  @Test
  void removingFromTooFewEntriesIsRefused() {
    LoadedPeer loaded = load(new LoadedPeer(), "TreeMap", 10);
    assertThrows(
        IllegalArgumentException.class, () -> new UpdateBenchmark.PresentKeys().draw(loaded));
    loaded.close();
  }

  private static void assertUnchanged(LoadedPeer loaded) {
    assertEquals(loaded.entries, loaded.peer.size());
    assertEquals(WorkKeys.sum(loaded.entries), loaded.peer.scanEntries());
  }

  private static LoadedPeer load(LoadedPeer loaded, String name, int entries) {
    loaded.index = name;
    loaded.size = Integer.toString(entries);
    loaded.load();
    return loaded;
  }
}
