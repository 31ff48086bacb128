// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.PageAllocation;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checkpoints that change few entries of many chunks of a map. Chunks have 30 entries here. */
class MapDeltasTest {
  private static final int PAGE_BYTES = 256;
  private static final int ENTRIES = 6_000;

  private static final StoreOptions SMALL =
      StoreOptions.DEFAULT
          .withFiles(
              FileOptions.DEFAULT
                  .withPageBytes(PAGE_BYTES)
                  .withPoolBytes(64 * PAGE_BYTES)
                  .withVariant(DiskOptimizedBPlusTree.VARIANT))
          .withSegmentBytes(64 << 10)
          .withCheckpointTime(Duration.ofHours(1));

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private Path path() {
    return folder.resolve("store");
  }

  private IndexStore open() {
    return IndexStore.open(path(), SMALL);
  }

  private static LongIndex filled(IndexStore store) {
    LongIndex index = store.index("a");
    for (long key = 0; key < ENTRIES; key++) {
      index.set(key, key);
    }
    store.checkpoint();
    return index;
  }

  private static PageMap map(IndexStore store) {
    return store.state().indexes.get("a").map;
  }

  /** Changes some leaves in different chunks, and makes a checkpoint. */
  private static void changeSome(IndexStore store, LongIndex index) {
    for (long key = 0; key < ENTRIES; key += ENTRIES / 8) {
      index.set(key, -key);
    }
    store.checkpoint();
  }

  @Test
  void fewEntriesOfManyChunksAreWrittenAlone() {
    try (IndexStore store = open()) {
      LongIndex index = filled(store);
      assertEquals(0, map(store).deltas.count());
      long before = store.statistics().mapBytesWritten();
      changeSome(store, index);
      assertEquals(1, map(store).deltas.count());
      // The catalogue has one page, too.
      assertEquals(2 * PAGE_BYTES, store.statistics().mapBytesWritten() - before);
      store.verify();
    }
    try (IndexStore store = open()) {
      assertEquals(1, map(store).deltas.count());
      assertEquals(-ENTRIES / 8, store.index("a").get(ENTRIES / 8));
      store.verify();
    }
  }

  @Test
  void theNewestPageIsWrittenAgainUntilItIsFull() {
    try (IndexStore store = open()) {
      LongIndex index = filled(store);
      changeSome(store, index);
      changeSome(store, index);
      assertEquals(1, map(store).deltas.count());
      for (long key = ENTRIES / 16; key < ENTRIES; key += ENTRIES / 8) {
        index.set(key, -key);
      }
      for (long key = ENTRIES / 32; key < ENTRIES; key += ENTRIES / 8) {
        index.set(key, -key);
      }
      store.checkpoint();
      assertEquals(2, map(store).deltas.count());
      store.verify();
    }
  }

  @Test
  void chunksAreWrittenWhenDeltasAreAQuarterOfThem() {
    try (IndexStore store = open()) {
      LongIndex index = filled(store);
      int chunks = Math.ceilDiv(store.state().indexes.get("a").numbers.top() + 1, 30);
      Random random = new Random(1);
      int most = 0;
      int folded = 0;
      for (int round = 0; round < 60; round++) {
        int before = map(store).deltas.count();
        for (int i = 0; i < 6; i++) {
          long key = random.nextInt(ENTRIES);
          index.set(key, key + round);
        }
        store.checkpoint();
        int now = map(store).deltas.count();
        most = Math.max(most, now);
        folded += now < before ? 1 : 0;
      }
      assertTrue(most > 1 && most <= chunks / 4, most + " pages of deltas, " + chunks + " chunks");
      assertTrue(folded > 1, "folded " + folded + " times");
      store.verify();
    }
  }

