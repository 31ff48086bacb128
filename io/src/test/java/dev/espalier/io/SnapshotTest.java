// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.cola.Cola;
import dev.espalier.family.Family;
import dev.espalier.io.Faults.Operation;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SnapshotTest {
  private static final StoreOptions SMALL = IndexStoreTest.SMALL;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  static Stream<TreeVariant> paged() {
    return PagedTrees.namesOfKinds().stream().map(Family::named);
  }

  private Path path() {
    return folder.resolve("store");
  }

  private static void fill(LongIndex index, long count, long value) {
    for (long key = 0; key < count; key++) {
      index.set(key, value);
    }
  }

  private static void assertAll(LongIndex index, long count, long value) {
    index.verify();
    assertEquals(count, index.size());
    LongCursor cursor = index.cursor();
    long key = 0;
    for (boolean on = cursor.first(); on; on = cursor.next()) {
      assertEquals(key++, cursor.key());
      assertEquals(value, cursor.value());
    }
    assertEquals(count, key);
  }

  @ParameterizedTest
  @MethodSource("paged")
  void aSnapshotStaysTheSameWhileWritesGoOn(TreeVariant variant) {
    int writes = TestSize.share(30_000, 1_000_000);
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a", variant);
      fill(index, 10_000, 1);
      try (Snapshot snapshot = store.snapshot()) {
        LongIndex then = snapshot.index("a");
        Random random = new Random(TestSize.seed());
        for (int i = 0; i < writes; i++) {
          long key = random.nextInt(20_000);
          if (i % 5 == 0) {
            index.delete(key);
          } else {
            index.set(key, -i);
          }
          if (i % (writes / 6) == 0) {
            store.checkpoint();
            assertEquals(1, then.get(random.nextInt(10_000)));
          }
        }
        assertAll(then, 10_000, 1);
        index.clear();
        store.checkpoint();
        fill(index, 5_000, 3);
        store.checkpoint();
        assertAll(then, 10_000, 1);
        assertEquals(10_000, then.statistics().entries());
      }
      assertAll(index, 5_000, 3);
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void everyWriteIsRefusedAndNamesIndexAndCheckpoint(TreeVariant variant) {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex live = store.index("a", variant);
      live.put(1, 1);
      live.put(2, 2);
      try (Snapshot snapshot = store.snapshot()) {
        LongIndex index = snapshot.index("a");
        LongCursor cursor = index.cursor();
        assertTrue(cursor.first());
        long[] one = {1};
        List<Executable> writes =
            List.of(
                () -> index.put(1, 2),
                () -> index.set(1, 2),
                () -> index.putIfAbsent(1, 2),
                () -> index.remove(9),
                () -> index.delete(9),
                () -> index.clear(),
                () -> index.removeRange(5, true, 6, true),
                () -> index.putAll(one, one),
                () -> index.bulkload(one, one),
                () -> index.asMap().clear(),
                () -> index.withReadWriteLock().put(1, 2),
                () -> cursor.setValue(3),
                () -> cursor.remove());
        for (Executable write : writes) {
          String message = assertThrows(UnsupportedOperationException.class, write).getMessage();
          assertTrue(message.contains("index 'a' of the snapshot of checkpoint "), message);
          assertTrue(message.contains("checkpoint " + snapshot.checkpoint() + " "), message);
        }
        assertThrows(
            IllegalArgumentException.class, () -> store.write(new WriteBatch().set(index, 1, 2)));
        index.flush();
        assertEquals(0, index.shrink(ProgressListener.NONE));
        assertEquals("{1=1, 2=2}", index.asMap().toString());
      }
      assertEquals("{1=1, 2=2}", live.asMap().toString());
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void everyWayOfReadingAnswersAsOfThen(TreeVariant variant) {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex live = store.index("a", variant);
      for (long key = 0; key < 8_000; key++) {
        live.set(2 * key, key);
      }
      live.removeRange(4_000, true, 5_999, true);
      try (Snapshot snapshot = store.snapshot()) {
        LongIndex index = snapshot.index("a", variant);
        live.clear();
        store.checkpoint();
        fill(live, 2_000, 7);
        long[] keys = LongStream.range(0, 3_000).map(i -> i * 7 % 16_000).toArray();
        long[] values = new long[keys.length];
        long[] found = new long[Math.ceilDiv(keys.length, 64)];
        int count = index.getAll(keys, values, found);
        int expected = 0;
        for (int i = 0; i < keys.length; i++) {
          boolean isThere = keys[i] % 2 == 0 && (keys[i] < 4_000 || keys[i] > 5_999);
          expected += isThere ? 1 : 0;
          assertEquals(isThere ? keys[i] / 2 : index.missingValue(), values[i]);
          assertEquals(isThere, index.containsKey(keys[i]));
        }
        assertEquals(expected, count);
        assertEquals(7_000, index.size());
        assertEquals(7_000, index.sizeEstimate());
        assertEquals(500, index.countRange(0, true, 1_000, false));
        assertEquals(15_998, index.asMap().lastKey());
        assertEquals(
            List.of(3_998L, 6_000L), List.copyOf(index.asMap().subMap(3_997L, 6_001L).keySet()));
        LongCursor cursor = index.cursor();
        long last = Long.MAX_VALUE;
        int steps = 0;
        for (boolean on = cursor.last(); on; on = cursor.previous()) {
          assertTrue(cursor.key() < last);
          last = cursor.key();
          steps++;
        }
        assertEquals(7_000, steps);
        assertEquals(variant.name(), index.variant().name());
        index.verify();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void aStoreForReadingOnlyHasSnapshotsToo(TreeVariant variant) {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      fill(store.index("a", variant), 5_000, 4);
    }
    StoreOptions readOnly = SMALL.withFiles(SMALL.files().withFlags(FileOption.READ_ONLY));
    try (IndexStore store = IndexStore.open(path(), readOnly);
        Snapshot snapshot = store.snapshot()) {
      assertAll(store.index("a"), 5_000, 4);
      assertAll(snapshot.index("a"), 5_000, 4);
      assertThrows(UnsupportedOperationException.class, () -> store.index("a").put(1, 1));
      assertThrows(UnsupportedOperationException.class, () -> store.index("a").delete(-1));
    }
  }

  @Test
  void manySnapshotsEachHaveTheirOwnMoment() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a");
      List<Snapshot> snapshots = new ArrayList<>();
      for (int round = 0; round < 12; round++) {
        fill(index, 3_000, round);
        store.commit(new byte[] {(byte) round});
        snapshots.add(store.snapshot());
      }
      for (int round = 0; round < 12; round += 2) {
        snapshots.get(round).close();
      }
      fill(index, 4_000, -1);
      store.checkpoint();
      fill(index, 4_000, -2);
      for (int round = 1; round < 12; round += 2) {
        assertAll(snapshots.get(round).index("a"), 3_000, round);
        assertArrayEquals(new byte[] {(byte) round}, snapshots.get(round).note());
      }
    }
  }

  @Test
  void allIndexesAreOfOneMomentAndDroppedOnesStay() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex a = store.index("a", Cola.VARIANT);
      LongIndex b = store.index("b", DiskOptimizedBPlusTree.VARIANT);
      for (long key = 0; key < 2_000; key++) {
        store.write(new WriteBatch().set(a, key, key).set(b, key, key));
      }
      store.commit("then".getBytes(StandardCharsets.UTF_8));
      try (Snapshot snapshot = store.snapshot()) {
        store.drop("a");
        b.clear();
        store.index("c").put(1, 1);
        store.commit("now".getBytes(StandardCharsets.UTF_8));
        fill(b, 5_000, 9);
        store.checkpoint();
        assertEquals(List.of("a", "b"), snapshot.names());
        assertEquals("then", new String(snapshot.note(), StandardCharsets.UTF_8));
        assertEquals(2_000, snapshot.index("a").size());
        for (long key = 0; key < 2_000; key++) {
          assertEquals(key, snapshot.index("a").get(key));
          assertEquals(key, snapshot.index("b").get(key));
        }
        String message =
            assertThrows(IllegalArgumentException.class, () -> snapshot.index("c")).getMessage();
        assertTrue(message.contains("'c'") && message.contains("[a, b]"), message);
        assertThrows(IllegalArgumentException.class, () -> snapshot.index("b", Cola.VARIANT));
      }
    }
  }

  @Test
  void nothingWrittenSinceTheLastCheckpointMakesNoOther() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      store.index("a").put(1, 1);
      try (Snapshot first = store.snapshot();
          Snapshot second = store.snapshot()) {
        assertEquals(first.checkpoint(), second.checkpoint());
        assertEquals(store.statistics().checkpoint(), first.checkpoint());
        store.index("a").put(2, 2);
        try (Snapshot third = store.snapshot()) {
          assertEquals(first.checkpoint() + 1, third.checkpoint());
        }
      }
    }
  }

  @Test
  void aClosedSnapshotGivesItsPlacesBack() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a");
      fill(index, 20_000, 0);
      store.checkpoint();
      fill(index, 20_000, 1);
      store.checkpoint();
      long before = store.statistics().usedBytes();
      Snapshot snapshot = store.snapshot();
      fill(index, 20_000, 2);
      store.checkpoint();
      assertTrue(store.statistics().usedBytes() > before * 3 / 2);
      snapshot.close();
      store.checkpoint();
      assertTrue(store.statistics().usedBytes() <= before + 8 * 4096);
    }
  }

  @Test
  void aSnapshotIsReadableWhenTheDeviceHasFailed() {
    Faults faults = new Faults();
    // Without a thread in the background, which might be the first to meet the failure.
    StoreEnvironment environment = Stores.environment(faults.over(PageFiles.DIRECT));
    IndexStore store = new StoreOpening(path(), SMALL, environment).open();
    LongIndex index = store.index("a");
    fill(index, 5_000, 1);
    Snapshot snapshot = store.snapshot();
    fill(index, 3_000, 2);
    faults.failFrom(1, Errno.EIO, Operation.WRITE, Operation.FORCE);
    assertThrows(PageFileException.class, store::checkpoint);
    assertAll(snapshot.index("a"), 5_000, 1);
    assertThrows(IllegalStateException.class, store::snapshot);
    faults.heal();
    assertThrows(PageFileException.class, store::close);
    assertThrows(IllegalStateException.class, snapshot::names);
  }

  @Test
  void whatIsClosedIsRefused() {
    Snapshot left;
    LongIndex leftIndex;
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      fill(store.index("a"), 3_000, 1);
      Snapshot snapshot = store.snapshot();
      LongIndex index = snapshot.index("a");
      assertSame(index, snapshot.index("a"));
      index.close();
      assertTrue(index.isClosed());
      assertThrows(IllegalStateException.class, () -> index.get(1));
      LongIndex again = snapshot.index("a");
      assertEquals(1, again.get(1));
      snapshot.close();
      snapshot.close();
      assertThrows(IllegalStateException.class, () -> again.get(1));
      assertThrows(IllegalStateException.class, () -> again.put(1, 1));
      assertThrows(IllegalStateException.class, () -> snapshot.index("a"));
      assertThrows(IllegalStateException.class, snapshot::names);
      assertThrows(IllegalStateException.class, snapshot::note);
      left = store.snapshot();
      leftIndex = left.index("a");
      assertFalse(leftIndex.isClosed());
    }
    assertThrows(IllegalStateException.class, () -> left.index("a"));
    assertThrows(IllegalStateException.class, () -> leftIndex.get(1));
    left.close();
  }

  @Test
  void aSharedPoolIsFreeWhenTheStoreIsClosed() {
    try (BufferPool pool = BufferPool.create(64 * 4096, 4096)) {
      StoreOptions shared = SMALL.withFiles(SMALL.files().withPool(pool));
      try (IndexStore store = IndexStore.open(path(), shared)) {
        fill(store.index("a"), 3_000, 1);
        assertAll(store.snapshot().index("a"), 3_000, 1);
      }
    } // closing the pool fails if anything still uses it
  }

  @Test
  void threadsReadASnapshotWhileAnotherWrites() throws InterruptedException {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a");
      fill(index, 20_000, 5);
      try (Snapshot snapshot = store.snapshot()) {
        LongIndex then = snapshot.index("a");
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> readers = new ArrayList<>();
        for (int reader = 0; reader < 3; reader++) {
          int seed = reader;
          readers.add(
              Thread.ofPlatform()
                  .start(
                      () -> {
                        try {
                          Random random = new Random(seed);
                          for (int i = 0; i < 20_000; i++) {
                            assertEquals(5, then.get(random.nextInt(20_000)));
                          }
                        } catch (Throwable failed) {
                          failure.set(failed);
                        }
                      }));
        }
        for (int round = 0; round < 4; round++) {
          fill(index, 20_000, round);
          store.checkpoint();
        }
        for (Thread reader : readers) {
          reader.join();
        }
        assertEquals(null, failure.get());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void whoeverReadsASnapshotWhenTheStoreIsClosedIsToldSo(TreeVariant variant) {
    IndexStore store = IndexStore.open(path(), SMALL);
    fill(store.index("a", variant), 10_000, 1);
    Snapshot snapshot = store.snapshot();
    LongIndex index = snapshot.index("a");
    LongCursor cursor = index.cursor();
    assertTrue(cursor.first());
    Iterator<Long> keys = index.asMap().keySet().iterator();
    assertEquals(0, keys.next());
    fill(store.index("a"), 10_000, 2);
    store.close();
    List<Executable> reads =
        List.of(
            () -> cursor.ceiling(9_000),
            () -> readOn(cursor),
            () -> keys.forEachRemaining(_ -> {}),
            () -> index.get(1),
            () -> index.asMap().entrySet().stream().count(),
            snapshot::names,
            () -> snapshot.index("a"));
    for (Executable read : reads) {
      String message = assertThrows(IllegalStateException.class, read).getMessage();
      assertTrue(message.contains("closed"), message);
    }
  }

  private static void readOn(LongCursor cursor) {
    boolean on = true;
    while (on) {
      on = cursor.next();
    }
  }
}
