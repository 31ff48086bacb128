// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.cola.Cola;
import dev.espalier.family.Family;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class IndexStoreTest {
  static final StoreOptions SMALL =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(4096).withPoolBytes(64 * 4096))
          .withSegmentBytes(64 << 10)
          .withCheckpointTime(Duration.ofHours(1));

  @TempDir Path folder;

  static Stream<TreeVariant> paged() {
    return Family.all().stream().filter(each -> each.medium() == TreeVariant.Medium.PAGES);
  }

  private Path path() {
    return folder.resolve("store");
  }

  @Test
  void recoveryTellsHowFarItIsAndCanBeCancelled() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a");
      for (long key = 0; key < 10_000; key++) {
        index.set(key, key);
      }
      store.commit();
      Path killed = killed();
      assertThrows(
          CancellationException.class,
          () -> IndexStore.open(killed, SMALL, (done, total) -> done < total / 2));
      List<Long> told = new ArrayList<>();
      ProgressListener listener =
          (done, total) -> {
            told.add(done);
            assertTrue(done <= total, done + " of " + total);
            return true;
          };
      try (IndexStore again = IndexStore.open(killed, SMALL, listener)) {
        assertEquals(10_000, again.index("a").size());
        assertTrue(told.size() > 5, told.toString());
        assertTrue(told.getLast() >= again.recovery().logBytes(), told.toString());
        again.verify();
      }
    }
  }

  /** The file is for all indexes: a tree that gave memory back would do so beside the log. */
  @Test
  void shrinkOfAnIndexLeavesItsTreeAlone() {
    List<String> calls = new ArrayList<>();
    TreeVariant noting =
        TreeVariant.inPages(
            Cola.VARIANT.name(),
            "",
            Cola::create,
            (options, pages) -> noting(Cola.open(options, pages), calls));
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a", noting);
      index.set(1, 10);
      assertEquals(0, index.shrink());
      assertEquals(10, index.get(1));
      assertFalse(calls.contains("shrink"), calls.toString());
      assertTrue(calls.contains("get"), calls.toString());
      index.close();
      assertThrows(IllegalStateException.class, index::shrink);
    }
  }

  private static LongIndex noting(LongIndex tree, List<String> calls) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          calls.add(method.getName());
          return method.isDefault()
              ? InvocationHandler.invokeDefault(proxy, method, arguments)
              : method.invoke(tree, arguments);
        };
    Class<?>[] types = {LongIndex.class};
    return (LongIndex) Proxy.newProxyInstance(LongIndex.class.getClassLoader(), types, handler);
  }

  @ParameterizedTest
  @MethodSource("paged")
  void mapsAreConcurrent(TreeVariant variant) {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a", variant);
      assertInstanceOf(ConcurrentLongIndex.class, index);
      NavigableMap<Long, Long> map = index.asMap();
      assertInstanceOf(ConcurrentNavigableMap.class, map);
      assertInstanceOf(ConcurrentNavigableMap.class, map.headMap(5L));
      assertNull(map.putIfAbsent(1L, 10L));
      assertFalse(map.replace(1L, 11L, 12L));
      assertEquals(15, map.merge(1L, 5L, Long::sum));
      assertEquals(15, index.get(1));
      store.commit();
      try (IndexStore again = IndexStore.open(killed(), SMALL)) {
        assertEquals(15, again.index("a", variant).get(1));
      }
    }
  }

  private static TreeVariant cola(int growth) {
    return TreeVariant.inPages(
        Cola.VARIANT.name(),
        Cola.VARIANT.paper(),
        Cola::create,
        (options, store) -> Cola.open(options, store, new Cola.Geometry(growth, 0.1, 64)));
  }

  /** Recovery and opening know the trees' proportions, whichever variant the options name. */
  @Test
  void treesWithProportionsOfTheirOwnAreRecoveredAndOpened() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      for (int growth : new int[] {2, 4, 9}) {
        LongIndex index = store.index("growth " + growth, cola(growth));
        for (long key = 0; key < 3000; key++) {
          index.set(key, growth);
        }
      }
      store.commit();
      for (int named : new int[] {0, 2, 9, 13}) {
        FileOptions files = SMALL.files();
        StoreOptions options = named == 0 ? SMALL : SMALL.withFiles(files.withVariant(cola(named)));
        Path killed = killed();
        for (int opening = 0; opening < 2; opening++) {
          try (IndexStore again = IndexStore.open(killed, options)) {
            assertEquals(opening == 0, again.recovery().records() > 0);
            for (int growth : new int[] {2, 4, 9}) {
              LongIndex index = again.index("growth " + growth);
              index.verify();
              assertEquals(3000, index.size());
              assertEquals(growth, index.get(2999));
              index.set(2999, growth);
            }
            again.verify();
            try (Snapshot snapshot = again.snapshot()) {
              assertEquals(9, snapshot.index("growth 9").get(2999));
            }
            again.commit();
          }
        }
      }
    }
  }

  /** Copies the files of a store that is open: what a killed process would leave. */
  private Path killed() {
    try {
      Path copy = Files.createTempDirectory(folder, "killed");
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
      }
      return copy.resolve("store");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void whatWasCommittedIsThereAfterAKill(TreeVariant variant) {
    int entries = TestSize.of(5_000, 20_000);
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a", variant);
      for (long key = 0; key < entries; key++) {
        index.put(key * 7919 % 20_011, key);
        if (key == entries * 9 / 20) {
          store.checkpoint();
        }
      }
      store.commit();
      try (IndexStore again = IndexStore.open(killed(), SMALL)) {
        assertFalse(again.recovery().wasClean());
        assertTrue(again.recovery().records() > entries / 2, again.recovery().toString());
        LongIndex recovered = again.index("a");
        recovered.verify();
        assertEquals(entries, recovered.size());
        for (long key = 0; key < entries; key++) {
          assertEquals(key, recovered.get(key * 7919 % 20_011));
        }
      }
    }
    try (IndexStore again = IndexStore.open(path(), SMALL)) {
      assertTrue(again.recovery().wasClean());
      assertEquals(0, again.recovery().records());
      assertEquals(entries, again.index("a").size());
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void everyKindOfWriteIsReplayed(TreeVariant variant) {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a", variant);
      index.putAll(new long[] {1, 2, 3, 4, 5, 6, 7, 8}, new long[] {1, 2, 3, 4, 5, 6, 7, 8});
      assertEquals(2, index.remove(2));
      index.delete(3);
      index.set(4, 44);
      assertEquals(5, index.putIfAbsent(5, 55));
      index.putIfAbsent(9, 99);
      assertEquals(1, index.removeRange(6, false, 8, false));
      var cursor = index.cursor();
      assertTrue(cursor.ceiling(8));
      cursor.setValue(88);
      assertTrue(cursor.ceiling(1));
      cursor.remove();
      store.commit();
      try (IndexStore again = IndexStore.open(killed(), SMALL)) {
        LongIndex recovered = again.index("a");
        assertEquals("{4=44, 5=5, 6=6, 8=88, 9=99}", recovered.asMap().toString());
      }
      index.clear();
      index.put(-1, 1);
      store.commit();
      try (IndexStore again = IndexStore.open(killed(), SMALL)) {
        assertEquals("{-1=1}", again.index("a").asMap().toString());
      }
    }
  }

  @Test
  void aStoreThroughThePageCacheIsRecovered() {
    StoreOptions cached = SMALL.withFiles(SMALL.files().withEngine(PageFiles.CACHED));
    try (IndexStore store = IndexStore.open(path(), cached)) {
      LongIndex index = store.index("a");
      for (long key = 0; key < 30_000; key++) {
        index.set(key * 7919 % 30_011, key);
        if (key == 20_000) {
          store.checkpoint();
        }
      }
      store.commit();
      try (IndexStore again = IndexStore.open(killed(), cached)) {
        assertEquals(30_000, again.index("a").size());
        again.verify();
      }
    }
  }

  @Test
  void aBulkloadIsDurableWhenItReturns() {
    long[] keys = new long[50_000];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = i;
    }
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      store.index("a", Cola.VARIANT).bulkload(keys, keys);
      store.index("b").bulkload(keys, keys);
      try (IndexStore again = IndexStore.open(killed(), SMALL)) {
        assertEquals(50_000, again.index("a").size());
        assertEquals(50_000, again.index("b").size());
        again.index("a").verify();
      }
    }
  }

  @Test
  void aNoteBelongsToWhatWasCommittedWithIt() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      assertEquals(0, store.note().length);
      LongIndex index = store.index("a");
      index.put(1, 1);
      store.commit("offset 1".getBytes(StandardCharsets.UTF_8));
      assertArrayEquals("offset 1".getBytes(StandardCharsets.UTF_8), store.note());
      try (IndexStore again = IndexStore.open(killed(), SMALL)) {
        assertArrayEquals("offset 1".getBytes(StandardCharsets.UTF_8), again.note());
      }
    }
    try (IndexStore again = IndexStore.open(path(), SMALL)) {
      assertArrayEquals("offset 1".getBytes(StandardCharsets.UTF_8), again.note());
    }
  }

  @Test
  void aBatchIsWrittenToAllItsIndexes() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex a = store.index("a", DiskOptimizedBPlusTree.VARIANT);
      LongIndex b = store.index("b", Cola.VARIANT);
      b.put(7, 7);
      store.write(new WriteBatch().set(a, 1, 10).set(b, 1, 11).delete(b, 7));
      store.commit();
      try (IndexStore again = IndexStore.open(killed(), SMALL)) {
        assertEquals("{1=10}", again.index("a").asMap().toString());
        assertEquals("{1=11}", again.index("b").asMap().toString());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void ofWritesToOneKeyABatchLeavesTheLast(TreeVariant variant) {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a", variant);
      index.set(3, 3);
      WriteBatch batch = new WriteBatch();
      for (long key = 100; key > 0; key--) {
        batch.set(index, key, -1).delete(index, key).set(index, key, key);
      }
      store.write(batch.set(index, 1, 10).delete(index, 2).delete(index, 3).set(index, 3, 30));
      store.commit();
      try (IndexStore again = IndexStore.open(killed(), SMALL)) {
        for (LongIndex each : List.of(index, again.index("a"))) {
          assertEquals(99, each.size());
          assertEquals(10, each.get(1));
          assertFalse(each.containsKey(2));
          assertEquals(30, each.get(3));
          assertEquals(100, each.get(100));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"DiskFirstFpbPlusTree", "FpbLinkTree", "BLinkTree"})
  void aBatchReadsItsPagesTogether(String tree) {
    FileOptions files = SMALL.files();
    try (BufferPool pool = BufferPool.create(files.poolBytes(), files.pageBytes());
        IndexStore store = IndexStore.open(path(), SMALL.withFiles(files.withPool(pool)))) {
      LongIndex index = store.index("a", Family.named(tree));
      for (long key = 0; key < 100_000; key++) {
        index.set(key, key);
      }
      PoolCounters before = pool.counters();
      WriteBatch batch = new WriteBatch();
      for (long i = 0; i < 1_000; i++) {
        batch.set(index, i * 7919 % 100_000, -i);
      }
      store.write(batch);
      PoolCounters after = pool.counters();
      long misses = after.misses() - before.misses();
      long waves = after.readWaves() - before.readWaves();
      assertTrue(misses > 300 && waves < misses / 6, misses + " pages in " + waves + " waves");
      assertEquals(-7, index.get(7 * 7919));
    }
  }

  @Test
  void anIndexIsDroppedForGoodAndItsNameIsFree() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      store.index("a").put(1, 1);
      store.index("b").put(2, 2);
      assertTrue(store.drop("a"));
      assertFalse(store.drop("a"));
      assertEquals(List.of("b"), store.names());
      assertTrue(store.index("a", Cola.VARIANT).isEmpty());
    }
    try (IndexStore again = IndexStore.open(path(), SMALL)) {
      assertEquals(List.of("b", "a"), again.names());
      assertEquals(2, again.index("b").get(2));
    }
  }

  @Test
  void anIndexThatWasClosedIsOpenedAgainAsItWas() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex first = store.index("a");
      assertSame(first, store.index("a"));
      for (long key = 0; key < 5_000; key++) {
        first.put(key, key);
      }
      first.close();
      assertThrows(IllegalStateException.class, () -> first.get(1));
      assertThrows(IllegalStateException.class, () -> first.put(1, 1));
      store.checkpoint();
      LongIndex second = store.index("a");
      assertEquals(5_000, second.size());
      second.verify();
    }
  }

  @Test
  void spaceOfOverwrittenPagesIsUsedAgain() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a");
      for (int round = 0; round < 40; round++) {
        for (long key = 0; key < 20_000; key++) {
          index.set(key, round);
        }
        store.checkpoint();
      }
      assertTrue(store.statistics().fileBytes() < 4 << 20, store.statistics().toString());
    }
  }
}
