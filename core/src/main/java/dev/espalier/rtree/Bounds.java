// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import java.lang.foreign.MemorySegment;

/** The least rectangle around others, while it is being found. */
final class Bounds {
  double minX;
  double minY;
  double maxX;
  double maxY;

  /** Begins anew, with no rectangle. */
  void reset() {
    minX = Double.POSITIVE_INFINITY;
    minY = Double.POSITIVE_INFINITY;
    maxX = Double.NEGATIVE_INFINITY;
    maxY = Double.NEGATIVE_INFINITY;
  }

  void add(double otherMinX, double otherMinY, double otherMaxX, double otherMaxY) {
    minX = Math.min(minX, otherMinX);
    minY = Math.min(minY, otherMinY);
    maxX = Math.max(maxX, otherMaxX);
    maxY = Math.max(maxY, otherMaxY);
  }

  void add(RTreeNode layout, MemorySegment nodes, long node, int slot) {
    add(
        layout.minX(nodes, node, slot),
        layout.minY(nodes, node, slot),
        layout.maxX(nodes, node, slot),
        layout.maxY(nodes, node, slot));
  }

  /** Begins anew with the first {@code count} rectangles of a node. */
  void of(RTreeNode layout, MemorySegment nodes, long node, int count) {
    reset();
    for (int slot = 0; slot < count; slot++) {
      add(layout, nodes, node, slot);
    }
  }

  /** Makes this the rectangle of a slot. */
  void storeIn(RTreeNode layout, MemorySegment nodes, long node, int slot) {
    layout.set(nodes, node, slot, minX, minY, maxX, maxY);
  }

  double area() {
    return (maxX - minX) * (maxY - minY);
  }

  /** Half the length of the border. */
  double margin() {
    return maxX - minX + (maxY - minY);
  }

  /** The area common to both, 0 if they only touch. */
  double overlap(Bounds other) {
    double width = Math.min(maxX, other.maxX) - Math.max(minX, other.minX);
    double height = Math.min(maxY, other.maxY) - Math.max(minY, other.minY);
    return width > 0 && height > 0 ? width * height : 0;
  }
}
