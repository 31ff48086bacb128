// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.rtree.RTree.Geometry;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** All queries against looking at every rectangle. */
@Tag("fallback-thorough")
class RTreeQueryTest {
  /** From the narrowest nodes to the widest, with columns of whole lines and others. */
  static final List<Geometry> GEOMETRIES =
      List.of(
          new Geometry(3, 3),
          new Geometry(4, 5),
          new Geometry(10, 4),
          Geometry.DEFAULT,
          new Geometry(64, 64));

  static Stream<Arguments> setsAndGeometries() {
    return Stream.of(RectangleSets.values())
        .flatMap(set -> GEOMETRIES.stream().map(geometry -> Arguments.of(set, geometry)));
  }

  @ParameterizedTest
  @MethodSource("setsAndGeometries")
  void insertedRectanglesAreFound(RectangleSets set, Geometry geometry) {
    SplittableRandom random = new SplittableRandom(1);
    RectangleModel model = set.model(350, random);
    try (RTree tree = RTree.create(IndexOptions.DEFAULT, geometry)) {
      model.insertInto(tree);
      assertAnswers(set, model, tree, random);
    }
  }

  @ParameterizedTest
  @MethodSource("setsAndGeometries")
  void bulkloadedRectanglesAreFound(RectangleSets set, Geometry geometry) {
    SplittableRandom random = new SplittableRandom(2);
    RectangleModel model = set.model(350, random);
    try (RTree tree = RTree.create(IndexOptions.DEFAULT, geometry)) {
      model.bulkloadInto(tree, 0.75);
      assertAnswers(set, model, tree, random);
    }
  }

  @ParameterizedTest
  @MethodSource("setsAndGeometries")
  void rectanglesLeftByDeletesAreFoundAndNoOthers(RectangleSets set, Geometry geometry) {
    SplittableRandom random = new SplittableRandom(3);
    RectangleModel model = set.model(250, random);
    try (RTree tree = RTree.create(IndexOptions.DEFAULT, geometry)) {
      model.bulkloadInto(tree, 0.75);
      while (model.entries.size() > 2) {
        RectangleModel.Entry entry = model.entries.get(random.nextInt(model.entries.size()));
        assertFalse(tree.delete(entry.rectangle(), -7), "another value");
        assertTrue(tree.delete(entry.rectangle(), entry.value()));
        assertFalse(tree.delete(entry.rectangle(), entry.value()), "deleted already");
        model.delete(entry.rectangle(), entry.value());
        if (model.entries.size() % 60 == 0) {
          tree.verify();
        }
        if (model.entries.size() == 120) {
          assertAnswers(set, model, tree, random);
        }
      }
      assertAnswers(set, model, tree, random);
      assertEquals(1, tree.statistics().height());
    }
  }

  private static void assertAnswers(
      RectangleSets set, RectangleModel model, RTree tree, SplittableRandom random) {
    tree.verify();
    assertEquals(model.entries.size(), tree.size());
    for (int i = 0; i < 15; i++) {
      model.assertAnswers(tree, set.next(random));
    }
    double most = Double.POSITIVE_INFINITY;
    model.assertAnswers(tree, new Rectangle(-most, -most, most, most));
    model.assertNearest(tree, 3, 3, 20);
    model.assertNearest(tree, -100, 50, 1);
    model.assertNearest(tree, random.nextDouble(40), random.nextDouble(40), 10_000);
  }

  @Test
  void rectanglesThatShareOnlyACornerOverlap() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      tree.insert(0, 0, 1, 1, 7);
      assertEquals(1, tree.overlapping(1, 1, 2, 2, value -> value == 7));
      assertEquals(0, tree.overlapping(Math.nextUp(1.0), 1, 2, 2, value -> true));
      assertEquals(0, tree.overlapping(1, Math.nextUp(1.0), 2, 2, value -> true));
      assertEquals(1, tree.containing(1, 0, value -> true));
      assertEquals(1, tree.containedIn(0, 0, 1, 1, value -> true));
    }
  }

  @Test
  void sameRectangleAndValueMayBeThereOften() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      for (int i = 0; i < 1000; i++) {
        tree.insert(1, 2, 3, 4, 5);
      }
      tree.verify();
      assertEquals(1000, tree.overlapping(1, 2, 3, 4, value -> value == 5));
      for (int i = 1000; i > 0; i--) {
        assertEquals(i, tree.size());
        assertTrue(tree.delete(1, 2, 3, 4, 5));
      }
      assertTrue(tree.isEmpty());
      assertFalse(tree.delete(1, 2, 3, 4, 5));
      tree.verify();
    }
  }

  @Test
  void emptyTreeFindsNothing() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      tree.verify();
      new RectangleModel().assertAnswers(tree, new Rectangle(0, 0, 1, 1));
      assertEquals(List.of(), tree.nearest(0, 0, 3));
      assertTrue(tree.isEmpty());
    }
  }

  @Test
  void clearedTreeIsEmptyAndUsable() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      RectangleSets.UNIT.model(5000, new SplittableRandom(4)).insertInto(tree);
      tree.clear();
      assertEquals(0, tree.size());
      assertEquals(4096, tree.statistics().committedBytes());
      tree.insert(0, 0, 1, 1, 3);
      tree.verify();
      assertEquals(List.of(new Neighbour(3, 0)), tree.nearest(0.5, 1, 2));
    }
  }

  @Test
  void everyCallOnAClosedTreeIsRefusedFromAnyThread() throws InterruptedException {
    RTree tree = RTree.create(IndexOptions.DEFAULT);
    RectangleSets.UNIT.model(1000, new SplittableRandom(5)).insertInto(tree);
    assertFalse(tree.isClosed());
    tree.close();
    tree.close();
    assertTrue(tree.isClosed());
    List<Executable> calls =
        List.of(
            tree::size,
            tree::isEmpty,
            tree::clear,
            tree::verify,
            tree::statistics,
            () -> tree.insert(0, 0, 1, 1, 1),
            () -> tree.delete(0, 0, 50, 50, 1),
            () -> tree.overlapping(0, 0, 50, 50, value -> true),
            () -> tree.containing(0, 0, value -> true),
            () -> tree.containedIn(0, 0, 50, 50, value -> true),
            () -> tree.nearest(0, 0, 1),
            () -> new RectangleModel().bulkloadInto(tree, 1));
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      for (Executable call : calls) {
        assertThrows(IllegalStateException.class, call);
        ExecutionException failed =
            assertThrows(
                ExecutionException.class,
                () ->
                    other
                        .submit(
                            () -> {
                              assertThrows(IllegalStateException.class, call);
                              throw new IllegalArgumentException("as it should");
                            })
                        .get());
        assertEquals("as it should", String.valueOf(failed.getCause().getMessage()));
      }
    }
  }

  @Test
  void visitorThatThrowsEndsTheQueryAndHarmsNothing() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      RectangleModel model = RectangleSets.UNIT.model(1000, new SplittableRandom(6));
      model.insertInto(tree);
      assertThrows(
          ArithmeticException.class,
          () ->
              tree.overlapping(
                  0,
                  0,
                  50,
                  50,
                  value -> {
                    throw new ArithmeticException("of the visitor");
                  }));
      model.assertAnswers(tree, new Rectangle(10, 10, 20, 20));
    }
  }
}
