// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import dev.espalier.IndexOptions;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.NodeMemory;
import dev.espalier.node.Rectangles;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The nodes of one R-tree and what changes them: inserting with the splits that follow, and
 * deleting with the merges. Searching, the hot part, is in {@link RTree}.
 */
final class RTreeStructure {
  /* Overview
   *
   * Level 0 are the leaves, whose rectangles are those of users; the highest level is the root
   * alone. An inner node has for each child the least rectangle around all that is below it:
   *
   *      +-----------A-----------+            root:     [ A | B ]
   *      | +-a-+                 |                       /     \
   *      | +---+        +--b--+  |         leaves:  [ a b ]   [ c d ]
   *      +--------------+---+-+--+----B-+
   *                     +---|-+  | +--d+|      A and B may overlap, so a search may have to
   *                         | +-c-++   ||      go to several children.
   *                         +-+---+----++
   *
   * Rectangles are in no order within a node. What inserts or deletes notes in `pathNode` and
   * `pathSlot`, for every level above the leaf, the inner node and which child it went to; bounds,
   * splits and merges climb that path.
   *
   * Insert: ChooseLeaf goes to the child that must grow least. A full node is split in two by
   * Division; all nodes that the splits need are allocated before anything changes.
   * Delete: FindLeaf goes to every child around the rectangle until it has found it. A node below
   * its minimum merges with the sibling that grows least by it if both fit in one node; else the
   * two are divided anew.
   *
   * Invariants, checked by RTreeVerifier:
   *   I1  The coordinates of every rectangle are numbers, the least not above the greatest.
   *   I2  The rectangle of a child is the least one around the rectangles in the child.
   *   I3  Every path from the root to a leaf has the same length, the height.
   *   I4  A node's count is from 0 to its capacity; only the root leaf may be empty, and a root
   *       that is an inner node has two children.
   *   I5  A node that is not the root holds at least its minimum, two fifths of its capacity.
   *   I6  The size is the number of rectangles in the leaves.
   *   I7  Unused slots, and those that pad a column to whole lines, hold the padding.
   *   I8  Nodes lie within the memory given out, on line boundaries, and no two share a line.
   *   I9  The bytes of the nodes are the bytes that the memory has given out and not taken back.
   *
   * Deviations from Guttman's R-tree:
   *   D1  Splits are those of the R*-tree (Division), whose halves overlap less than those of the
   *       quadratic split; its forced reinsertion is left out.
   *   D2  A node below its minimum is not dissolved and its entries inserted again one by one, but
   *       merged or divided with a sibling. So a delete needs no memory, and can't fail halfway.
   *   D3  Between children that need grow by the same area, ChooseLeaf takes the one whose border
   *       grows least: among points on a line no area ever grows.
   *   D4  Coordinates are in four columns rather than rectangle by rectangle, for vector compares.
   *   D5  Children are 32-bit line numbers.
   * And from Kamel and Faloutsos's packing:
   *   D6  The nodes of a level are filled alike rather than all but the last to the same mark, so
   *       that none is below its minimum.
   */

  /** More levels than 2^32 lines of nodes with two children, three lines wide, can have. */
  static final int MAX_HEIGHT = 32;

  final RTreeLeaf leaf;
  final RTreeInner inner;
  final NodeMemory memory;

  /** The nodes; read anew after every allocation. */
  MemorySegment nodes;

  /** Address of the nodes' first byte, for prefetching. */
  long base;

  long root;
  int height;
  long size;

  /** For each level from 1 on, the inner node on the way to the leaf, and the child taken there. */
  private final long[] pathNode = new long[MAX_HEIGHT];

  private final int[] pathSlot = new int[MAX_HEIGHT];

  private final long[] spare = new long[MAX_HEIGHT + 1];
  private final Division division;
  private final Bounds bounds = new Bounds();
  private final Bounds siblingBounds = new Bounds();

  RTreeStructure(IndexOptions options, RTreeLeaf leaf, RTreeInner inner) {
    this.leaf = leaf;
    this.inner = inner;
    Objects.requireNonNull(options, "options");
    this.memory = new NodeMemory(options.memoryLimit(), options.hugePages());
    this.nodes = memory.segment();
    // A full node and one below its minimum, or a full node and one rectangle more.
    this.division = new Division(2 * Math.max(leaf.capacity, inner.capacity));
    plantEmptyLeaf();
  }

  private void plantEmptyLeaf() {
    root = allocate(leaf.width);
    leaf.initialize(nodes, root);
    height = 1;
    size = 0;
  }

  /** Allocates a node and follows the memory if it has moved. */
  long allocate(int width) {
    long node = memory.allocate(width);
    nodes = memory.segment();
    base = nodes.address();
    return node;
  }

  void clear() {
    checkOpen();
    memory.clear();
    plantEmptyLeaf();
  }

  void checkOpen() {
    if (memory.isClosed()) {
      throw new IllegalStateException("the RTree is closed");
    }
  }

  /** Returns the layout of the nodes of a level. */
  RTreeNode layout(int level) {
    return level == 0 ? leaf : inner;
  }

