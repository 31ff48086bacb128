// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.bplus.PbPlusTree;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes of longs that recovery and batches gather. */
class SortedWritesTest {
  private final LongIndex tree = PbPlusTree.create(IndexOptions.DEFAULT);

  @AfterEach
  void close() {
    tree.close();
  }

  @Test
  void nothingIsWrittenBeforeItIsApplied() {
    SortedWrites writes = new SortedWrites(tree);
    assertSame(tree, writes.tree());
    writes.set(1, 10);
    assertTrue(tree.isEmpty());
    writes.apply();
    assertEquals(10, tree.get(1));
    tree.clear();
    writes.apply(); // Nothing is left.
    assertTrue(tree.isEmpty());
  }

  @Test
  void theLastWriteToEachKeyIsTheOneThatCounts() {
    SplittableRandom random = new SplittableRandom(1);
    TreeMap<Long, Long> model = new TreeMap<>();
    SortedWrites writes = new SortedWrites(tree, 100);
    for (int i = 0; i < 3000; i++) {
      long key = random.nextInt(50);
      if (random.nextInt(3) == 0) {
        writes.delete(key);
        model.remove(key);
      } else {
        writes.set(key, i);
        model.put(key, (long) i);
      }
    }
    writes.apply();
    assertEquals(model, tree.asMap());
  }

  @Test
  void theNextWriteMakesThemAll() {
    SortedWrites writes = new SortedWrites(tree, 3);
    writes.set(1, 1);
    writes.delete(2);
    writes.set(3, 3);
    assertTrue(tree.isEmpty());
    writes.set(4, 4);
    assertEquals(Map.of(1L, 1L, 3L, 3L), tree.asMap());
    writes.delete(3);
    writes.set(2, 2);
    writes.delete(5);
    assertEquals(Map.of(1L, 1L, 2L, 2L, 4L, 4L), tree.asMap());
  }

  @Test
  void whatIsForgottenIsNotMade() {
    SortedWrites writes = new SortedWrites(tree);
    writes.delete(1);
    writes.set(2, 2);
    writes.clear();
    writes.set(1, 1); // Where the removal was.
    writes.apply();
    assertEquals(1, tree.get(1));
    assertFalse(tree.containsKey(2));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4095, 4096, 4097, 8192, 10_000})
  void allArriveHoweverManyThereAre(int count) {
    for (long key = 0; key < 3L * count; key += 3) {
      tree.set(key, -1);
    }
    SortedWrites writes = new SortedWrites(tree);
    for (long key = count - 1; key >= 0; key--) {
      writes.set(3 * key + 1, key);
      writes.delete(3 * key);
    }
    writes.apply();
    assertEquals(count, tree.size());
    for (long key = 0; key < count; key++) {
      assertEquals(key, tree.get(3 * key + 1));
    }
  }
}
