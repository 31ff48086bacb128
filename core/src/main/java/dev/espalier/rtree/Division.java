// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import java.lang.foreign.MemorySegment;

/**
 * Divides rectangles among two nodes, as the R*-tree splits: along the axis on which the borders of
 * all possible halves are shortest in sum, and there where the halves overlap least.
 *
 * <p>It works on copies in arrays, which it keeps for the next time. O(n^2) moves of ints for n
 * rectangles, which for as many as a node has is less than other ways of sorting.
 */
final class Division {
  /** Ways to sort: by least and greatest coordinate of each axis, as the coordinates come. */
  private static final int WAYS = 4;

  private final double[][] coordinates;
  private final long[] references;
  private final int[] order;

  /** Of each way, the bounds of the first and of the last rectangles, by how many they are. */
  private final Bounds[] heads;

  private final Bounds[] tails;

  private int count;
  private int kept;

  // The best division along the axis last looked at.
  private double marginSum;
  private double leastOverlap;
  private double leastArea;
  private int bestWay;
  private int bestKept;

  /** Makes room for so many rectangles. */
  Division(int most) {
    this.coordinates = new double[WAYS][most];
    this.references = new long[most];
    this.order = new int[most];
    this.heads = new Bounds[most + 1];
    this.tails = new Bounds[most + 1];
    for (int i = 0; i <= most; i++) {
      heads[i] = new Bounds();
      tails[i] = new Bounds();
    }
  }

  /** Begins anew, with no rectangle. */
  void reset() {
    count = 0;
  }

  void add(double minX, double minY, double maxX, double maxY, long reference) {
    coordinates[0][count] = minX;
    coordinates[1][count] = minY;
    coordinates[2][count] = maxX;
    coordinates[3][count] = maxY;
    references[count++] = reference;
  }

  /** Adds all that a node has. */
  void addAll(RTreeNode layout, MemorySegment nodes, long node, int nodeCount) {
    for (int slot = 0; slot < nodeCount; slot++) {
      add(
          layout.minX(nodes, node, slot),
          layout.minY(nodes, node, slot),
          layout.maxX(nodes, node, slot),
          layout.maxY(nodes, node, slot),
          layout.reference(nodes, node, slot));
    }
  }

  /** Divides what was added into two parts, each of which a node may have. */
  void divide(int minimum, int capacity) {
    int least = Math.max(minimum, count - capacity);
    lookAlong(0, least);
    double marginOfX = marginSum;
    int wayOfX = bestWay;
    int keptOfX = bestKept;
    lookAlong(1, least);
    boolean alongY = marginSum < marginOfX;
    kept = alongY ? bestKept : keptOfX;
    sort(coordinates[alongY ? bestWay : wayOfX]);
  }

  /** Looks at all divisions along an axis: 0 for x, 1 for y. */
  private void lookAlong(int axis, int least) {
    marginSum = 0;
    leastOverlap = Double.POSITIVE_INFINITY;
    leastArea = Double.POSITIVE_INFINITY;
    bestWay = axis;
    bestKept = count / 2; // stays where areas are infinite or not numbers
    for (int way = axis; way < WAYS; way += 2) {
      sort(coordinates[way]);
      findBounds();
      for (int head = least; head <= count - least; head++) {
        compare(way, head);
      }
    }
  }

  private void compare(int way, int head) {
    Bounds left = heads[head];
    Bounds right = tails[count - head];
    marginSum += left.margin() + right.margin();
    double overlap = left.overlap(right);
    double area = left.area() + right.area();
    if (overlap < leastOverlap || (overlap == leastOverlap && area < leastArea)) {
      leastOverlap = overlap;
      leastArea = area;
      bestWay = way;
      bestKept = head;
    }
  }

  /** Sorts by insertion; what compares with nothing stays where it is. */
  private void sort(double[] by) {
    for (int i = 0; i < count; i++) {
      int place = i;
      while (place > 0 && by[order[place - 1]] > by[i]) {
        order[place] = order[place - 1];
        place--;
      }
      order[place] = i;
    }
  }

  private void findBounds() {
    heads[0].reset();
    tails[0].reset();
    for (int i = 0; i < count; i++) {
      extend(heads[i], order[i], heads[i + 1]);
      extend(tails[i], order[count - 1 - i], tails[i + 1]);
    }
  }

  private void extend(Bounds shorter, int with, Bounds longer) {
    longer.minX = Math.min(shorter.minX, coordinates[0][with]);
    longer.minY = Math.min(shorter.minY, coordinates[1][with]);
    longer.maxX = Math.max(shorter.maxX, coordinates[2][with]);
    longer.maxY = Math.max(shorter.maxY, coordinates[3][with]);
  }

  /** Makes two nodes of the two parts, and leaves the bounds of each. */
  void store(
      RTreeNode layout,
      MemorySegment nodes,
      long left,
      Bounds leftBounds,
      long right,
      Bounds rightBounds) {
    store(layout, nodes, left, 0, kept, leftBounds);
    store(layout, nodes, right, kept, count, rightBounds);
  }

  private void store(
      RTreeNode layout, MemorySegment nodes, long node, int from, int to, Bounds bounds) {
    bounds.reset();
    for (int i = from; i < to; i++) {
      int at = order[i];
      bounds.add(coordinates[0][at], coordinates[1][at], coordinates[2][at], coordinates[3][at]);
      layout.set(
          nodes,
          node,
          i - from,
          coordinates[0][at],
          coordinates[1][at],
          coordinates[2][at],
          coordinates[3][at]);
      layout.reference(nodes, node, i - from, references[at]);
    }
    layout.pad(nodes, node, to - from);
    layout.count(nodes, node, to - from);
  }
}