  /**
   * Reads the count of a node that is about to be changed. Where threads have torn the tree it may
   * be anything, and rectangles would be moved through all of the address space.
   */
  private int count(RTreeNode layout, long node) {
    return Torn.checkedCount("node", node, layout.count(nodes, node), 0, layout.capacity);
  }

  // ---------------------------------------------------------------- insert

  /**
   * Inserts a rectangle that was checked.
   *
   * @throws MemoryLimitException if a split finds no memory; nothing has changed then
   */
  void insert(double minX, double minY, double maxX, double maxY, long value) {
    long node = chooseLeaf(minX, minY, maxX, maxY);
    int full = fullLevels(node);
    int spares = full == 0 ? 0 : allocateForSplits(full);
    long reference = value;
    bounds.reset();
    bounds.add(minX, minY, maxX, maxY);
    for (int level = 0; level < full; level++) {
      reference = split(level, node, reference, spare[--spares]);
      if (level + 1 == height) {
        growRoot(node, reference, spare[--spares]);
        size++;
        return;
      }
      node = pathNode[level + 1];
      siblingBounds.storeIn(inner, nodes, node, pathSlot[level + 1]);
    }
    append(layout(full), node, reference);
    for (int level = full + 1; level < height; level++) {
      enlarge(pathNode[level], pathSlot[level], minX, minY, maxX, maxY);
    }
    size++;
  }

  /** Goes down to the leaf that the rectangle belongs to, and notes the path. */
  private long chooseLeaf(double minX, double minY, double maxX, double maxY) {
    long node = root;
    for (int level = height - 1; level > 0; level--) {
      int slot = leastGrowing(node, -1, minX, minY, maxX, maxY);
      pathNode[level] = node;
      pathSlot[level] = slot;
      node = inner.child(nodes, node, slot);
    }
    return node;
  }

  /**
   * Returns the slot of an inner node, but not {@code except}, whose rectangle grows least by
   * another: in area, then in margin; then the one that is smallest. Growth that is no number,
   * because areas are infinite, is taken only where there is no other.
   */
  private int leastGrowing(
      long node, int except, double minX, double minY, double maxX, double maxY) {
    MemorySegment in = nodes;
    int count = count(inner, node);
    int best = except == 0 ? 1 : 0;
    double leastGrowth = Double.POSITIVE_INFINITY;
    double leastMarginGrowth = Double.POSITIVE_INFINITY;
    double leastArea = Double.POSITIVE_INFINITY;
    for (int slot = 0; slot < count; slot++) {
      double childMinX = inner.minX(in, node, slot);
      double childMinY = inner.minY(in, node, slot);
      double childMaxX = inner.maxX(in, node, slot);
      double childMaxY = inner.maxY(in, node, slot);
      double width = childMaxX - childMinX;
      double height = childMaxY - childMinY;
      double newWidth = Math.max(childMaxX, maxX) - Math.min(childMinX, minX);
      double newHeight = Math.max(childMaxY, maxY) - Math.min(childMinY, minY);
      double area = width * height;
      double growth = newWidth * newHeight - area;
      double marginGrowth = newWidth - width + (newHeight - height);
      if (slot != except
          && (growth < leastGrowth
              || (growth == leastGrowth
                  && (marginGrowth < leastMarginGrowth
                      || (marginGrowth == leastMarginGrowth && area < leastArea))))) {
        best = slot;
        leastGrowth = growth;
        leastMarginGrowth = marginGrowth;
        leastArea = area;
      }
    }
    return best;
  }

  /** Returns how many nodes of the path, from the leaf up, have no room. */
  private int fullLevels(long node) {
    if (count(leaf, node) < leaf.capacity) {
      return 0;
    }
    int level = 1;
    while (level < height && count(inner, pathNode[level]) == inner.capacity) {
      level++;
    }
    return level;
  }

  /**
   * Allocates every node that the splits of the lowest {@code full} levels will need, before
   * anything is changed, into {@code spare}, the leaf last. Returns how many.
   */
  private int allocateForSplits(int full) {
    int innerNodes = full == height ? full : full - 1;
    int allocated = 0;
    try {
      while (allocated < innerNodes) {
        spare[allocated] = allocate(inner.width);
        allocated++;
      }
      spare[allocated] = allocate(leaf.width);
      return allocated + 1;
    } catch (MemoryLimitException limit) {
      while (allocated > 0) {
        memory.free(spare[--allocated], inner.width);
      }
      throw limit;
    }
  }

  /**
   * Divides a full node, and what {@code bounds} and {@code reference} are of, between the node and
   * a new one. Leaves the bounds of the two in {@code siblingBounds} and {@code bounds}; returns
   * the new one.
   */
  private long split(int level, long node, long reference, long sibling) {
    RTreeNode layout = layout(level);
    division.reset();
    division.addAll(layout, nodes, node, count(layout, node));
    division.add(bounds.minX, bounds.minY, bounds.maxX, bounds.maxY, reference);
    division.divide(layout.minimum, layout.capacity);
    layout.initialize(nodes, sibling);
    division.store(layout, nodes, node, siblingBounds, sibling, bounds);
    return sibling;
  }

