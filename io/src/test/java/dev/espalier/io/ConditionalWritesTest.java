// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongEntry;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Writes of a store's index that depend on what is there. */
class ConditionalWritesTest {
  private static final int MERGES = TestSize.share(2000, 50_000);

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  static Stream<TreeVariant> paged() {
    return IndexStoreTest.paged();
  }

  @ParameterizedTest
  @MethodSource("paged")
  void theyTellWhetherTheyDidAnythingAndAreThereAfterwards(TreeVariant variant) {
    Path path = folder.resolve("store");
    long missing;
    try (IndexStore store = IndexStore.open(path, IndexStoreTest.SMALL)) {
      LongIndex index = store.index("a", variant);
      missing = index.missingValue();
      assertTrue(index.insert(1, missing));
      assertFalse(index.insert(1, 10));
      assertTrue(index.replace(1, missing, 11));
      assertFalse(index.replace(1, missing, 12));
      assertFalse(index.replace(2, missing, 20));
      assertTrue(index.insert(3, 30));
      assertFalse(index.remove(3, 31));
      assertTrue(index.insert(4, 40));
      assertTrue(index.remove(4, 40));
      assertFalse(index.remove(4, missing));
    }
    try (IndexStore store = IndexStore.open(path, IndexStoreTest.SMALL)) {
      assertEquals(Map.of(1L, 11L, 3L, 30L), store.index("a", variant).asMap());
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void mergesOfTwoThreadsAllCount(TreeVariant variant) throws InterruptedException {
    try (IndexStore store = IndexStore.open(folder.resolve("store"), IndexStoreTest.SMALL)) {
      LongIndex index = store.index("a", variant);
      assertFalse(index.allowsTornReads());
      NavigableMap<Long, Long> map = index.asMap();
      Runnable merges =
          () -> {
            for (int i = 0; i < MERGES; i++) {
              map.merge(1L, 1L, Long::sum);
            }
          };
      Thread other = new Thread(merges);
      other.start();
      merges.run();
      other.join();
      assertEquals(Map.of(1L, 2L * MERGES), map);
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void updatesAreOneRecordEachAndThoseThatChangeNothingAreNone(TreeVariant variant) {
    Path path = folder.resolve("store");
    try (IndexStore store = IndexStore.open(path, IndexStoreTest.SMALL)) {
      LongIndex index = store.index("a", variant);
      LongEntry entry = new LongEntry();
      long ofSet = logged(store, () -> index.set(5, 50));
      assertTrue(ofSet > 0);
      assertEquals(ofSet, logged(store, () -> index.merge(5, 1, Long::sum)));
      assertEquals(ofSet, logged(store, () -> index.addTo(6, 1)));
      assertEquals(ofSet, logged(store, () -> index.computeIfAbsent(7, key -> key)));
      assertEquals(0, logged(store, () -> index.computeIfAbsent(7, _ -> 8)));
      assertEquals(ofSet, logged(store, () -> index.compute(8, entry, (_, _) -> true)));
      assertEquals(0, logged(store, () -> index.compute(9, entry, (_, _) -> false)));
      long ofDelete = logged(store, () -> index.delete(8));
      assertEquals(ofDelete, logged(store, () -> index.compute(7, entry, (_, _) -> false)));
      assertEquals(ofDelete, logged(store, () -> assertTrue(index.pollFirst(entry))));
      assertEquals(51, entry.value());
      assertEquals(0, logged(store, () -> index.removeIf((_, value) -> value > 1)));
      assertEquals(ofDelete, logged(store, () -> index.removeIf((_, value) -> value == 1)));
      assertEquals(0, logged(store, () -> assertFalse(index.pollLast(entry))));
      index.set(1, 10);
      index.addTo(1, 5);
    }
    try (IndexStore store = IndexStore.open(path, IndexStoreTest.SMALL)) {
      assertEquals(Map.of(1L, 15L), store.index("a", variant).asMap());
    }
  }

  private static long logged(IndexStore store, Runnable write) {
    long before = store.statistics().loggedBytes();
    write.run();
    return store.statistics().loggedBytes() - before;
  }
}
