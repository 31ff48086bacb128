// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.cola.Cola;
import dev.espalier.family.Family;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Indexes in files are opened, closed and opened again. */
@Tag("fallback-thorough")
class IndexFileTest {
  private static final int CHANGES = TestSize.of(300, 2_000);

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private Path path() {
    return folder.resolve("index.esp");
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.io.PagedTrees#namesOfKinds")
  void reopenedIndexHasTheSameEntries(String tree) {
    FileOptions options = PagedTrees.options(tree, 1024, 11);
    Random random = new Random(1);
    TreeMap<Long, Long> model = new TreeMap<>();
    for (int round = 0; round < 3; round++) {
      try (LongIndex index = Espalier.open(path(), options)) {
        PagedTrees.assertHolds(model, index);
        for (int i = 0; i < CHANGES; i++) {
          long key = random.nextInt(5 * CHANGES / 2);
          if (random.nextInt(4) == 0) {
            assertEquals(model.remove(key) != null, index.containsKey(key));
            index.remove(key);
          } else {
            model.put(key, (long) i);
            index.put(key, i);
          }
        }
        PagedTrees.assertHolds(model, index);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.io.PagedTrees#namesOfKinds")
  void indexWithPagesOfDevicesIsReopenedWithTheOptionsOfTheFile(String tree) {
    TreeMap<Long, Long> model = new TreeMap<>();
    for (long key = 0; key < 3_000; key++) {
      model.put(key * 3, key);
    }
    try (LongIndex index = Espalier.open(path(), PagedTrees.options(tree, 4096, 8))) {
      index.bulkload(
          model.keySet().stream().mapToLong(key -> key).toArray(),
          model.values().stream().mapToLong(value -> value).toArray());
    }
    try (LongIndex index = Espalier.open(path())) {
      assertEquals(tree, index.variant().name());
      PagedTrees.assertHolds(model, index);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.io.PagedTrees#namesOfKinds")
  void clearedIndexUsesItsPagesAgain(String tree) throws IOException {
    FileOptions options = PagedTrees.options(tree, 1024, 8);
    TreeMap<Long, Long> model = new TreeMap<>();
    long bytes = 0;
    for (int round = 0; round < 3; round++) {
      try (LongIndex index = Espalier.open(path(), options)) {
        index.clear();
        model.clear();
        for (long key = 0; key < CHANGES; key++) {
          index.put(key, round);
          model.put(key, (long) round);
        }
        PagedTrees.assertHolds(model, index);
      }
      bytes = round == 0 ? Files.size(path()) : bytes;
    }
    assertEquals(bytes, Files.size(path()));
  }

  @Test
  void freePagesAreKeptForTheNextTime() throws IOException {
    FileOptions options = PagedTrees.options("DiskOptimizedBPlusTree", 256, 8);
    try (LongIndex index = Espalier.open(path(), options)) {
      for (long key = 0; key < 5_000; key++) {
        index.put(key, key);
      }
      index.removeRange(100, true, 5_000, true);
    }
    StoreDescription.Index small =
        Espalier.describe(path(), FileOptions.DEFAULT).indexes().getFirst();
    assertTrue(small.freePages() > 300, "free: " + small.freePages());
    long bytes = Files.size(path());
    try (LongIndex index = Espalier.open(path(), options)) {
      index.verify();
      for (long key = 0; key < 5_000; key++) {
        index.put(key, key);
      }
      index.verify();
    }
    assertEquals(bytes, Files.size(path()));
  }

  @Test
  void descriptionSaysWhatIsInTheFile() {
    try (LongIndex index =
        Espalier.open(path(), PagedTrees.options("MicroIndexBPlusTree", 512, 8))) {
      for (long key = 0; key < 300; key++) {
        index.put(key, key);
      }
    }
    StoreDescription store = Espalier.describe(path(), FileOptions.DEFAULT);
    StoreDescription.Index description = store.indexes().getFirst();
    assertEquals("MicroIndexBPlusTree", description.kind());
    assertEquals(512, store.pageBytes());
    assertEquals(300, description.entries());
    assertEquals(1, store.stripes());
    assertTrue(store.isClean());
    assertTrue(description.height() > 1, "height: " + description.height());
  }

  @Test
  void stripedIndexNeedsAllItsFiles() {
    FileOptions options =
        PagedTrees.options("DiskFirstFpbPlusTree", 1024, 8)
            .withStripes(folder.resolve("second.esp"), folder.resolve("third.esp"));
    TreeMap<Long, Long> model = new TreeMap<>();
    try (LongIndex index = Espalier.open(path(), options)) {
      for (long key = 0; key < 2_000; key++) {
        index.put(-key, key);
        model.put(-key, key);
      }
    }
    try (LongIndex index = Espalier.open(path(), options)) {
      PagedTrees.assertHolds(model, index);
    }
    PageFileException refused =
        assertThrows(PageFileException.class, () -> Espalier.open(path(), FileOptions.DEFAULT));
    assertTrue(refused.getMessage().contains("spread over 3 files, not 1"), refused.getMessage());
  }

  @Test
  void aFileThatIsInTheWayOfAStripeIsKept() throws IOException {
    Path stripe = Files.writeString(folder.resolve("second.esp"), "somebody's");
    FileOptions options = PagedTrees.options("DiskFirstFpbPlusTree", 1024, 8).withStripes(stripe);
    assertThrows(PageFileException.class, () -> Espalier.open(path(), options));
    assertEquals("somebody's", Files.readString(stripe));
    assertFalse(Files.exists(path()));
  }

  @Test
  void everyFlagIsHeeded() {
    FileOptions small = PagedTrees.options("DiskFirstFpbPlusTree", 1024, 8);
    assertThrows(
        PageFileException.class,
        () -> Espalier.open(path(), small.withFlags(FileOption.MUST_EXIST)));
    assertThrows(
        PageFileException.class,
        () -> Espalier.open(path(), small.withFlags(FileOption.READ_ONLY)));
    assertFalse(Files.exists(path()));
    Espalier.open(path(), small.withFlags(FileOption.MUST_BE_NEW)).close();
    assertThrows(
        PageFileException.class,
        () -> Espalier.open(path(), small.withFlags(FileOption.MUST_BE_NEW)));
    try (LongIndex index = Espalier.open(path(), small.withFlags(FileOption.MUST_EXIST))) {
      index.put(1, 2);
    }
    try (LongIndex index = Espalier.open(path(), small.withFlags(FileOption.READ_ONLY))) {
      assertEquals(2, index.get(1));
      assertThrows(UnsupportedOperationException.class, () -> index.put(2, 3));
      assertThrows(UnsupportedOperationException.class, () -> index.remove(1));
      assertThrows(UnsupportedOperationException.class, index::clear);
      index.flush();
      index.verify();
    }
  }

  @Test
  void fileIsMadeAndOpenedByTheVariantsOwnOpener() {
    TreeVariant variant = Cola.VARIANT;
    TreeVariant binary =
        new TreeVariant(
            variant.name(),
            variant.paper(),
            variant.medium(),
            variant.capabilities(),
            variant.factory(),
            (options, store) -> Cola.open(options, store, new Cola.Geometry(2, 0.1, 128)));
    TreeVariant ternary =
        TreeVariant.inPages(
            variant.name(),
            variant.paper(),
            variant.factory(),
            (options, store) -> Cola.open(options, store, new Cola.Geometry(3, 0.1, 128)));
    Espalier.open(path(), FileOptions.DEFAULT.withVariant(binary)).close();
    Espalier.open(path(), FileOptions.DEFAULT.withVariant(binary)).close();
    IllegalArgumentException other =
        assertThrows(
            IllegalArgumentException.class,
            () -> Espalier.open(path(), FileOptions.DEFAULT.withVariant(ternary)));
    assertTrue(other.getMessage().contains("another geometry"), other.getMessage());
    Espalier.open(path()).close();
  }

  @Test
  void aNewFileHasATreeForManyThreadsAndAnotherKeepsItsOwn() {
    Path old = folder.resolve("old.esp");
    Espalier.open(old, FileOptions.DEFAULT.withVariant(Family.named("DiskFirstFpbPlusTree")))
        .close();
    for (int time = 0; time < 2; time++) {
      try (LongIndex made = Espalier.open(path());
          LongIndex kept = Espalier.open(old)) {
        assertEquals("FpbLinkTree", made.variant().name());
        assertEquals("DiskFirstFpbPlusTree", kept.variant().name());
      }
    }
  }

  @Test
  void anotherTreeOrPageSizeThanTheFilesIsRefused() {
    Espalier.open(path(), PagedTrees.options("DiskFirstFpbPlusTree", 1024, 8)).close();
    IllegalArgumentException tree =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                Espalier.open(
                    path(),
                    FileOptions.DEFAULT.withVariant(Family.named("CacheFirstFpbPlusTree"))));
    assertTrue(tree.getMessage().contains("DiskFirstFpbPlusTree"), tree.getMessage());
    IllegalArgumentException size =
        assertThrows(
            IllegalArgumentException.class,
            () -> Espalier.open(path(), FileOptions.DEFAULT.withPageBytes(512)));
    assertTrue(size.getMessage().contains("1024"), size.getMessage());
    Espalier.open(path()).close();
  }

  @Test
  void fileIsOpenOnceInAProcess() {
    try (LongIndex index = Espalier.open(path())) {
      index.put(1, 1);
      PageFileException refused =
          assertThrows(PageFileException.class, () -> Espalier.open(path()));
      assertTrue(refused.getMessage().contains("this process"), refused.getMessage());
      assertThrows(PageFileException.class, () -> Espalier.describe(path(), FileOptions.DEFAULT));
    }
    Espalier.open(path()).close();
  }

  @Test
  void failedBulkloadLeavesAnEmptyIndex() {
    try (LongIndex index =
        Espalier.open(path(), PagedTrees.options("CacheFirstFpbPlusTree", 1024, 8))) {
      long[] keys = {5, 4};
      assertThrows(
          IllegalArgumentException.class,
          () -> index.bulkload(LongEntrySource.of(keys, keys, 2), 1.0, 2, ProgressListener.NONE));
      assertEquals(0, index.size());
      index.put(1, 1);
      index.verify();
    }
  }

  @Test
  void batchReadsOneWaveForEachLevel() {
    FileOptions options = PagedTrees.options("DiskOptimizedBPlusTree", 1024, 400);
    int entries = 20_000;
    try (LongIndex index = Espalier.open(path(), options)) {
      long[] keys = java.util.stream.LongStream.range(0, entries).toArray();
      index.bulkload(keys, keys);
      assertEquals(3, index.statistics().height());
    }
    try (BufferPool pool = BufferPool.create(400 * 1024, 1024);
        LongIndex index = Espalier.open(path(), FileOptions.DEFAULT.withPool(pool))) {
      long[] keys = new Random(1).longs(64, 0, entries).toArray();
      long[] values = new long[keys.length];
      index.getAll(keys, values);
      assertEquals(List.of(3L, true), List.of(pool.counters().readWaves(), values[0] == keys[0]));
      assertTrue(pool.counters().mostInFlight() > 32, pool.counters().toString());
    }
  }

  @Test
  void batchReadsOneWaveForEachStepOfASearch() {
    FileOptions options = PagedTrees.options("DeamortizedCola", 1024, 400);
    int entries = 20_000;
    long[] keys = java.util.stream.LongStream.range(0, entries).toArray();
    try (LongIndex index = Espalier.open(path(), options)) {
      index.bulkload(keys, keys);
    }
    try (BufferPool pool = BufferPool.create(400 * 1024, 1024);
        LongIndex index = Espalier.open(path(), FileOptions.DEFAULT.withPool(pool))) {
      long[] sought = new Random(1).longs(64, -entries, entries).toArray();
      long[] values = new long[sought.length];
      long before = pool.counters().readWaves();
      index.getAll(sought, values);
      for (int i = 0; i < sought.length; i++) {
        assertEquals(sought[i] < 0 ? index.missingValue() : sought[i], values[i]);
      }
      int steps = Long.SIZE - Long.numberOfLeadingZeros(entries * 16L / 1024);
      PoolCounters counters = pool.counters();
      // One wave for the top, and one for the page that each probe has come to.
      assertTrue(counters.readWaves() - before <= steps + 2, counters.toString());
      assertTrue(counters.mostInFlight() > 16, counters.toString());
    }
  }
}
