// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.Faults.Operation;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores on a device that has no more room. */
class FullStoreTest {
  private static final StoreOptions SMALL = IndexStoreTest.SMALL;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  private final Faults faults = new Faults();

  /** Opens it without a thread in the background, whose writes would count as well. */
  private IndexStore open() {
    StoreEnvironment environment = Stores.environment(faults.over(PageFiles.DIRECT));
    return new StoreOpening(folder.resolve("store"), SMALL, environment).open();
  }

  private static int inUse(IndexStore store) {
    return store.state().space.account().current().cardinality();
  }

  @Test
  void pagesThatFindNoRoomTakeNone() {
    try (IndexStore store = open()) {
      LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
      for (long key = 0; key < 5_000; key++) {
        index.set(key, key);
      }
      store.checkpoint();
      for (long key = 0; key < 5_000; key++) {
        index.set(key, -key);
      }
      faults.failFrom(1, Errno.ENOSPC, Operation.GROW);
      List<Integer> taken = new ArrayList<>();
      SlotSpace space = store.state().space;
      assertThrows(
          NoSlotException.class,
          () -> {
            while (true) {
              taken.add(space.take());
            }
          });
      for (int slot : taken.subList(0, 3)) {
        space.release(slot);
      }
      int before = inUse(store);
      SlotPageStore pages = ((StoreIndex) index).pages();
      assertThrows(NoSlotException.class, pages::flush);
      assertEquals(before, inUse(store));
      faults.heal();
      taken.subList(3, taken.size()).forEach(space::release);
      store.checkpoint();
      store.verify();
      assertEquals(-4_999, index.get(4_999));
    }
  }

  @Test
  void aPageOfAMapThatFindsNoSlotKeepsTheOneItHas() {
    SmallDevice device = new SmallDevice(64 * 4096);
    Path path = folder.resolve("file");
    try (PageFile file = device.over(PageFiles.DIRECT).open(path, Access.CREATE, 4096)) {
      SlotSpace space = new SlotSpace(file, 4096, null);
      int[] slots = space.takeRun(64 - space.first());
      assertThrows(NoSlotException.class, () -> space.replace(slots[0]));
      assertTrue(space.account().current().get(slots[0]));
      assertEquals(slots.length, space.busyCount());
    }
  }

  @Test
  void manyWritesAtOnceNeedNoMoreRoomThanTheirPages() {
    SmallDevice device = new SmallDevice(128 << 20);
    StoreEnvironment environment = Stores.environment(device.over(PageFiles.DIRECT));
    try (IndexStore store = new StoreOpening(folder.resolve("store"), SMALL, environment).open()) {
      LongIndex longs = store.index("longs", DiskOptimizedBPlusTree.VARIANT);
      BytesIndex strings = store.bytesIndex("strings");
      WriteBatch sets = new WriteBatch();
      WriteBatch removals = new WriteBatch();
      for (int i = 0; i < 50_000; i++) {
        byte[] key = {(byte) (i >> 16), (byte) (i >> 8), (byte) i};
        long scattered = i * 7919L % 50_021;
        sets.set(longs, scattered, i).set(strings, key, key);
        removals.delete(longs, scattered).delete(strings, key);
      }
      store.write(sets);
      assertEquals(50_000, longs.size());
      assertEquals(50_000, strings.size());
      store.checkpoint();
      store.write(sets);
      store.verify();
      store.write(removals);
      assertTrue(longs.isEmpty());
      assertTrue(strings.isEmpty());
      store.verify();
    }
  }

  @Test
  void writesAreRefusedAndGoOnWhenASnapshotIsClosed() {
    try (IndexStore store = open()) {
      LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
      for (long key = 0; key < 50_000; key++) {
        index.set(key, key);
      }
      Snapshot snapshot = store.snapshot();
      faults.failFrom(1, Errno.ENOSPC, Operation.GROW);
      long[] next = {0};
      MemoryLimitException full =
          assertThrows(
              MemoryLimitException.class,
              () -> {
                for (; next[0] < 10_000_000; next[0]++) {
                  index.set(next[0], -next[0]);
                }
              });
      assertTrue(full.getMessage().contains("has no room for more pages"), full.getMessage());
      store.commit();
      store.verify();
      assertEquals(50_000, snapshot.index("a").size());
      assertEquals(49_999, snapshot.index("a").get(49_999));
      snapshot.close();
      index.set(next[0], -next[0]);
      store.checkpoint();
      store.verify();
      assertEquals(-next[0], index.get(next[0]));
      faults.heal();
    }
  }

