// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Best-first search (Hjaltason and Samet): a queue of nodes and values by their distance from the
 * point. A node that comes first gives way to what is in it; a value that comes first is the next
 * nearest.
 */
final class NearestSearch {
  /** The level of what is no node, but a value. */
  private static final int VALUE = -1;

  /** Squares of numbers from here on, and sums of two, are exact enough and don't overflow. */
  private static final double LEAST_SQUARE = 0x1p-900;

  private static final double GREATEST_SQUARE = 0x1p1000;

  private final RTreeStructure tree;
  private final MemorySegment nodes;
  private final double x;
  private final double y;

  // A binary heap: the least is in slot 0.
  private double[] distances = new double[64];
  private long[] references = new long[64];
  private int[] levels = new int[64];
  private int queued;

  private NearestSearch(RTreeStructure tree, double x, double y) {
    this.tree = tree;
    this.nodes = tree.nodes;
    this.x = x;
    this.y = y;
  }

  static List<Neighbour> find(RTreeStructure tree, double x, double y, int k) {
    return new NearestSearch(tree, x, y).find(k);
  }

  private List<Neighbour> find(int k) {
    List<Neighbour> found = new ArrayList<>();
    add(0, tree.root, tree.height - 1);
    while (queued > 0 && found.size() < k) {
      double distance = distances[0];
      long reference = references[0];
      int level = levels[0];
      removeFirst();
      if (level == VALUE) {
        found.add(new Neighbour(reference, distance));
      } else {
        open(reference, level);
      }
    }
    return found;
  }

  private void open(long node, int level) {
    RTreeNode layout = tree.layout(level);
    int count = Math.min(layout.count(nodes, node), layout.capacity);
    for (int slot = 0; slot < count; slot++) {
      double right =
          Math.max(layout.minX(nodes, node, slot) - x, x - layout.maxX(nodes, node, slot));
      double up = Math.max(layout.minY(nodes, node, slot) - y, y - layout.maxY(nodes, node, slot));
      double distance = distance(Math.max(right, 0), Math.max(up, 0));
      add(distance, layout.reference(nodes, node, slot), level - 1);
    }
  }

  private static double distance(double right, double up) {
    double square = right * right + up * up;
    return square >= LEAST_SQUARE && square <= GREATEST_SQUARE
        ? Math.sqrt(square)
        : Math.hypot(right, up);
  }

  private void add(double distance, long reference, int level) {
    if (queued == distances.length) {
      distances = Arrays.copyOf(distances, 2 * queued);
      references = Arrays.copyOf(references, 2 * queued);
      levels = Arrays.copyOf(levels, 2 * queued);
    }
    int place = queued++;
    while (place > 0 && comesBefore(distance, level, (place - 1) / 2)) {
      move((place - 1) / 2, place);
      place = (place - 1) / 2;
    }
    put(place, distance, reference, level);
  }

  private void removeFirst() {
    queued--;
    double distance = distances[queued];
    long reference = references[queued];
    int level = levels[queued];
    int place = 0;
    for (int below = 1; below < queued; below = 2 * place + 1) {
      if (below + 1 < queued && comesBefore(distances[below + 1], levels[below + 1], below)) {
        below++;
      }
      if (!comesBefore(distances[below], levels[below], distance, level)) {
        break;
      }
      move(below, place);
      place = below;
    }
    put(place, distance, reference, level);
  }

  private boolean comesBefore(double distance, int level, int place) {
    return comesBefore(distance, level, distances[place], levels[place]);
  }

  /** Of what is equally far, values come first: then no node is opened for nothing. */
  private static boolean comesBefore(
      double distance, int level, double otherDistance, int otherLevel) {
    return distance < otherDistance || (distance == otherDistance && level < otherLevel);
  }

  private void move(int from, int to) {
    put(to, distances[from], references[from], levels[from]);
  }

  private void put(int place, double distance, long reference, int level) {
    distances[place] = distance;
    references[place] = reference;
    levels[place] = level;
  }
}
