// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.bepsilon.BEpsilonTree;
import dev.espalier.bftl.BftlTree;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.cola.Cola;
import dev.espalier.cola.DeamortizedCola;
import dev.espalier.family.Family;
import dev.espalier.fdtree.FdTree;
import dev.espalier.memory.PageStore;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.pio.PioBTree;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * To make an index takes a record of the log: no force, no page in the file, and no more work where
 * there are many. After a crash it is there as it was made, with what was written to it.
 */
class IndexMakingTest {
  /** Bytes of a record that makes an index with a short name. */
  private static final int MOST_RECORD_BYTES = 224;

  /** Bytes that are allocated for an index of one entry. */
  private static final long MOST_INDEX_BYTES = 16 << 10;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private Path path() {
    return folder.resolve("store.esp");
  }

  private IndexStore open(StoreOptions options) {
    return new StoreOpening(path(), options, Stores.environment(PageFiles.CHANNEL)).open();
  }

  private static StoreOptions options(String tree) {
    return StoreOptions.DEFAULT
        .withFiles(PagedTrees.options(tree, 1024, 400))
        .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
  }

  /** Opens the store that a crash now would leave. */
  private IndexStore openAfterCrash(StoreOptions options) throws IOException {
    Path crashed = folder.resolve("crashed");
    Stores.copy(folder, crashed);
    return IndexStore.open(crashed.resolve("store.esp"), options);
  }

  // ---------------------------------------------------------------- what it costs

  @Test
  void itCostsARecordHoweverManyIndexesThereAre() {
    StoreOptions options = options("DiskFirstFpbPlusTree").withSegmentBytes(1 << 20);
    try (IndexStore store = open(options)) {
      for (int i = 0; i < 300; i++) {
        StoreStatistics before = store.statistics();
        store.index("index" + i);
        StoreStatistics after = store.statistics();
        long logged = after.loggedBytes() - before.loggedBytes();
        assertTrue(logged > 0 && logged <= MOST_RECORD_BYTES, "index " + i + ": " + logged);
        assertEquals(before.forces(), after.forces());
        assertEquals(before.checkpoint(), after.checkpoint());
        assertEquals(before.mapBytesWritten(), after.mapBytesWritten());
        assertEquals(before.pageBytesWritten(), after.pageBytesWritten());
      }
    }
  }

  @Test
  void itIsSafeWithOneForceWhereEveryWriteIsToBe() throws IOException {
    StoreOptions options = options("Cola").withDurability(Durability.EVERY_WRITE);
    try (IndexStore store = open(options)) {
      for (int i = 0; i < 3; i++) {
        StoreStatistics before = store.statistics();
        store.index("index" + i);
        assertEquals(before.forces() + 1, store.statistics().forces());
        assertEquals(before.checkpoint(), store.statistics().checkpoint());
      }
      try (IndexStore crashed = openAfterCrash(options)) {
        assertEquals(store.names(), crashed.names());
      }
    }
  }

  /** Counts what is read. */
  private static PageFileOpener counting(LongAdder reads) {
    return (path, access, blockBytes) ->
        new PageFileAround(PageFiles.CHANNEL.open(path, access, blockBytes)) {
          @Override
          public void startRead(IoBatch batch) {
            reads.increment();
            super.startRead(batch);
          }
        };
  }

  @Test
  void theMapsOfManyIndexesAreReadTogether() {
    StoreOptions options = options("DiskFirstFpbPlusTree");
    try (IndexStore store = open(options)) {
      for (int i = 0; i < 300; i++) {
        store.index("index" + i).set(i, i);
      }
    }
    LongAdder reads = new LongAdder();
    StoreOptions counted = options.withFiles(options.files().withEngine(counting(reads)));
    try (IndexStore store = IndexStore.open(path(), counted)) {
      assertTrue(reads.sum() > 0 && reads.sum() < 150, "reads: " + reads);
      assertEquals(300, store.names().size());
      assertEquals(299, store.index("index299").get(299));
    }
  }

