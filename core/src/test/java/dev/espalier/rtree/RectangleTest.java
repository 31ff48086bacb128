// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.IndexOptions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RectangleTest {
  private static final double MOST = Double.POSITIVE_INFINITY;

  @ParameterizedTest
  @CsvSource({
    "NaN, 0, 1, 1, minX is NaN",
    "0, NaN, 1, 1, minY is NaN",
    "0, 0, NaN, 1, maxX is NaN",
    "0, 0, 1, NaN, maxY is NaN",
    "2, NaN, 1, 1, minY is NaN",
    "2.5, 0, 1, 1, 'the rectangle is inverted: minX is 2.5, above maxX, which is 1.0'",
    "0, 2, 1, -1, 'the rectangle is inverted: minY is 2.0, above maxY, which is -1.0'"
  })
  void whatIsNoRectangleIsRefusedByNameByEveryCall(
      double minX, double minY, double maxX, double maxY, String message) {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      tree.insert(0, 0, 1, 1, 5);
      double[] coordinates = {0, 0, 1, 1, minX, minY, maxX, maxY};
      List<Executable> calls =
          List.of(
              () -> new Rectangle(minX, minY, maxX, maxY),
              () -> tree.insert(minX, minY, maxX, maxY, 1),
              () -> tree.delete(minX, minY, maxX, maxY, 1),
              () -> tree.overlapping(minX, minY, maxX, maxY, value -> true),
              () -> tree.containing(minX, minY, maxX, maxY, value -> true),
              () -> tree.containedIn(minX, minY, maxX, maxY, value -> true));
      for (Executable call : calls) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
      }
      assertEquals(1, tree.size());
      tree.verify();
      tree.clear();
      RectangleSource source = RectangleSource.of(coordinates, new long[2]);
      Executable bulkload = () -> tree.bulkload(source, 1, 2, (done, total) -> true);
      assertEquals(message, assertThrows(IllegalArgumentException.class, bulkload).getMessage());
      assertEquals(0, tree.size());
      tree.verify();
    }
  }

  @Test
  void pointsAreRefusedByTheNameOfTheirCoordinate() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      assertRefused("x is NaN", () -> tree.containing(Double.NaN, 0, value -> true));
      assertRefused("y is NaN", () -> tree.containing(0, Double.NaN, value -> true));
      assertRefused("x is NaN; it must be finite", () -> tree.nearest(Double.NaN, 0, 1));
      assertRefused("y is -Infinity; it must be finite", () -> tree.nearest(0, -MOST, 1));
      assertRefused("k is -1; it must not be negative", () -> tree.nearest(0, 0, -1));
    }
  }

  private static void assertRefused(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
  }

  @Test
  void sourceNeedsFourCoordinatesForEachValue() {
    assertRefused(
        "coordinates.length is 7; for values.length=2 it must be four times that",
        () -> RectangleSource.of(new double[7], new long[2]));
  }

  @Test
  void pointsLinesHalfPlanesAndThePlaneAreRectangles() {
    List<Rectangle> rectangles =
        Stream.of(
                new Rectangle(1, 2, 1, 2),
                new Rectangle(1, 2, 1, 5),
                new Rectangle(-MOST, -MOST, 0, MOST),
                new Rectangle(-MOST, -MOST, MOST, MOST),
                new Rectangle(MOST, MOST, MOST, MOST))
            .toList();
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      for (int i = 0; i < rectangles.size(); i++) {
        tree.insert(rectangles.get(i), i);
      }
      tree.verify();
      assertEquals(5, tree.overlapping(rectangles.get(3), value -> true));
      assertEquals(5, tree.containedIn(rectangles.get(3), value -> true));
      assertEquals(2, tree.containing(-7, 1e300, value -> value == 2 || value == 3));
      assertEquals(List.of(), tree.nearest(0, 0, 0));
      assertEquals(MOST, tree.nearest(0, 0, 5).get(4).distance());
    }
  }

  /** Zero has two signs, but is one place. */
  @Test
  void zeroAndMinusZeroAreTheSamePlace() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      tree.insert(0.0, -0.0, 0.0, -0.0, 1);
      assertEquals(1, tree.overlapping(-0.0, 0.0, -0.0, 0.0, value -> true));
      assertEquals(true, tree.delete(-0.0, 0.0, -0.0, 0.0, 1));
    }
  }
}
