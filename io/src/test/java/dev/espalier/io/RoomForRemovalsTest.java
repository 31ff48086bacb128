// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.Drawn;
import dev.espalier.memory.MemoryLimitException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fills an index until its device refuses a write, and removes everything from it. No removal is
 * refused, however it is made, for it is what makes room; then there is room again.
 */
class RoomForRemovalsTest {
  /** Bytes of the device: a few thousand entries, with what a checkpoint needs beside them. */
  private static final long DEVICE = 400 << 10;

  private static final int BATCH = 4;

  /** Trees to which a removal is one more message: only a clear makes room for entries. */
  private static final Set<String> BY_MESSAGE = Set.of("Cola", "DeamortizedCola", "FdTree");

  /** Keys are from 0 to this one, which is none. */
  private static final long END = 1L << 62;

  /** A quarter of all keys. */
  private static final long PART = END / 4;

  /** Ways to remove everything. */
  enum Way {
    REMOVE,
    DELETE,
    CURSOR,
    BATCHES,
    RANGES,
    WHOLE_RANGE,
    CLEAR
  }

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  private final SmallDevice device = new SmallDevice(DEVICE);
  private final TreeMap<Long, Long> model = new TreeMap<>();
  private @Nullable MemoryLimitException refusal;
  private long refused;
  private final Random random = new Random(3);

  static Stream<Arguments> treesAndWays() {
    return PagedTrees.allNames().stream()
        .flatMap(tree -> Arrays.stream(Way.values()).map(way -> Arguments.of(tree, way)));
  }

  static List<String> trees() {
    return PagedTrees.allNames();
  }

  private IndexStore open(String tree) {
    FileOptions files = PagedTrees.options(tree, 512, 64).withEngine(device.over(PageFiles.DIRECT));
    return IndexStore.open(
        folder.resolve("store"),
        IndexStoreTest.SMALL.withFiles(files).withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES));
  }

  @Tag("thorough")
  @Drawn
  @ParameterizedTest
  @MethodSource("treesAndWays")
  void noRemovalIsRefusedOnAFullDevice(String tree, Way way) {
    try (IndexStore store = open(tree)) {
      StoredIndex index = StoredIndex.of(store, tree, "a");
      int full = fill(index);
      device.share();
      for (int round = 0; round < 2; round++) {
        removeAll(store, index, way);
        assertTrue(index.entries().isEmpty());
        store.verify();
        if (BY_MESSAGE.contains(tree)) {
          index.clear();
        }
        int again = fill(index);
        assertTrue(again > full / 2, () -> again + " entries after " + full + ": " + refusal);
        assertEquals(model, index.entries());
      }
      device.hold(DEVICE);
    }
  }

  /** What a tree takes in the middle of a write is not known when the write begins. */
  @Drawn
  @ParameterizedTest
  @MethodSource("trees")
  void writeIsNotRefusedForWhatOnlyTheLastCheckpointHolds(String tree) {
    try (IndexStore store = open(tree)) {
      StoredIndex index = StoredIndex.of(store, tree, "a");
      int full = fill(index);
      device.share();
      for (int part = 1; part <= 3; part++) {
        clear(index);
        store.checkpoint();
        fill(index, full / part);
        store.checkpoint();
        clear(index);
        int again = fill(index);
        assertTrue(again > full / 2, () -> again + " entries after " + full + ": " + refusal);
        assertEquals(model, index.entries());
        store.checkpoint();
        assertThrows(
            MemoryLimitException.class,
            () -> index.set(refused, refused / 2),
            () -> "refused before: " + refusal);
      }
      device.hold(DEVICE);
    }
  }

  private void clear(StoredIndex index) {
    index.clear();
    model.clear();
  }

  /** Puts entries until one is refused; returns how many there are. */
  private int fill(StoredIndex index) {
    return fill(index, Integer.MAX_VALUE);
  }

  /** Puts entries until one is refused, or until there are so many; returns how many there are. */
  private int fill(StoredIndex index, int most) {
    while (model.size() < most) {
      long key = random.nextLong() >>> 2;
      try {
        index.set(key, key / 2);
      } catch (MemoryLimitException full) {
        refusal = full;
        refused = key;
        return model.size();
      }
      model.put(key, key / 2);
    }
    return model.size();
  }

  private void removeAll(IndexStore store, StoredIndex index, Way way) {
    List<Long> keys = new ArrayList<>(model.keySet());
    Collections.shuffle(keys, random);
    switch (way) {
      case REMOVE -> keys.forEach(index::remove);
      case DELETE -> keys.forEach(index::delete);
      case CURSOR -> keys.forEach(key -> Objects.requireNonNull(index.ceiling(key)).remove().run());
      case BATCHES -> {
        for (int from = 0; from < keys.size(); from += BATCH) {
          WriteBatch batch = new WriteBatch();
          keys.subList(from, Math.min(keys.size(), from + BATCH))
              .forEach(key -> index.addDelete(batch, key));
          store.write(batch);
        }
      }
      case RANGES -> {
        for (long from = 0; from < END; from += PART) {
          index.removeRange(from, from + (PART - 1));
        }
      }
      case WHOLE_RANGE -> index.removeRange(Long.MIN_VALUE, END);
      case CLEAR -> index.clear();
    }
    model.clear();
  }
}