  /** What is allocated for it, most of which stays: not the room that only full pages need. */
  @ParameterizedTest
  @ValueSource(strings = {"DiskFirstFpbPlusTree", "DiskOptimizedBPlusTree", "FpbLinkTree"})
  void anIndexOfOneEntryTakesLittleMemory(String tree) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    FileOptions files = FileOptions.DEFAULT.withVariant(Family.named(tree));
    try (IndexStore store = open(StoreOptions.DEFAULT.withFiles(files))) {
      store.index("first").set(1, 1);
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 100; i++) {
        store.index("index" + i).set(i, i);
      }
      long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / 100;
      assertTrue(bytes < MOST_INDEX_BYTES, () -> bytes + " bytes for an index");
    }
  }

  // ---------------------------------------------------------------- what a crash leaves

  private static Stream<String> trees() {
    return PagedTrees.allNames().stream();
  }

  @ParameterizedTest
  @MethodSource("trees")
  void aCrashLeavesItAsItWasMadeAndWritten(String tree) throws IOException {
    StoreOptions options = options(tree);
    try (IndexStore store = open(options)) {
      StoredIndex.of(store, tree, "before").set(1, 10);
      store.checkpoint();
      StoredIndex.of(store, tree, "empty");
      StoredIndex written = StoredIndex.of(store, tree, "written");
      for (long key = 0; key < 300; key++) {
        written.set(key, 2 * key);
      }
      written.delete(7);
      store.commit();
      try (IndexStore crashed = openAfterCrash(options)) {
        assertEquals(List.of("before", "empty", "written"), crashed.names());
        for (String name : crashed.names()) {
          StoredIndex index = StoredIndex.of(crashed, tree, name);
          assertEquals(StoredIndex.of(store, tree, name).entries(), index.entries());
        }
        crashed.verify();
        StoredIndex.of(crashed, tree, "another").set(1, 11);
      }
      try (IndexStore again = IndexStore.open(folder.resolve("crashed/store.esp"), options)) {
        assertEquals(Map.of(1L, 11L), StoredIndex.of(again, tree, "another").entries());
        assertEquals(299, StoredIndex.of(again, tree, "written").entries().size());
      }
    }
  }

  @Test
  void whatWasNotCommittedIsNotThere() throws IOException {
    StoreOptions options = options("DiskFirstFpbPlusTree");
    try (IndexStore store = open(options)) {
      store.index("kept");
      store.commit();
      store.index("lost").set(1, 1);
      try (IndexStore crashed = openAfterCrash(options)) {
        assertEquals(List.of("kept"), crashed.names());
        crashed.index("lost").verify();
      }
    }
  }

  @Test
  void oneThatWasDroppedIsNotThereAndItsNameCanBeUsedAgain() throws IOException {
    StoreOptions options = options("DiskFirstFpbPlusTree");
    try (IndexStore store = open(options)) {
      store.index("a").set(1, 1);
      store.index("b").set(2, 2);
      store.drop("a");
      store.index("a", Cola.VARIANT).set(3, 3);
      store.commit();
      try (IndexStore crashed = openAfterCrash(options)) {
        assertEquals(List.of("b", "a"), crashed.names());
        PagedTrees.assertHolds(Map.of(3L, 3L), crashed.index("a"));
      }
    }
  }

  private static TreeVariant variant(
      TreeVariant tree, BiFunction<IndexOptions, PageStore, LongIndex> open) {
    return TreeVariant.inPages(
        tree.name(),
        tree.paper(),
        options -> open.apply(options, options.pagesInMemory(1024)),
        open::apply);
  }

  /** Trees of other geometries than usual. */
  private static Stream<TreeVariant> geometries() {
    return Stream.of(
        variant(
            DiskFirstFpbPlusTree.VARIANT,
            (o, s) -> DiskFirstFpbPlusTree.open(o, s, new DiskFirstFpbPlusTree.Geometry(1, 2))),
        variant(Cola.VARIANT, (o, s) -> Cola.open(o, s, new Cola.Geometry(2, 0.25, 16))),
        variant(FdTree.VARIANT, (o, s) -> FdTree.open(o, s, new FdTree.Geometry(3, 2))),
        variant(
            DeamortizedCola.VARIANT,
            (o, s) -> DeamortizedCola.open(o, s, new DeamortizedCola.Geometry(8))),
        variant(BftlTree.VARIANT, (o, s) -> BftlTree.open(o, s, new BftlTree.Geometry(2, 3))),
        variant(
            BEpsilonTree.VARIANT, (o, s) -> BEpsilonTree.open(o, s, new BEpsilonTree.Geometry(5))),
        PagedTrees.withSmallParts(PioBTree.VARIANT.name()));
  }

  /**
   * Its record has the geometry, which neither the store's options nor the name of the tree tell.
   */
  @ParameterizedTest
  @MethodSource("geometries")
  void aCrashLeavesItsGeometry(TreeVariant variant) throws IOException {
    StoreOptions options = options(variant.name());
    try (IndexStore store = open(options)) {
      store.index("a", variant).set(1, 1);
      store.commit();
      long[] words = store.state().indexes.get("a").meta;
      try (IndexStore crashed = openAfterCrash(options)) {
        assertEquals(words[0], crashed.state().indexes.get("a").meta[0]);
        PagedTrees.assertHolds(Map.of(1L, 1L), crashed.index("a", variant));
      }
    }
  }

  @Test
  void whatIsMadeInTheLogOfADamagedStoreIsSaved() throws IOException {
    StoreOptions options = options("DiskFirstFpbPlusTree");
    Path crashed = folder.resolve("crashed");
    try (IndexStore store = open(options)) {
      store.index("before").set(1, 10);
      store.checkpoint();
      store.index("longs", Cola.VARIANT).set(2, 20);
      store.bytesIndex("strings").put(new byte[] {3}, new byte[] {30});
      store.commit();
      Stores.copy(folder, crashed);
    }
    Path target = folder.resolve("saved.esp");
    SalvageReport report =
        Salvage.salvage(
            crashed.resolve("store.esp"), options.files(), target, ProgressListener.NONE);
    assertEquals(List.of(), report.findings());
    assertEquals(
        List.of("before", "longs", "strings"),
        report.indexes().stream().map(SalvageReport.Index::name).toList());
    try (IndexStore saved = IndexStore.open(target)) {
      PagedTrees.assertHolds(Map.of(2L, 20L), saved.index("longs"));
      assertEquals(30, saved.bytesIndex("strings").get(new byte[] {3})[0]);
    }
  }

  /** Its catalogue is lost, but not what the same log tells of others. */
  @Test
  void whatTheLogTellsOfOthersThanALostIndexIsSaved() throws IOException {
    StoreOptions options = options("DiskFirstFpbPlusTree");
    Path crashed = folder.resolve("crashed");
    long catalogue;
    try (IndexStore store = open(options)) {
      LongIndex kept = store.index("kept");
      store.checkpoint();
      BytesIndex lost = store.bytesIndex("lost");
      store.checkpoint();
      StoreState state = store.state();
      catalogue = state.space.position(state.header.catalogueSlot());
      kept.set(1, 10);
      lost.set(new byte[] {2}, new byte[] {20});
      kept.set(3, 30);
      store.commit();
      Stores.copy(folder, crashed);
    }
    new StoredBytes(crashed.resolve("store.esp")).flip(catalogue + 100);
    Path target = folder.resolve("saved.esp");
    SalvageReport report =
        Salvage.salvage(
            crashed.resolve("store.esp"), options.files(), target, ProgressListener.NONE);
    try (IndexStore saved = IndexStore.open(target)) {
      assertEquals(List.of("kept"), saved.names());
      PagedTrees.assertHolds(new TreeMap<>(Map.of(1L, 10L, 3L, 30L)), saved.index("kept"));
    }
    assertTrue(
        report.findings().contains("the log writes to index 1, which was not saved"),
        report.toString());
    assertEquals(
        List.of("kept", "(index 1)"),
        report.indexes().stream().map(SalvageReport.Index::name).toList());
    assertFalse(report.indexes().getLast().isComplete());
  }

  @Test
  void aNameThatIsRefusedLeavesNothing() {
    try (IndexStore store = open(options("Cola"))) {
      String name = "x".repeat(201);
      assertThrows(IllegalArgumentException.class, () -> store.index(name));
      assertEquals(List.of(), store.names());
    }
  }
}
