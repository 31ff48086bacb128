// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.cola.Cola;
import dev.espalier.family.Family;
import dev.espalier.io.Faults.Operation;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BackupTest {
  private static final StoreOptions SMALL = IndexStoreTest.SMALL;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  static Stream<TreeVariant> paged() {
    return PagedTrees.namesOfKinds().stream().map(Family::named);
  }

  private Path path() {
    return folder.resolve("store");
  }

  private Path target() {
    return folder.resolve("copy");
  }

  private static StoreOptions with(FileOption... flags) {
    return SMALL.withFiles(SMALL.files().withFlags(flags));
  }

  private void assertNothingIsLeft() {
    try (Stream<Path> files = Files.list(folder)) {
      List<String> names = files.map(file -> file.getFileName().toString()).toList();
      assertTrue(names.stream().noneMatch(name -> name.startsWith("copy")), names.toString());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static StoreHeader header(Path path) {
    return StoreHeaders.any(new SystemFiles(PageFiles.DIRECT, PageFiles.DIRECT), path);
  }

  @ParameterizedTest
  @MethodSource("paged")
  void aCopyHasWhatWasThereWhenItBegan(TreeVariant variant) {
    TreeMap<Long, Long> then = new TreeMap<>();
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a", variant);
      for (long key = 0; key < 12_000; key++) {
        index.set(key * 7919 % 12_007, key);
        then.put(key * 7919 % 12_007, key);
      }
      index.removeRange(3_000, true, 6_000, true);
      then.subMap(3_000L, true, 6_000L, true).clear();
      store.index("empty", variant);
      store.commit("offset".getBytes(StandardCharsets.UTF_8));
      store.backup(
          target(),
          (done, total) -> {
            assertTrue(done <= total, done + " of " + total);
            for (long key = 0; key < 2_000; key++) {
              index.set(key, -1); // goes on meanwhile, and is not in the copy
            }
            store.checkpoint();
            return true;
          });
      assertEquals(-1, index.get(1));
    }
    assertNotEquals(header(path()).storeId(), header(target()).storeId());
    try (IndexStore copy = IndexStore.open(target(), with(FileOption.READ_ONLY))) {
      assertEquals(List.of("a", "empty"), copy.names());
      assertEquals(then, copy.index("a").asMap());
    }
    try (IndexStore copy = IndexStore.open(target(), SMALL)) {
      assertTrue(copy.recovery().wasClean());
      LongIndex index = copy.index("a");
      index.verify();
      assertEquals(then, index.asMap());
      assertEquals("offset", new String(copy.note(), StandardCharsets.UTF_8));
      copy.index("empty").verify();
      for (long key = 0; key < 9_000; key++) {
        index.set(key, key);
      }
      index.verify();
      copy.index("new").set(1, 1);
    }
    try (IndexStore copy = IndexStore.open(target(), SMALL)) {
      assertEquals(List.of("a", "empty", "new"), copy.names());
      assertEquals(8_999, copy.index("a").get(8_999));
    }
  }

  @Test
  @Tag("thorough")
  void aCopyHasNoFreePlaces() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a");
      for (long key = 0; key < 15_000; key++) {
        index.set(key, key);
        store.index("b").set(key, key);
      }
      store.drop("b");
      index.clear();
      index.set(1, 1);
      store.backup(target());
      assertTrue(target().toFile().length() < path().toFile().length() / 3);
      assertEquals(header(target()).slots() * 4096L, target().toFile().length());
    }
  }

  @Test
  void aFileThatIsThereIsNotReplaced() throws IOException {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      store.index("a").set(1, 1);
      Files.writeString(target(), "precious");
      String message =
          assertThrows(PageFileException.class, () -> store.backup(target())).getMessage();
      assertTrue(message.contains("copy: the file exists already"), message);
      assertEquals("precious", Files.readString(target()));
      assertThrows(PageFileException.class, () -> store.backup(path()));
      assertThrows(
          PageFileException.class, () -> store.backup(folder.resolve("none").resolve("copy")));
      assertEquals(1, store.index("a").get(1));
    }
  }

  @Test
  void whatIsCancelledLeavesNothing() {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a");
      for (long key = 0; key < 200_000; key++) {
        index.set(key, key);
      }
      long[] calls = new long[1];
      assertThrows(
          CancellationException.class,
          () -> store.backup(target(), (done, total) -> ++calls[0] < 3));
      assertEquals(3, calls[0]);
      assertNothingIsLeft();
      long before = store.statistics().usedBytes();
      store.backup(target());
      assertEquals(before, store.statistics().usedBytes());
    }
  }

  @Test
  void whateverFailsLeavesNothingAndTheStoreGoesOn() {
    Faults faults = new Faults();
    // Without a thread in the background, so that only the backup can meet a failure.
    StoreEnvironment environment = Stores.environment(faults.over(PageFiles.DIRECT));
    try (IndexStore store = new StoreOpening(path(), SMALL, environment).open()) {
      LongIndex index = store.index("a", DiskFirstFpbPlusTree.VARIANT);
      for (long key = 0; key < 50_000; key++) {
        index.set(key, key);
      }
      store.checkpoint();
      faults.failFrom(Long.MAX_VALUE, Errno.EIO);
      store.backup(folder.resolve("whole"));
      long operations = faults.counted();
      assertTrue(operations > 8, "operations " + operations);
      for (long number = 1; number <= operations; number++) {
        faults.failOnce(number, number % 2 == 0 ? Errno.EIO : Errno.ENOSPC);
        assertThrows(PageFileException.class, () -> store.backup(target()));
        faults.heal();
        assertNothingIsLeft();
        index.set(number, -number);
        store.checkpoint(); // so that the next backup does not need one
      }
      faults.failOnce(1, Errno.ENOSPC, Operation.GROW);
      PageFileException full = assertThrows(PageFileException.class, () -> store.backup(target()));
      faults.heal();
      assertTrue(full.getMessage().contains("copy: there is no room for a backup of "));
      assertEquals(Errno.ENOSPC, full.errno());
      index.verify();
    }
  }

  @Test
  void aDamagedPageEndsTheBackup() throws IOException {
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      LongIndex index = store.index("a", Cola.VARIANT);
      for (long key = 0; key < 50_000; key++) {
        index.set(key, key);
      }
    }
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      PageMap map = store.state().indexes.get("a").map;
      int page = 1;
      while (map.slot(page) <= PageMap.UNWRITTEN) {
        page++;
      }
      int slot = map.slot(page);
      byte[] all = Files.readAllBytes(path());
      all[slot * 4096 + 2_000] ^= 1;
      Files.write(path(), all);
      CorruptPageException damage =
          assertThrows(CorruptPageException.class, () -> store.backup(target()));
      assertTrue(damage.getMessage().contains("in slot " + slot), damage.getMessage());
      assertTrue(damage.getMessage().contains("of index 'a'"), damage.getMessage());
      assertNothingIsLeft();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 1024, 65_536})
  void pagesMayBeOfAnySize(int pageBytes) {
    StoreOptions options =
        SMALL.withFiles(
            FileOptions.DEFAULT.withPageBytes(pageBytes).withPoolBytes(64L * pageBytes));
    try (IndexStore store = IndexStore.open(path(), options)) {
      long[] keys = LongStream.range(0, 40_000).toArray();
      store.index("before", DiskOptimizedBPlusTree.VARIANT).bulkload(keys, keys);
      LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
      for (long key = 0; key < 10_000; key++) {
        index.set(key, key);
      }
      store.drop("before");
      store.shrink();
      store.verify();
      store.backup(target());
    }
    try (IndexStore copy = IndexStore.open(target(), options)) {
      copy.verify();
      assertEquals(10_000, copy.index("a").size());
      assertEquals(9_999, copy.index("a").get(9_999));
    }
  }

  @Test
  void whatIsSpreadOverFilesIsCopiedIntoOne() {
    StoreOptions spread =
        SMALL.withFiles(
            SMALL.files().withStripes(folder.resolve("second"), folder.resolve("third")));
    try (IndexStore store = IndexStore.open(path(), spread)) {
      LongIndex index = store.index("a");
      for (long key = 0; key < 20_000; key++) {
        index.set(key, key);
      }
      store.verify();
      store.backup(target());
      index.clear();
      store.shrink();
      store.verify();
    }
    try (IndexStore copy = IndexStore.open(target(), SMALL)) {
      copy.verify();
      assertEquals(20_000, copy.index("a").size());
    }
  }

  private static LongIndex fill(LongIndex index, long value) {
    for (long key = 0; key < 100_000; key++) {
      index.set(key, value);
    }
    return index;
  }

  private static void assertSaysClosed(IndexStore store, Throwable thrown) {
    assertInstanceOf(IllegalStateException.class, thrown);
    String message = String.valueOf(thrown.getMessage());
    assertTrue(message.startsWith("the store " + store.path() + " was closed during"), message);
  }

  /** The last checkpoint writes where the snapshot of the backup was. */
  @Test
  @Timeout(60)
  void aStoreWhosePlacesAreUsedAgainByItsLastCheckpointIsSaidToBeClosed() throws Exception {
    ForceHook forces = new ForceHook(new SystemFiles(PageFiles.CHANNEL, PageFiles.CHANNEL));
    StoreEnvironment scattered = new StoreEnvironment(forces, new Random(1), true, false);
    IndexStore store = new StoreOpening(path(), SMALL, scattered).open();
    LongIndex index = fill(store.index("a", DiskFirstFpbPlusTree.VARIANT), 1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    ProgressListener pause =
        (_, _) -> {
          begun.countDown();
          Waiting.await(goOn);
          return true;
        };
    FutureTask<Throwable> backup =
        new FutureTask<>(
            () -> {
              try {
                return assertThrows(RuntimeException.class, () -> store.backup(target(), pause));
              } finally {
                ended.countDown();
              }
            });
    Thread.ofPlatform().start(backup);
    begun.await();
    fill(index, 2);
    store.checkpoint();
    fill(index, 3);
    forces.during(
        store::close,
        () -> {
          goOn.countDown();
          Waiting.await(ended);
        });
    assertSaysClosed(store, backup.get());
    assertNothingIsLeft();
  }

  @Test
  void aStoreThatIsClosedBeforeAnyReadOfABackupIsSaidToBeClosed() {
    boolean isClosed = true;
    for (int read = 1; isClosed; read++) {
      StoreEnvironment environment = Stores.environment(PageFiles.CHANNEL);
      ReadHook reads = new ReadHook(environment.files());
      Path path = folder.resolve("store" + read);
      IndexStore store = new StoreOpening(path, SMALL, environment.withFiles(reads)).open();
      fill(store.index("a", DiskFirstFpbPlusTree.VARIANT), 1);
      store.checkpoint();
      reads.before(1 + read, store::close); // The first one is that of the catalogue.
      try {
        store.backup(target());
        isClosed = false;
      } catch (IllegalStateException thrown) {
        assertSaysClosed(store, thrown);
        assertNothingIsLeft();
      }
      store.close();
      assertTrue(isClosed || read > 3, "reads: " + read);
    }
  }

  /** Lets something be done before one of the reads of a store's pages. */
  private static final class ReadHook extends StoreFilesAround {
    private int left;
    private Runnable action = () -> {};

    ReadHook(StoreFiles files) {
      super(files);
    }

    /** Does something before a read, counted from 1 and from now on. */
    void before(int read, Runnable doing) {
      left = read;
      action = doing;
    }

    @Override
    public PageFile openPages(Path path, Access access, int blockBytes) {
      return new PageFileAround(super.openPages(path, access, blockBytes)) {
        @Override
        public void startRead(IoBatch batch) {
          left--;
          if (left == 0) {
            action.run();
          }
          super.startRead(batch);
        }
      };
    }
  }
}
