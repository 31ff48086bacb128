// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.cola.Cola;
import dev.espalier.family.Family;
import dev.espalier.io.Faults.Operation;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CompactionTest {
  private static final StoreOptions SMALL = IndexStoreTest.SMALL;

  private static final int ENTRIES = 30_000;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  static Stream<TreeVariant> paged() {
    return PagedTrees.namesOfKinds().stream().map(Family::named);
  }

  private Path path() {
    return folder.resolve("store");
  }

  private long length() {
    return path().toFile().length();
  }

  /** Makes a store whose index 'a' is at the end of the file, behind what was dropped. */
  private IndexStore withFreeBeginning(StoreOptions options, TreeVariant variant) {
    IndexStore store = IndexStore.open(path(), options);
    try {
      long[] keys = LongStream.range(0, 200_000).toArray();
      store.index("dropped").bulkload(keys, keys);
      LongIndex index = store.index("a", variant);
      for (long key = 0; key < ENTRIES; key++) {
        index.set(key, key);
      }
      store.checkpoint();
      store.drop("dropped");
      return store;
    } catch (RuntimeException | Error failed) {
      store.close();
      throw failed;
    }
  }

  /** Copies the files of a store that is open: what a killed process would leave. */
  private Path killed() throws IOException {
    Path copy = Files.createTempDirectory(folder, "killed");
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy.resolve("store");
  }

  private static void assertAll(LongIndex index) {
    index.verify();
    assertEquals(ENTRIES, index.size());
    for (long key = 0; key < ENTRIES; key++) {
      assertEquals(key, index.get(key));
    }
  }

  @Test
  void theEndOfTheFileIsGivenBackByACheckpointWhereOnlyADroppedIndexWas() throws IOException {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a");
      index.set(1, 1);
      store.checkpoint();
      store.checkpoint();
      long[] keys = LongStream.range(0, 400_000).toArray();
      store.index("dropped").bulkload(keys, keys);
      store.checkpoint();
      long before = length();
      store.drop("dropped");
      store.checkpoint();
      assertTrue(length() < before / 2, length() + " of " + before);
      store.verify();
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void theEndOfTheFileIsGivenBack(TreeVariant variant) throws IOException {
    try (IndexStore store = withFreeBeginning(SMALL, variant)) {
      long before = length();
      long given = store.shrink();
      assertEquals(before - length(), given);
      long used = store.statistics().usedBytes();
      assertTrue(length() <= used + 40 * 4096, length() + " for " + used);
      assertTrue(given > before / 2, given + " of " + before);
      assertAll(store.index("a"));
      assertEquals(0, store.shrink());
      store.verify();
      Path killed = killed();
      try (IndexStore again = IndexStore.open(killed, SMALL)) {
        assertAll(again.index("a", variant));
      }
    }
    try (IndexStore again = IndexStore.open(path(), SMALL)) {
      assertAll(again.index("a", variant));
    }
  }

  @Test
  void pagesOfClosedIndexesAreMovedToo() throws IOException {
    Path killed;
    try (IndexStore store = withFreeBeginning(SMALL, Cola.VARIANT)) {
      store.commit();
      killed = killed();
    }
    try (IndexStore store = IndexStore.open(killed, SMALL)) {
      long before = killed.toFile().length();
      store.shrink();
      long length = killed.toFile().length();
      assertTrue(length < before / 2, length + " of " + before);
      assertAll(store.index("a", Cola.VARIANT));
    }
  }

  @ParameterizedTest
  @MethodSource("paged")
  void othersReadAndWriteMeanwhile(TreeVariant variant) {
    try (IndexStore store = withFreeBeginning(SMALL, variant)) {
      LongIndex index = store.index("a");
      Random random = new Random(3);
      long before = length();
      store.shrink(
          (done, total) -> {
            assertTrue(done <= total, done + " of " + total);
            LongCursor cursor = index.cursor();
            cursor.ceiling(random.nextInt(ENTRIES / 2));
            for (int i = 0; i < 2_000; i++) {
              assertEquals(cursor.key(), cursor.value());
              cursor.next(); // reads pages ahead
            }
            for (int i = 0; i < 200; i++) {
              long key = random.nextInt(ENTRIES);
              index.set(key, key);
            }
            return true;
          });
      assertTrue(length() < before * 2 / 3, length() + " of " + before);
      assertAll(index);
    }
    try (IndexStore again = IndexStore.open(path(), SMALL)) {
      assertAll(again.index("a", variant));
    }
  }

  @Tag("thorough")
  @Test
  void anotherThreadWritesAllTheWhile() throws InterruptedException {
    try (IndexStore store = withFreeBeginning(SMALL, DiskOptimizedBPlusTree.VARIANT)) {
      LongIndex index = store.index("a");
      AtomicBoolean stop = new AtomicBoolean();
      long[] written = new long[ENTRIES];
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      Random random = new Random(5);
                      for (long i = 1; !stop.get(); i++) {
                        int key = random.nextInt(ENTRIES);
                        index.set(key, i);
                        written[key] = i;
                      }
                    } catch (Throwable failed) {
                      failure.set(failed);
                    }
                  });
      long[] keys = LongStream.range(0, 40_000).toArray();
      for (int round = 0; round < 8; round++) {
        store.index("other").bulkload(keys, keys);
        store.shrink();
        store.drop("other");
        store.shrink();
      }
      stop.set(true);
      writer.join();
      assertNull(failure.get());
      store.verify();
      for (int key = 0; key < ENTRIES; key++) {
        assertEquals(written[key] == 0 ? key : written[key], index.get(key));
      }
      index.close();
      store.verify();
    }
  }

  @Test
  void pagesThatWereReadAheadAreMovedAsWell() {
    try (IndexStore store = withFreeBeginning(SMALL, Cola.VARIANT)) {
      LongIndex index = store.index("a");
      SlotPageStore pages = ((StoreIndex) index).pages();
      store.checkpoint();
      int[] ahead = new int[8];
      int count = 0;
      for (int page = 1; count < ahead.length; page++) {
        if (pages.frameOf(page) == Frames.NONE && pages.position(page) > 0) {
          ahead[count++] = page;
        }
      }
      pages.readAhead(ahead, 0, ahead.length);
      store.shrink();
      assertTrue(length() <= store.statistics().usedBytes() + 40 * 4096);
      assertAll(index);
    }
  }

  @Test
  void whatASnapshotHoldsStaysWhereItIs() {
    try (IndexStore store = withFreeBeginning(SMALL, Cola.VARIANT)) {
      LongIndex index = store.index("a");
      try (Snapshot snapshot = store.snapshot()) {
        index.clear();
        index.set(1, 1);
        store.shrink();
        assertAll(snapshot.index("a"));
      }
      long before = length();
      assertTrue(store.shrink() > 0);
      assertTrue(length() < before);
      assertEquals("{1=1}", index.asMap().toString());
    }
  }

  @Test
  void aCancelledOneLeavesTheStoreSound() {
    try (IndexStore store = withFreeBeginning(SMALL, Cola.VARIANT)) {
      assertThrows(CancellationException.class, () -> store.shrink((done, total) -> false));
      assertAll(store.index("a"));
      store.checkpoint();
      assertAll(store.index("a"));
    }
    try (IndexStore again = IndexStore.open(path(), SMALL)) {
      assertAll(again.index("a", Cola.VARIANT));
    }
  }

  @Test
  void aDamagedPageIsNotMovedAndNoPlaceIsLost() {
    Faults faults = new Faults();
    StoreOptions options = SMALL.withFiles(SMALL.files().withEngine(faults.over(PageFiles.DIRECT)));
    try (IndexStore store = withFreeBeginning(options, Cola.VARIANT)) {
      store.checkpoint();
      long used = store.statistics().usedBytes();
      faults.failOnce(1, Errno.EIO, Operation.READ);
      assertThrows(PageFileException.class, store::shrink);
      faults.heal();
      assertEquals(used, store.statistics().usedBytes());
      assertTrue(store.shrink() > 0);
      assertAll(store.index("a"));
    }
  }

  /** As on file systems that never write in place: what lacks is room, and nothing is wrong. */
  @Test
  void aWriteThatFindsNoRoomEndsNothingButTheMoving() {
    Faults faults = new Faults();
    StoreOptions options =
        SMALL
            .withFiles(SMALL.files().withEngine(faults.over(PageFiles.DIRECT)))
            .withCheckpointTime(Duration.ofHours(1));
    try (IndexStore store = withFreeBeginning(options, DiskOptimizedBPlusTree.VARIANT)) {
      boolean isDone = false;
      for (int number = 1; !isDone; number++) {
        faults.failOnce(number, Errno.ENOSPC, Operation.WRITE);
        try {
          store.shrink();
          isDone = true;
        } catch (PageFileException full) {
          assertTrue(SlotSpace.isFull(full), full.toString());
        }
        faults.heal();
        store.index("a").set(0, 0);
        store.checkpoint();
      }
      store.verify();
      assertAll(store.index("a"));
    }
  }

  @Test
  void aStoreForReadingOnlyIsNotMadeShorter() {
    withFreeBeginning(SMALL, Cola.VARIANT).close();
    StoreOptions readOnly = SMALL.withFiles(SMALL.files().withFlags(FileOption.READ_ONLY));
    try (IndexStore store = IndexStore.open(path(), readOnly)) {
      assertThrows(UnsupportedOperationException.class, store::shrink);
      assertAll(store.index("a", Cola.VARIANT));
    }
  }
}