  private void growRoot(long left, long right, long newRoot) {
    inner.initialize(nodes, newRoot);
    siblingBounds.storeIn(inner, nodes, newRoot, 0);
    inner.reference(nodes, newRoot, 0, left);
    bounds.storeIn(inner, nodes, newRoot, 1);
    inner.reference(nodes, newRoot, 1, right);
    inner.count(nodes, newRoot, 2);
    root = newRoot;
    height++;
  }

  /** Adds what {@code bounds} and {@code reference} are of to a node that has room. */
  private void append(RTreeNode layout, long node, long reference) {
    int count = count(layout, node);
    bounds.storeIn(layout, nodes, node, count);
    layout.reference(nodes, node, count, reference);
    layout.count(nodes, node, count + 1);
  }

  private void enlarge(long node, int slot, double minX, double minY, double maxX, double maxY) {
    bounds.reset();
    bounds.add(minX, minY, maxX, maxY);
    bounds.add(inner, nodes, node, slot);
    bounds.storeIn(inner, nodes, node, slot);
  }

  // ---------------------------------------------------------------- delete

  /** Deletes one rectangle with these coordinates and this value, if there is one. */
  boolean delete(double minX, double minY, double maxX, double maxY, long value) {
    return deleteBelow(root, height - 1, minX, minY, maxX, maxY, value);
  }

  private boolean deleteBelow(
      long node, int level, double minX, double minY, double maxX, double maxY, long value) {
    if (level == 0) {
      return deleteFromLeaf(node, minX, minY, maxX, maxY, value);
    }
    for (int first = 0; first < inner.slots; first += Rectangles.MOST) {
      for (long places = inner.reaching(nodes, node, first, minX, minY, maxX, maxY);
          places != 0;
          places &= places - 1) {
        int slot = first + Long.numberOfTrailingZeros(places);
        pathNode[level] = node;
        pathSlot[level] = slot;
        long child = inner.child(nodes, node, slot);
        if (deleteBelow(child, level - 1, minX, minY, maxX, maxY, value)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean deleteFromLeaf(
      long node, double minX, double minY, double maxX, double maxY, long value) {
    int count = count(leaf, node);
    for (int slot = 0; slot < count; slot++) {
      if (leaf.isAt(nodes, node, slot, minX, minY, maxX, maxY)
          && leaf.value(nodes, node, slot) == value) {
        removeSlot(leaf, node, slot, count);
        size--;
        condense(node);
        return true;
      }
    }
    return false;
  }

  /** Takes a rectangle out of a node; the last one comes in its place. */
  private void removeSlot(RTreeNode layout, long node, int slot, int count) {
    layout.copy(nodes, node, count - 1, node, slot);
    layout.pad(nodes, node, count - 1, count);
    layout.count(nodes, node, count - 1);
  }

  /** Climbs from a leaf that has lost a rectangle, and mends fill and bounds. */
  private void condense(long leafNode) {
    long node = leafNode;
    for (int level = 0; level < height - 1; level++) {
      RTreeNode layout = layout(level);
      long parent = pathNode[level + 1];
      int slot = pathSlot[level + 1];
      int count = count(layout, node);
      bounds.of(layout, nodes, node, count);
      if (count < layout.minimum) {
        refill(layout, node, count, parent, slot);
      } else if (inner.isAt(
          nodes, parent, slot, bounds.minX, bounds.minY, bounds.maxX, bounds.maxY)) {
        return;
      } else {
        bounds.storeIn(inner, nodes, parent, slot);
      }
      node = parent;
    }
    if (height > 1 && count(inner, node) == 1) {
      root = inner.child(nodes, node, 0);
      height--;
      memory.free(node, inner.width);
    }
  }

  /** Brings a node, whose bounds are at hand, back to its minimum, by the sibling nearest to it. */
  private void refill(RTreeNode layout, long node, int count, long parent, int slot) {
    int siblingSlot =
        leastGrowing(parent, slot, bounds.minX, bounds.minY, bounds.maxX, bounds.maxY);
    long sibling = inner.child(nodes, parent, siblingSlot);
    int siblingCount = count(layout, sibling);
    if (count + siblingCount <= layout.capacity) {
      for (int i = 0; i < count; i++) {
        layout.copy(nodes, node, i, sibling, siblingCount + i);
      }
      layout.count(nodes, sibling, siblingCount + count);
      enlarge(parent, siblingSlot, bounds.minX, bounds.minY, bounds.maxX, bounds.maxY);
      memory.free(node, layout.width);
      removeSlot(inner, parent, slot, count(inner, parent));
    } else {
      division.reset();
      division.addAll(layout, nodes, node, count);
      division.addAll(layout, nodes, sibling, siblingCount);
      division.divide(layout.minimum, layout.capacity);
      division.store(layout, nodes, node, bounds, sibling, siblingBounds);
      bounds.storeIn(inner, nodes, parent, slot);
      siblingBounds.storeIn(inner, nodes, parent, siblingSlot);
    }
  }
}
