// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ProgressListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/** A list of rectangles that looks at each of them: what a tree has to do. */
final class RectangleModel {
  final List<Entry> entries = new ArrayList<>();

  record Entry(Rectangle rectangle, long value) {}

  void insert(Rectangle rectangle, long value) {
    entries.add(new Entry(rectangle, value));
  }

  boolean delete(Rectangle rectangle, long value) {
    return entries.remove(new Entry(rectangle, value));
  }

  /** Fills an empty tree with the same, by inserts. */
  void insertInto(RTree tree) {
    entries.forEach(entry -> tree.insert(entry.rectangle, entry.value));
  }

  void bulkloadInto(RTree tree, double fillFactor) {
    tree.bulkload(source(), fillFactor, entries.size(), ProgressListener.NONE);
  }

  RectangleSource source() {
    double[] coordinates = new double[4 * entries.size()];
    for (int i = 0; i < entries.size(); i++) {
      Rectangle rectangle = entries.get(i).rectangle;
      coordinates[4 * i] = rectangle.minX();
      coordinates[4 * i + 1] = rectangle.minY();
      coordinates[4 * i + 2] = rectangle.maxX();
      coordinates[4 * i + 3] = rectangle.maxY();
    }
    return RectangleSource.of(
        coordinates, entries.stream().mapToLong(entry -> entry.value).toArray());
  }

  /** Checks that every kind of query finds in the tree what it should. */
  void assertAnswers(RTree tree, Rectangle query) {
    assertFinds(
        values(stored -> overlap(stored, query)), visitor -> tree.overlapping(query, visitor));
    assertFinds(
        values(stored -> contains(query, stored)), visitor -> tree.containedIn(query, visitor));
    assertFinds(
        values(stored -> contains(stored, query)), visitor -> tree.containing(query, visitor));
    double x = query.minX();
    double y = query.maxY();
    assertFinds(
        values(stored -> contains(stored, new Rectangle(x, y, x, y))),
        visitor -> tree.containing(x, y, visitor));
  }

  /** Checks the nearest: their distances, and that each is the distance of its value. */
  void assertNearest(RTree tree, double x, double y, int k) {
    List<Neighbour> found = tree.nearest(x, y, k);
    double[] expected =
        entries.stream().mapToDouble(entry -> distance(entry.rectangle, x, y)).sorted().toArray();
    assertEquals(Math.min(k, expected.length), found.size());
    List<Neighbour> left = new ArrayList<>();
    entries.forEach(entry -> left.add(new Neighbour(entry.value, distance(entry.rectangle, x, y))));
    for (int i = 0; i < found.size(); i++) {
      assertTrue(isSame(expected[i], found.get(i).distance()));
      assertTrue(removeOne(left, found.get(i)), found.get(i) + " is not among " + left);
    }
  }

  private static boolean removeOne(List<Neighbour> from, Neighbour neighbour) {
    for (int i = 0; i < from.size(); i++) {
      if (from.get(i).value() == neighbour.value()
          && isSame(from.get(i).distance(), neighbour.distance())) {
        from.remove(i);
        return true;
      }
    }
    return false;
  }

  private static boolean isSame(double expected, double actual) {
    return expected == actual
        || (Double.isFinite(expected) && Math.abs(expected - actual) <= 2 * Math.ulp(expected));
  }

  private interface Query {
    long run(ValueVisitor visitor);
  }

  private static void assertFinds(List<Long> expected, Query query) {
    List<Long> found = new ArrayList<>();
    assertEquals(expected.size(), query.run(found::add));
    assertEquals(expected, found.stream().sorted().toList());
    if (!expected.isEmpty()) {
      int most = (expected.size() + 1) / 2;
      List<Long> first = new ArrayList<>();
      assertEquals(
          most,
          query.run(
              value -> {
                first.add(value);
                return first.size() < most;
              }));
      assertEquals(most, first.size());
    }
  }

  private List<Long> values(Predicate<Rectangle> matches) {
    LongStream values =
        entries.stream()
            .filter(entry -> matches.test(entry.rectangle))
            .mapToLong(entry -> entry.value);
    return values.sorted().boxed().toList();
  }

  private static boolean overlap(Rectangle a, Rectangle b) {
    return a.minX() <= b.maxX()
        && b.minX() <= a.maxX()
        && a.minY() <= b.maxY()
        && b.minY() <= a.maxY();
  }

  private static boolean contains(Rectangle outer, Rectangle other) {
    return outer.minX() <= other.minX()
        && other.maxX() <= outer.maxX()
        && outer.minY() <= other.minY()
        && other.maxY() <= outer.maxY();
  }

  private static double distance(Rectangle rectangle, double x, double y) {
    double right = Math.max(0, Math.max(rectangle.minX() - x, x - rectangle.maxX()));
    double up = Math.max(0, Math.max(rectangle.minY() - y, y - rectangle.maxY()));
    return Math.hypot(right, up);
  }
}