  @Test
  void aFileThatIsMadeShorterKeepsRoomForTheNextCheckpoint() {
    try (PageFile file = PageFiles.DIRECT.open(folder.resolve("file"), Access.CREATE, 4096)) {
      SlotSpace space = new SlotSpace(file, 4096, null);
      int[] slots = space.takeRun(5_000);
      space.reserve(10);
      Arrays.stream(slots).forEach(space::release);
      space.truncate();
      assertEquals(space.first() + 10, space.room());
      assertEquals(space.room() * 4096L, file.bytes());
    }
  }

  @Test
  void pagesThatAreReadTogetherLieApartWhereTheDeviceHasNoRoomForThemSideBySide() {
    SmallDevice device = new SmallDevice(64 * 4096);
    Path path = folder.resolve("file");
    try (PageFile file = device.over(PageFiles.DIRECT).open(path, Access.CREATE, 4096)) {
      SlotSpace space = new SlotSpace(file, 4096, null);
      int[] slots = space.takeRun(64 - space.first());
      assertEquals(64, space.room());
      assertEquals(63, slots[slots.length - 1]);
      int[] even = Arrays.stream(slots).filter(slot -> slot % 2 == 0).toArray();
      Arrays.stream(even).forEach(space::release);
      assertThrows(NoSlotException.class, () -> space.takeRun(even.length + 1));
      assertArrayEquals(even, space.takeRun(even.length));
    }
  }

  private static void fill(LongIndex index, long value) {
    for (long key = 0; key < 2_000; key++) {
      index.set(key, value);
    }
  }

  private static void assertAll(LongIndex index, long value) {
    for (long key = 0; key < 2_000; key++) {
      assertEquals(value, index.get(key));
    }
  }

  /** Opens what a kill would leave now. */
  private void assertRecovered(long value) throws IOException {
    Path copy = folder.resolve("copy");
    copyAll(copy);
    try (IndexStore recovered = IndexStore.open(copy, SMALL)) {
      recovered.verify();
      assertAll(recovered.index("a"), value);
    }
    Files.delete(copy);
  }

  private void copyAll(Path copy) throws IOException {
    while (!copiesAll(copy)) {
      // Once more.
    }
  }

