// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sizes of trees for many threads, which count apart from the words that a checkpoint has: they are
 * right in whatever is made of the store, and {@code verify} counts the entries.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SizesInStoresTest {
  private static final int KEYS = 3000;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private IndexStore open(String tree) {
    return new StoreOpening(path(), options(tree), Stores.environment(PageFiles.CHANNEL)).open();
  }

  private Path path() {
    return folder.resolve("store.esp");
  }

  private static StoreOptions options(String tree) {
    return StoreOptions.DEFAULT
        .withFiles(PagedTrees.options(tree, 512, 400))
        .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
  }

  /** Opens the store that a crash now would leave. */
  private IndexStore openAfterCrash(String tree) throws IOException {
    Path crashed = folder.resolve("crashed");
    Stores.copy(folder, crashed);
    return IndexStore.open(crashed.resolve("store.esp"), options(tree));
  }

  private static void assertSize(long expected, StoredIndex index) {
    assertEquals(expected, index.size());
    assertEquals(expected, index.entries().size());
    index.verify();
  }

  /** Inserts and removes keys, of each of which there is a third after a while. */
  private static void write(StoredIndex index, SplittableRandom random) {
    long key = random.nextInt(KEYS);
    switch (random.nextInt(5)) {
      case 0 -> index.set(key, key);
      case 1 -> index.putIfAbsent(key, key + 1);
      case 2 -> index.delete(key);
      case 3 -> index.remove(key);
      default -> index.removeRange(key, key + random.nextInt(3));
    }
  }

  private static void write(StoredIndex index, int writes) {
    SplittableRandom random = new SplittableRandom(writes);
    for (int i = 0; i < writes; i++) {
      write(index, random);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"FpbLinkTree", "BLinkTree", StoreBytesIndex.KIND})
  void snapshotsBesideWritersHaveTheSizesOfTheirMoment(String tree) throws Exception {
    int rounds = TestSize.of(20, 300);
    AtomicBoolean done = new AtomicBoolean();
    try (IndexStore store = open(tree);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      StoredIndex index = StoredIndex.of(store, tree, "a");
      for (long key = 0; key < KEYS; key += 3) {
        index.set(key, key);
      }
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        SplittableRandom random = new SplittableRandom(i);
        writers.add(
            threads.submit(
                () -> {
                  while (!done.get()) {
                    write(index, random);
                  }
                }));
      }
      try {
        for (int i = 0; i < rounds; i++) {
          try (Snapshot snapshot = store.snapshot()) {
            StoredIndex then = StoredIndex.of(snapshot, tree, "a");
            assertSize(then.entries().size(), then);
          }
        }
      } finally {
        done.set(true);
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
      store.commit();
      try (IndexStore crashed = openAfterCrash(tree)) {
        assertEquals(index.entries(), StoredIndex.of(crashed, tree, "a").entries());
        assertSize(index.entries().size(), StoredIndex.of(crashed, tree, "a"));
      }
      assertSize(index.entries().size(), index);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"FpbLinkTree", "BLinkTree", StoreBytesIndex.KIND})
  void theSizeOutlivesClosingsAndCrashes(String tree) throws IOException {
    long size;
    try (IndexStore store = open(tree)) {
      StoredIndex index = StoredIndex.of(store, tree, "a");
      StoredIndex other = StoredIndex.of(store, tree, "b");
      write(other, 500);
      write(index, 1000);
      size = index.entries().size();
      assertTrue(size > 50, "size " + size);
      index.close(); // without a checkpoint
      index = StoredIndex.of(store, tree, "a");
      assertSize(size, index);
      index.set(KEYS, 1);
      index.close();
      store.checkpoint(); // while one is closed
      try (IndexStore crashed = openAfterCrash(tree)) {
        assertSize(size + 1, StoredIndex.of(crashed, tree, "a"));
        assertSize(other.entries().size(), StoredIndex.of(crashed, tree, "b"));
        crashed.verify();
      }
      index = StoredIndex.of(store, tree, "a");
      store.checkpoint();
      write(index, 300); // to be replayed
      store.commit();
      size = index.entries().size();
      try (IndexStore crashed = openAfterCrash(tree)) {
        assertSize(size, StoredIndex.of(crashed, tree, "a"));
        crashed.verify();
      }
      index.clear();
      write(index, 100);
      size = index.entries().size();
    }
    StoreDescription described = Espalier.describe(path(), options(tree).files());
    assertEquals(size, described.indexes().getFirst().entries());
    try (IndexStore store = open(tree)) {
      assertSize(size, StoredIndex.of(store, tree, "a"));
    }
  }
}
