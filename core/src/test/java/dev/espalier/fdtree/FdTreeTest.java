// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fallback-too")
class FdTreeTest {
  private static FdTree tree(int ratio) {
    IndexOptions options = IndexOptions.DEFAULT;
    return FdTree.open(options, options.pagesInMemory(1024), new FdTree.Geometry(ratio, 1));
  }

  @Test
  void removalOfAKeyInTheHeadHidesItsOlderEntryBelow() {
    try (FdTree index = tree(2)) {
      for (long key = 0; key < 500; key++) {
        index.set(key, key);
      }
      assertTrue(index.tree.depth > 1);
      index.set(7, 70);
      index.delete(7);
      assertFalse(index.containsKey(7));
      index.delete(7);
      index.delete(7);
      for (long key = 1000; key < 1500; key++) {
        index.set(key, key);
      }
      assertFalse(index.containsKey(7));
      assertEquals(999, index.size());
      index.verify();
    }
  }

  @Test
  void agreesWithAMapWhileRunsAreMergedAtEveryDepth() {
    SplittableRandom random = new SplittableRandom(5);
    TreeMap<Long, Long> model = new TreeMap<>();
    try (FdTree index = tree(2)) {
      int deepest = 0;
      for (int i = 0; i < 6000; i++) {
        long key = random.nextInt(1500);
        switch (random.nextInt(4)) {
          case 0 -> {
            index.delete(key);
            model.remove(key);
          }
          case 1 -> {
            Long before = model.remove(key);
            assertEquals(before == null ? index.missingValue() : before, index.remove(key));
          }
          default -> {
            index.set(key, i);
            model.put(key, (long) i);
          }
        }
        deepest = Math.max(deepest, index.tree.depth);
        if (i % 200 == 0) {
          index.verify();
          assertEquals(model.size(), index.size());
          assertHolds(model, index);
        }
      }
      assertTrue(deepest >= 4, "depth " + deepest);
    }
  }

  private static void assertHolds(TreeMap<Long, Long> model, FdTree index) {
    LongCursor cursor = index.cursor();
    model.forEach(
        (key, value) -> {
          assertTrue(cursor.next());
          assertEquals(key, cursor.key());
          assertEquals(value, cursor.value());
        });
    assertFalse(cursor.next());
    model
        .descendingMap()
        .forEach(
            (key, value) -> {
              assertTrue(cursor.previous());
              assertEquals(key, cursor.key());
            });
    assertFalse(cursor.previous());
  }

  @Test
  void anotherGeometryIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new FdTree.Geometry(1, 1));
    assertThrows(IllegalArgumentException.class, () -> new FdTree.Geometry(2, 0));
  }
}