  /** Copies the store; tells whether no segment of its log, which need not wait, went meanwhile. */
  private boolean copiesAll(Path copy) throws IOException {
    for (Path file : IndexStore.files(copy)) {
      Files.deleteIfExists(file);
    }
    try {
      for (Path file : IndexStore.files(folder.resolve("store"))) {
        Files.copy(
            file, copy.resolveSibling(file.getFileName().toString().replace("store", "copy")));
      }
      return true;
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  /** As file systems do that never write in place. */
  @Test
  void aWriteThatFindsNoRoomIsMadeAgainWhenThereIs() throws IOException {
    long writes = 0;
    for (long n = 1; n <= writes + 1; n++) {
      Files.deleteIfExists(folder.resolve("store"));
      try (IndexStore store = open()) {
        LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
        fill(index, 1);
        store.checkpoint();
        fill(index, 2);
        faults.failFrom(n, Errno.ENOSPC, Operation.WRITE);
        boolean isRefused = false;
        try {
          store.checkpoint();
        } catch (NoSlotException full) {
          isRefused = true;
        }
        assertEquals(isRefused, faults.counted() >= n);
        writes = faults.counted();
        assertAll(index, 2);
        faults.failFrom(1, Errno.ENOSPC, Operation.WRITE);
        if (!isRefused) {
          index.set(0, 3);
          assertThrows(PageFileException.class, store::commit);
        }
        faults.heal();
        fill(index, 4);
        store.commit();
        assertRecovered(4);
        store.checkpoint();
        store.verify();
        assertRecovered(4);
        fill(index, 5);
      }
      try (IndexStore store = open()) {
        assertTrue(store.recovery().wasClean());
        assertAll(store.index("a"), 5);
      }
    }
    assertTrue(writes > 5, "writes: " + writes);
  }

  private IndexStore openWithFaultyLog() {
    return open(new SystemFiles(PageFiles.DIRECT, faults.over(PageFiles.DIRECT)));
  }

  private IndexStore open(StoreFiles files) {
    StoreEnvironment environment = new StoreEnvironment(files, new Random(1), false, false);
    return new StoreOpening(folder.resolve("store"), SMALL, environment).open();
  }

  /** Its room was promised, but others needed the next segment of the log, and were refused. */
  @Test
  @Timeout(60)
  void theRecordOfAWriterThatWasWithinIsRecovered() throws IOException, InterruptedException {
    try (IndexStore store = openWithFaultyLog()) {
      StoreIndex index = (StoreIndex) store.index("a", DiskOptimizedBPlusTree.VARIANT);
      store.commit();
      StoreState state = store.state();
      long checkpoint = state.header.checkpoint();
      long within = state.gate.enter(WriterGate.promise(1, SetRecord.BYTES));
      assertTrue(state.log.ensureRoom(state.gate, state.gate.sum(), 0, checkpoint));
      index.tree().set(-1, 2);
      faults.failFrom(1, Errno.ENOSPC, Operation.WRITE);
      AtomicInteger written = new AtomicInteger();
      Thread other = Thread.ofPlatform().start(() -> setUntilRefused(index, written));
      while (other.isAlive() && other.getState() != Thread.State.WAITING) {
        Thread.onSpinWait(); // It waits for the writer that is within, or was refused.
      }
      assertTrue(written.get() > 1_000, "writes: " + written);
      state.log.appendSet(index.id(), -1, 2, checkpoint);
      state.gate.leave(within);
      other.join();
      faults.heal();
      store.commit();
      copyAll(folder.resolve("copy"));
      try (IndexStore recovered = IndexStore.open(folder.resolve("copy"), SMALL)) {
        assertEquals(written.get() + 1, recovered.index("a").size());
        assertEquals(2, recovered.index("a").get(-1));
      }
    }
  }

  private static void setUntilRefused(LongIndex index, AtomicInteger written) {
    try {
      for (int key = 0; key < 100_000; key++) {
        index.set(key, 2);
        written.incrementAndGet();
      }
    } catch (PageFileException | MemoryLimitException full) {
      // As was ordered.
    }
  }

  /** The segment that was to come next is neither lost nor used twice. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRecordForWhichTheLogCanHaveNoSegmentIsRefusedAndTheLogGoesOn(boolean hasFreeSegment)
      throws IOException {
    try (IndexStore store = openWithFaultyLog()) {
      BytesIndex strings = store.bytesIndex("strings");
      LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
      fill(index, 1);
      if (hasFreeSegment) {
        store.state().log.prepare();
      }
      faults.failFrom(1, Errno.ENOSPC, Operation.GROW);
      byte[] large = new byte[200 << 10];
      assertThrows(MemoryLimitException.class, () -> strings.set(new byte[1], large));
      faults.heal();
      for (long value = 2; value < 7; value++) {
        fill(index, value);
        store.commit();
      }
      List<LogSegment> segments = store.state().log.end.allSegments();
      assertEquals(segments.size(), Set.copyOf(segments).size());
      assertRecovered(6);
    }
  }

  /** As for any other write, a checkpoint makes room in the log. */
  @Test
  void notesGoOnWhereTheLogCanHaveNoMoreSegments() throws IOException {
    try (IndexStore store = openWithFaultyLog()) {
      fill(store.index("a", DiskOptimizedBPlusTree.VARIANT), 1);
      byte[] note = new byte[IndexStore.MOST_NOTE_BYTES];
      faults.failFrom(1, Errno.ENOSPC, Operation.GROW);
      for (byte n = 0; n < 100; n++) {
        note[0] = n;
        store.commit(note);
      }
      assertTrue(faults.counted() > 3, "refused: " + faults.counted());
      assertArrayEquals(note, store.note());
      assertRecovered(1);
    }
  }

  @Test
  void whatFindsNoRoomInTheLastCheckpointIsInTheLog() {
    StoreFiles files = new SystemFiles(faults.over(PageFiles.DIRECT), PageFiles.DIRECT);
    IndexStore store = open(files);
    LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
    fill(index, 1);
    store.checkpoint();
    fill(index, 2);
    faults.failFrom(1, Errno.ENOSPC, Operation.WRITE);
    assertThrows(NoSlotException.class, store::close);
    faults.heal();
    try (IndexStore again = open(files)) {
      assertFalse(again.recovery().wasClean());
      assertAll(again.index("a"), 2);
      again.verify();
    }
  }
}
