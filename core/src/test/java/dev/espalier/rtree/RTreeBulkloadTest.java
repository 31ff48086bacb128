// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.rtree.RTree.Geometry;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("fallback-thorough")
class RTreeBulkloadTest {
  private final SplittableRandom random = new SplittableRandom(1);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 50, 100, 101, 1000})
  void anyNumberOfRectanglesMakesASoundTree(int count) {
    for (Geometry geometry : RTreeQueryTest.GEOMETRIES) {
      for (double fillFactor : new double[] {0.5, 0.67, 0.75, 1}) {
        RectangleModel model = RectangleSets.UNIT.model(count, random);
        try (RTree tree = RTree.create(IndexOptions.DEFAULT, geometry)) {
          model.bulkloadInto(tree, fillFactor);
          tree.verify();
          assertEquals(count, tree.size());
          model.assertAnswers(tree, new Rectangle(10, 10, 30, 30));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0.5, 8, 4", "0.75, 11, 6", "1, 15, 8"})
  void nodesAreFilledAsTheFactorSays(double fillFactor, double perLeaf, double perInner) {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      RectangleSets.UNIT.model(40_000, random).bulkloadInto(tree, fillFactor);
      IndexStatistics statistics = tree.statistics();
      assertEquals(perLeaf / 15, statistics.leafFill(), 0.01);
      assertEquals(perInner / 8, statistics.innerFill(), 0.03);
      assertEquals((long) Math.ceil(40_000 / perLeaf), statistics.leafNodes());
    }
  }

  /** A query of a part of the plane needs but the leaves of that part. */
  @Test
  void leavesOfAPackedTreeHardlyOverlap() {
    RectangleModel model = new RectangleModel();
    for (int i = 0; i < 4096; i++) {
      model.insert(new Rectangle(i & 63, i >> 6, i & 63, i >> 6), i);
    }
    try (RTree tree = RTree.create(IndexOptions.DEFAULT, new Geometry(5, 64))) {
      model.bulkloadInto(tree, 64 / 96.0);
      assertEquals(64, tree.statistics().leafNodes());
      for (long value = 0; value < 4096; value++) {
        assertEquals(1, leavesAround(tree.tree, value & 63, value >> 6));
      }
    }
  }

  private static int leavesAround(RTreeStructure tree, double x, double y) {
    int leaves = 0;
    List<Long> nodes = List.of(tree.root);
    for (int level = tree.height - 1; level > 0; level--) {
      List<Long> children = new ArrayList<>();
      for (long node : nodes) {
        for (int slot = 0; slot < tree.inner.count(tree.nodes, node); slot++) {
          if (tree.inner.minX(tree.nodes, node, slot) <= x
              && tree.inner.maxX(tree.nodes, node, slot) >= x
              && tree.inner.minY(tree.nodes, node, slot) <= y
              && tree.inner.maxY(tree.nodes, node, slot) >= y) {
            children.add(tree.inner.child(tree.nodes, node, slot));
          }
        }
      }
      nodes = children;
      leaves = nodes.size();
    }
    return leaves;
  }

  @Test
  void curveGoesFromCellToCellNextToIt() {
    // 16 x 16 cells in the corner: the low bits turn a fixed way, whichever the high bits are.
    int[] xOf = new int[256];
    int[] yOf = new int[256];
    long[] places = new long[256];
    for (int i = 0; i < 256; i++) {
      places[i] = HilbertOrder.place(i & 15, i >> 4) << 8 | i;
    }
    Arrays.sort(places);
    for (int i = 0; i < 256; i++) {
      assertEquals(i, places[i] >> 8);
      xOf[i] = (int) (places[i] & 15);
      yOf[i] = (int) (places[i] >> 4 & 15);
    }
    for (int i = 1; i < 256; i++) {
      assertEquals(1, Math.abs(xOf[i] - xOf[i - 1]) + Math.abs(yOf[i] - yOf[i - 1]));
    }
  }

  /** So close together that the upper half of their places is the same. */
  @Test
  void orderTellsCentresApartThatLieCloseTogether() {
    double[] coordinates = new double[4 * 1001];
    for (int i = 0; i < 1000; i++) {
      double x = 1e-6 * ((7 * i) % 1000);
      coordinates[4 * i] = x;
      coordinates[4 * i + 2] = x;
    }
    coordinates[4000] = 100;
    coordinates[4002] = 100;
    long[] order = HilbertOrder.of(coordinates, 1001);
    for (int i = 0; i < 1000; i++) {
      assertEquals(i, (7 * (int) order[i]) % 1000);
    }
    assertEquals(1000, (int) order[1000]);
  }

  @Test
  void listenerIsToldUpToTheTotal() {
    List<Long> told = new ArrayList<>();
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      tree.bulkload(
          RectangleSets.UNIT.model(20_000, random).source(),
          1,
          -1,
          (done, total) -> {
            assertEquals(-1, total);
            return told.add(done);
          });
    }
    assertEquals(List.of(4096L, 8192L, 12288L, 16384L, 20_000L), told);
  }

  @Test
  void loadCancelledAfterItsLastEntryLeavesAnEmptyUsableTree() {
    for (int count : new int[] {0, 1, 700, 5000}) {
      try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
        RectangleSource source = RectangleSets.UNIT.model(count, random).source();
        assertThrows(
            CancellationException.class,
            () -> tree.bulkload(source, 1, count, (done, total) -> done < total));
        assertEmptyAndUsable(tree);
      }
    }
  }

  @Test
  void failedBulkloadLeavesAnEmptyUsableTree() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT.withMemoryLimit(200_000))) {
      RectangleModel model = RectangleSets.UNIT.model(30_000, random);
      RectangleSource source = model.source();
      assertThrows(
          CancellationException.class, () -> tree.bulkload(source, 1, -1, (done, total) -> false));
      assertEmptyAndUsable(tree);
      assertThrows(MemoryLimitException.class, () -> model.bulkloadInto(tree, 1));
      assertEmptyAndUsable(tree);
      RectangleModel fitsNotQuite = RectangleSets.UNIT.model(4_500, random);
      assertThrows(MemoryLimitException.class, () -> fitsNotQuite.bulkloadInto(tree, 1));
      assertEmptyAndUsable(tree);
      RectangleSource broken =
          (RectangleSource)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {RectangleSource.class},
                  (proxy, method, arguments) -> {
                    throw new ArithmeticException("the source is broken");
                  });
      assertThrows(
          ArithmeticException.class, () -> tree.bulkload(broken, 1, -1, ProgressListener.NONE));
      assertEmptyAndUsable(tree);
    }
  }

  private void assertEmptyAndUsable(RTree tree) {
    assertTrue(tree.isEmpty());
    tree.verify();
    RectangleSets.UNIT.model(500, random).bulkloadInto(tree, 0.75);
    assertEquals(500, tree.size());
    tree.clear();
  }

  @Test
  void bulkloadRefusesWhatItCanNotDo() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      RectangleModel model = RectangleSets.UNIT.model(5, random);
      for (double fillFactor : new double[] {0.49, 1.01, Double.NaN}) {
        IllegalArgumentException refused =
            assertThrows(
                IllegalArgumentException.class, () -> model.bulkloadInto(tree, fillFactor));
        assertEquals(
            "fillFactor is " + fillFactor + "; it must be from 0.5 to 1", refused.getMessage());
      }
      tree.insert(0, 0, 1, 1, 1);
      assertThrows(IllegalStateException.class, () -> model.bulkloadInto(tree, 1));
      assertEquals(1, tree.size(), "the tree is as it was");
    }
  }
}
