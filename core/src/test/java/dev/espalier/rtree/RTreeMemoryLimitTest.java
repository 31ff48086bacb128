// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.rtree.RTree.Geometry;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("fallback-too")
class RTreeMemoryLimitTest {
  private final SplittableRandom random = new SplittableRandom(1);

  @ParameterizedTest
  @ValueSource(longs = {IndexOptions.MIN_MEMORY_LIMIT, 20_000, 65_536, 250_000})
  void fullTreeIsAsItWasAndStaysUsable(long limit) {
    for (Geometry geometry : RTreeQueryTest.GEOMETRIES) {
      try (RTree tree = RTree.create(IndexOptions.DEFAULT.withMemoryLimit(limit), geometry)) {
        RectangleModel model = insertUntilFull(tree);
        assertTrue(tree.statistics().committedBytes() <= limit);
        tree.verify();
        List<Long> bytes = contents(tree);
        for (int i = 0, refused = 0; refused < 3; i++) {
          assertTrue(i < 1000);
          Rectangle next = RectangleSets.UNIT.next(random);
          try {
            tree.insert(next, -1);
            model.insert(next, -1);
            bytes = contents(tree);
          } catch (MemoryLimitException full) {
            assertEquals(bytes, contents(tree));
            refused++;
          }
        }
        assertAnswers(tree, model);
        for (int i = model.entries.size() / 2; i > 0; i--) {
          RectangleModel.Entry entry = model.entries.get(random.nextInt(model.entries.size()));
          assertTrue(tree.delete(entry.rectangle(), entry.value()), "needs no memory");
          model.delete(entry.rectangle(), entry.value());
        }
        assertAnswers(tree, model);
      }
    }
  }

  private RectangleModel insertUntilFull(RTree tree) {
    RectangleModel model = new RectangleModel();
    assertThrows(
        MemoryLimitException.class,
        () -> {
          for (long value = 0; ; value++) {
            Rectangle rectangle = RectangleSets.UNIT.next(random);
            tree.insert(rectangle, value);
            model.insert(rectangle, value);
          }
        });
    assertTrue(model.entries.size() > 50);
    return model;
  }

  private void assertAnswers(RTree tree, RectangleModel model) {
    tree.verify();
    assertEquals(model.entries.size(), tree.size());
    for (int i = 0; i < 10; i++) {
      model.assertAnswers(tree, RectangleSets.UNIT.next(random));
    }
  }

  /** What a refused call must not change: every word of every node, and what leads to them. */
  private static List<Long> contents(RTree tree) {
    List<Long> words = new ArrayList<>();
    words.addAll(List.of(tree.tree.root, (long) tree.tree.height, tree.size()));
    words.add(tree.tree.memory.usedBytes());
    addContents(tree.tree, tree.tree.root, tree.tree.height - 1, words);
    return words;
  }

  private static void addContents(RTreeStructure tree, long node, int level, List<Long> words) {
    RTreeNode layout = tree.layout(level);
    byte[] bytes = tree.nodes.asSlice(node, layout.bytes).toArray(ValueLayout.JAVA_BYTE);
    words.add((long) Arrays.hashCode(bytes));
    for (int slot = 0; level > 0 && slot < layout.count(tree.nodes, node); slot++) {
      addContents(tree, tree.inner.child(tree.nodes, node, slot), level - 1, words);
    }
  }
}
