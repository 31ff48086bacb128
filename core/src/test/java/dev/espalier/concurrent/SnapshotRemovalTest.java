// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.concurrent.SnapshotTest.assertHolds;
import static dev.espalier.concurrent.SnapshotTest.fill;
import static dev.espalier.concurrent.SnapshotTest.tree;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.NodeMemory;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Removals beside snapshots at the limit of the memory: they make room, so none is refused. */
class SnapshotRemovalTest {

  @ParameterizedTest
  @ValueSource(ints = {1, NodeMemory.MAX_LINES})
  void clearIsNotRefusedWhateverTheLimit(int leafWidth) {
    long limit = 128 << 10;
    try (ConcurrentPbPlusTree index = tree(1, leafWidth, limit)) {
      assertThrows(MemoryLimitException.class, () -> fill(index, 20_000, 1));
      TreeMap<Long, Long> frozen = new TreeMap<>(index.asMap());
      LongIndex snapshot = index.snapshot();
      index.clear();
      assertTrue(index.isEmpty());
      index.put(7, 8);
      assertEquals(8, index.get(7));
      index.clear();
      assertHolds(frozen, snapshot);
      assertTrue(index.statistics().committedBytes() > limit);
      assertThrows(MemoryLimitException.class, () -> fill(index, 2000, 1));
      snapshot.close();
      assertTrue(index.statistics().committedBytes() <= limit);
      fill(index, 2000, 1);
      index.verify();
    }
  }

  @Test
  void noRemovalIsRefusedWhateverTheLimit() {
    long limit = 128 << 10;
    try (ConcurrentPbPlusTree index = tree(1, 1, limit)) {
      TreeMap<Long, Long> frozen = fill(index, 2000, 1);
      LongIndex snapshot = index.snapshot();
      LongIndex second = index.snapshot();
      assertThrows(
          MemoryLimitException.class,
          () -> {
            for (long key = 0; key < 2000; key++) {
              index.put(key, -key);
            }
          });
      TreeMap<Long, Long> model = new TreeMap<>(index.asMap());
      for (long key = 1999; key >= 400; key -= 4) {
        assertEquals(model.get(key), index.remove(key));
        index.delete(key - 1);
        assertTrue(index.remove(key - 2, model.get(key - 2)));
        LongCursor cursor = index.cursor();
        assertTrue(cursor.floor(key - 3));
        cursor.remove();
      }
      model.tailMap(400L).clear();
      assertEquals(model, new TreeMap<>(index.asMap()));
      assertEquals(400, index.removeRange(0, true, 2000, true));
      assertTrue(index.isEmpty());
      assertHolds(frozen, snapshot);
      assertHolds(frozen, second);
      assertTrue(index.statistics().committedBytes() > limit);
      assertThrows(MemoryLimitException.class, () -> fill(index, 4000, 1));
      snapshot.close();
      second.close();
      assertTrue(index.statistics().committedBytes() <= limit);
      index.clear();
      fill(index, 2000, 1);
      index.verify();
    }
  }

  /**
   * Nodes that are too thin could not be merged, as there was no memory to copy them: the tree is
   * sound nevertheless, whatever is written to it, and merges again once the snapshot is closed.
   */
  @Test
  void removalsBetweenWritesThatAreRefusedLeaveASoundTree() {
    try (ConcurrentPbPlusTree index = tree(1, 1, 128 << 10)) {
      TreeMap<Long, Long> frozen = fill(index, 2000, 1);
      LongIndex snapshot = index.snapshot();
      TreeMap<Long, Long> model = new TreeMap<>(frozen);
      SplittableRandom random = new SplittableRandom(4);
      int refused = 0;
      for (int i = 0; i < 20_000; i++) {
        long key = random.nextInt(2200);
        try {
          switch (random.nextInt(6)) {
            case 0, 1 -> {
              index.put(key, i);
              model.put(key, (long) i);
            }
            case 2, 3 -> {
              if (index.insert(key, i)) {
                model.put(key, (long) i);
              }
            }
            default -> remove(index, model, key, random);
          }
        } catch (MemoryLimitException full) {
          assertEquals(model.getOrDefault(key, index.missingValue()), index.get(key));
          refused++;
        }
        if (i % 2000 == 0) {
          index.verify();
          assertEquals(model, new TreeMap<>(index.asMap()));
        }
      }
      assertTrue(refused > 10, "refused: " + refused);
      assertHolds(frozen, snapshot);
      index.verify();
      snapshot.close();
      fill(index, 2000, 1);
      for (long key = 0; key < 2200; key++) {
        index.remove(key);
      }
      index.verify();
      assertTrue(index.isEmpty());
      long[] keys = LongStream.range(0, 1000).toArray();
      index.bulkload(keys, keys);
      index.verify();
      assertEquals(1000, index.size());
    }
  }

  /** Removes a key in any way; none of these is refused. */
  private static void remove(
      LongIndex index, TreeMap<Long, Long> model, long key, SplittableRandom random) {
    try {
      switch (random.nextInt(3)) {
        case 0 -> assertEquals(model.getOrDefault(key, index.missingValue()), index.remove(key));
        case 1 -> index.delete(key);
        default -> {
          LongCursor cursor = index.cursor();
          if (cursor.ceiling(key) && cursor.key() == key) {
            cursor.remove();
          }
        }
      }
      model.remove(key);
    } catch (MemoryLimitException refused) {
      throw new AssertionError("a removal is refused", refused);
    }
  }
}