  @Test
  void allIsThereWhateverWasDone() {
    Random random = new Random(TestSize.seed());
    Map<Long, Long> expected = new TreeMap<>();
    int withDeltas = 0;
    IndexStore store = open();
    int rounds = TestSize.share(60, 1_000);
    for (int round = 0; round < rounds; round++) {
      LongIndex index = store.index("a");
      int changes = 1 << random.nextInt(12);
      for (int i = 0; i < changes; i++) {
        long key = random.nextInt(5_000);
        if (random.nextInt(3) == 0) {
          index.delete(key);
          expected.remove(key);
        } else {
          index.set(key, i);
          expected.put(key, (long) i);
        }
      }
      switch (random.nextInt(8)) {
        case 0 -> {
          store.close();
          store = open();
        }
        case 1 -> store.shrink();
        case 2 -> {
          if (random.nextInt(3) == 0) {
            index.clear();
            expected.clear();
          }
        }
        case 3 -> store.snapshot();
        default -> store.checkpoint();
      }
      withDeltas += map(store).deltas.count() > 0 ? 1 : 0;
      store.verify();
    }
    assertTrue(withDeltas > rounds / 30, withDeltas + " checkpoints had deltas");
    PagedTrees.assertHolds(expected, store.index("a"));
    store.close();
  }

  @Test
  void deltasThatTellOfAPageThereIsNotAreRefused() {
    try (PageFile file = PageFiles.DIRECT.open(path(), Access.CREATE, PAGE_BYTES);
        PageImages images = new PageImages(PAGE_BYTES)) {
      file.grow(1 << 20);
      SlotSpace space = new SlotSpace(file, PAGE_BYTES, null);
      PageAllocation numbers = new PageAllocation();
      numbers.take(1, 200);
      PageMap map = new PageMap(PAGE_BYTES);
      long tag = PageSeal.tag(1, 1);
      for (int page = 1; page <= 200; page++) {
        map.set(page, space.take(), page);
      }
      map.capture(space, numbers, tag, images);
      map.set(7, space.replace(map.slot(7)), 70);
      map.set(190, space.replace(map.slot(190)), 1900);
      PageMap.Root root = map.capture(space, numbers, tag, images);
      images.write(file);
      assertEquals(1, root.deltas());
      try (PageReader reader = new PageReader(file, PAGE_BYTES)) {
        PageMap read = PageMap.read(root, 200, empty(file), reader, 1);
        assertEquals(map.slot(190), read.slot(190));
        assertEquals(1900, read.checksum(190));
        assertEquals(8, read.checksum(8));
        CorruptPageException refused =
            assertThrows(
                CorruptPageException.class, () -> PageMap.read(root, 189, empty(file), reader, 1));
        assertTrue(refused.getMessage().contains("tells of page 190"), refused.getMessage());
      }
    }
  }

  private static SlotSpace empty(PageFile file) {
    return new SlotSpace(file, PAGE_BYTES, null);
  }

  // ---------------------------------------------------------------- corruptions

  /** What is done to a sound store, whose number says which invariant does not hold then. */
  private enum Corruption {
    I1_DELTAS_DAMAGED {
      @Override
      void in(StoreState state, PageMap map) {
        flip(state.path, state.space.position(map.deltas.newest().slot()) + 100);
      }
    },
    I1_PAGE_IN_THE_SLOT_OF_DELTAS {
      @Override
      void in(StoreState state, PageMap map) {
        map.set(1, map.deltas.newest().slot(), 0);
      }
    },
    I4_SLOT_OF_DELTAS_FREE {
      @Override
      void in(StoreState state, PageMap map) {
        state.space.release(map.deltas.newest().slot());
      }
    },
    I13_CHANGE_NOT_NOTED {
      @Override
      void in(StoreState state, PageMap map) {
        assertFalse(map.changed.isEmpty());
        map.changed.clear();
      }
    },
    I13_CHUNK_OF_DELTAS_NOT_NOTED {
      @Override
      void in(StoreState state, PageMap map) {
        map.changedChunks.clear();
      }
    };

    abstract void in(StoreState state, PageMap map);

    static void flip(Path file, long at) {
      try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
        bytes.seek(at);
        int before = bytes.read();
        bytes.seek(at);
        bytes.write(before ^ 0x10);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Corruption.class)
  void aCorruptionIsReportedByTheNumberOfItsInvariant(Corruption corruption) {
    IndexStore store = open();
    try {
      LongIndex index = filled(store);
      changeSome(store, index);
      index.set(0, 7);
      store.state().open.get("a").pages().flush();
      store.verify();
      corruption.in(store.state(), map(store));
      InvariantViolationException violation =
          assertThrows(InvariantViolationException.class, store::verify);
      String name = corruption.name();
      assertEquals(name.substring(0, name.indexOf('_')), violation.invariant(), name);
    } finally {
      StoreVerifierTest.abandon(store);
    }
  }
}
