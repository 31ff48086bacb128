// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A store that was not closed is read with all that is in its log, and stays as it is. */
class ReadOnlyRecoveryTest {
  private static final int PAGE_BYTES = 512;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final TreeMap<Long, Long> model = new TreeMap<>();
  private final TreeMap<Long, Long> others = new TreeMap<>();

  private static StoreOptions options(String tree, Path... stripes) {
    FileOptions files = PagedTrees.options(tree, PAGE_BYTES, 12).withStripes(stripes);
    return StoreOptions.DEFAULT.withFiles(files).withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
  }

  private static StoreOptions reading(StoreOptions options) {
    return options.withFiles(options.files().withFlags(FileOption.READ_ONLY));
  }

  /**
   * Writes a checkpoint and much after it, and returns a copy of the files as a crash leaves it.
   */
  private Path crash(StoreOptions options) throws IOException {
    Path live = Files.createDirectory(folder.resolve("live"));
    Path crashed = folder.resolve("crashed");
    StoreOptions writing =
        options.withFiles(
            options
                .files()
                .withStripes(
                    options.files().stripes().stream()
                        .map(stripe -> live.resolve(stripe.getFileName()))
                        .toArray(Path[]::new)));
    Random random = new Random(3);
    try (IndexStore store = IndexStore.open(live.resolve("store.esp"), writing)) {
      LongIndex index = store.index("one");
      LongIndex second = store.index("two");
      for (int i = 0; i < 3_000; i++) {
        set(index, model, random.nextLong(2_000), i);
        if (i == 1_000) {
          store.checkpoint();
        }
        if (i % 10 == 0) {
          set(second, others, random.nextLong(), i);
        }
      }
      index.removeRange(100, true, 300, true);
      model.subMap(100L, 301L).clear();
      store.commit(new byte[] {7});
      Stores.copy(live, crashed);
    }
    return crashed.resolve("store.esp");
  }

  private static void set(LongIndex index, Map<Long, Long> model, long key, long value) {
    index.set(key, value);
    model.put(key, value);
  }

  private Map<Path, byte[]> files() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("crashed"))) {
      return files.collect(
          Collectors.toMap(
              file -> file,
              file -> {
                try {
                  return Files.readAllBytes(file);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              }));
    }
  }

  static Stream<String> trees() {
    return PagedTrees.namesOfKinds().stream();
  }

  @ParameterizedTest
  @MethodSource("trees")
  void whatIsInTheLogIsReadAndTheFilesStayAsTheyAre(String tree) throws IOException {
    Path path = crash(options(tree));
    final Map<Path, byte[]> before = files();
    try (IndexStore store = IndexStore.open(path, reading(options(tree)))) {
      assertFalse(store.recovery().wasClean());
      assertTrue(store.recovery().records() > 2_000, store.recovery().toString());
      PagedTrees.assertHolds(model, store.index("one"));
      PagedTrees.assertHolds(others, store.index("two"));
      assertArrayEquals(new byte[] {7}, store.note());
      store.verify();
    }
    Map<Path, byte[]> after = files();
    assertEquals(before.keySet(), after.keySet());
    before.forEach((file, bytes) -> assertArrayEquals(bytes, after.get(file), file.toString()));
  }

  @Test
  void changesAreRefused() throws IOException {
    StoreOptions options = options("DiskFirstFpbPlusTree");
    Path path = crash(options);
    try (IndexStore store = IndexStore.open(path, reading(options))) {
      LongIndex index = store.index("one");
      assertThrows(UnsupportedOperationException.class, () -> index.put(1, 1));
      assertThrows(UnsupportedOperationException.class, () -> store.index("three"));
      assertThrows(UnsupportedOperationException.class, () -> store.drop("one"));
      assertThrows(UnsupportedOperationException.class, store::shrink);
      PagedTrees.assertHolds(model, index);
    }
  }

  @Test
  void aBackupOfItHasAll() throws IOException {
    StoreOptions options = options("DiskFirstFpbPlusTree");
    Path path = crash(options);
    Path copy = folder.resolve("copy.esp");
    try (IndexStore store = IndexStore.open(path, reading(options))) {
      store.backup(copy);
    }
    try (IndexStore store = IndexStore.open(copy, reading(options))) {
      assertTrue(store.recovery().wasClean());
      PagedTrees.assertHolds(model, store.index("one"));
      PagedTrees.assertHolds(others, store.index("two"));
    }
  }

  @Test
  void stripesAreReadAsWell() throws IOException {
    Path crashed = folder.resolve("crashed");
    StoreOptions options = options("DiskFirstFpbPlusTree", crashed.resolve("stripe"));
    Path path = crash(options);
    try (IndexStore store = IndexStore.open(path, reading(options))) {
      PagedTrees.assertHolds(model, store.index("one"));
    }
  }

  @Test
  void itIsRecoveredForGoodAfterwards() throws IOException {
    StoreOptions options = options("DiskFirstFpbPlusTree");
    Path path = crash(options);
    long records;
    try (IndexStore store = IndexStore.open(path, reading(options))) {
      records = store.recovery().records();
    }
    try (IndexStore store = IndexStore.open(path, options)) {
      assertEquals(records, store.recovery().records());
      PagedTrees.assertHolds(model, store.index("one"));
    }
  }
}
