// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.memory.Words;
import dev.espalier.node.Rectangles;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * An R-tree (Guttman) in native memory: rectangles in the plane, each with a long value. Queries
 * find those that overlap or contain a rectangle, lie in one, or are nearest to a point. {@link
 * #bulkload} packs them in Hilbert order, as in Zhou and Ross, "Buffering Accesses to
 * Memory-Resident Index Structures", VLDB 2003.
 *
 * <p>The same rectangle may be stored several times, with equal or different values. Rectangles
 * include their borders, so those that touch overlap. Methods that take a rectangle also take its
 * four coordinates, which avoids creating an object. Coordinates must satisfy the conditions of
 * {@link Rectangle}; otherwise an {@link IllegalArgumentException} names the coordinate.
 *
 * <p>{@link #insert(double, double, double, double, long) insert} takes O(log n) time. A query
 * visits all nodes whose bounds match it: O(log n) plus the nodes of the rectangles found, if
 * bounds overlap little. A full tree takes about 46 bytes per rectangle.
 *
 * <p><b>Threads.</b> Any number of threads may read at the same time, or one may write; the caller
 * must keep readers and writers apart. Misuse may lead to wrong answers or exceptions, after which
 * the tree must be cleared or closed, but not to a crash of the JVM.
 *
 * <p><b>Closing.</b> {@link #close} frees the memory. Afterwards every method except {@link #close}
 * and {@link #isClosed} throws {@link IllegalStateException}, in any thread.
 */
public final class RTree implements AutoCloseable {
  /* Overview
   *
   * Structure, invariants and deviations are those of RTreeStructure. Queries are here:
   *
   *   Search goes down to every child whose rectangle passes a test of the four coordinates, by
   *   recursion, which needs no memory that two readers could share. In a node one kernel tests all
   *   slots at once, of a leaf in the same place in the code as of an inner node, because HotSpot
   *   does not inline the kernel often into one method. Overlap (min <= query's max, max >= query's min) and containment (min <= query's
   *   min, max >= query's max) are the same four comparisons with other operands.
   *
   *   While a child is searched, the next one that passed is being fetched.
   */

  private final Geometry geometry;
  private final RTreeLeaf leaf;
  private final RTreeInner inner;
  final RTreeStructure tree;

  /**
   * The widths of nodes, in cache lines of 64 bytes. Widths of {@code 5k} lines leave none unused:
   * a leaf then holds {@code 8k - 1} rectangles, and an inner node {@code 8k} children. The nodes
   * of 4 KiB in the papers are 64 lines wide and hold 96 rectangles or 112 children.
   *
   * @param innerWidth width of an inner node, in lines, from 3 to 64
   * @param leafWidth width of a leaf, in lines, from 3 to 64
   */
  public record Geometry(int innerWidth, int leafWidth) {
    /**
     * Widths of 5 and 10 lines, for 8 children and 15 rectangles. Inner nodes are narrow, because a
     * small query needs one or two of the children of a node but reads all its lines; leaves are
     * twice as wide, which saves memory and was measured to be as fast.
     */
    public static final Geometry DEFAULT = new Geometry(5, 10);

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      RTreeNode.checkWidth("innerWidth", innerWidth);
      RTreeNode.checkWidth("leafWidth", leafWidth);
    }
  }

  private RTree(IndexOptions options, Geometry geometry) {
    Objects.requireNonNull(geometry, "geometry");
    this.geometry = geometry;
    this.leaf = new RTreeLeaf(geometry.leafWidth);
    this.inner = new RTreeInner(geometry.innerWidth);
    this.tree = new RTreeStructure(options, leaf, inner);
  }

  /** Creates an empty tree with nodes of the default widths. The missing value is not used. */
  public static RTree create(IndexOptions options) {
    return create(options, Geometry.DEFAULT);
  }

  /** Creates an empty tree. The missing value is not used. */
  public static RTree create(IndexOptions options, Geometry geometry) {
    return new RTree(options, geometry);
  }

  /** Returns the widths of the nodes. */
  public Geometry geometry() {
    return geometry;
  }

  /** Returns the number of rectangles. */
  public long size() {
    tree.checkOpen();
    return tree.size;
  }

  /** Returns whether there are no rectangles. */
  public boolean isEmpty() {
    return size() == 0;
  }

  // ---------------------------------------------------------------- search

  /**
   * Visits overlapping rectangles, as {@link #overlapping(double, double, double, double,
   * ValueVisitor)} does.
   */
  public long overlapping(Rectangle query, ValueVisitor visitor) {
    return overlapping(query.minX(), query.minY(), query.maxX(), query.maxY(), visitor);
  }

  /**
   * Visits the values of all rectangles that have a point in common with the query.
   *
   * @return the number of values visited
   */
  public long overlapping(
      double minX, double minY, double maxX, double maxY, ValueVisitor visitor) {
    Rectangle.check(minX, minY, maxX, maxY);
    return reaching(maxX, maxY, minX, minY, visitor);
  }

  /**
   * Visits containing rectangles, as {@link #containing(double, double, double, double,
   * ValueVisitor)} does.
   */
  public long containing(Rectangle query, ValueVisitor visitor) {
    return containing(query.minX(), query.minY(), query.maxX(), query.maxY(), visitor);
  }

  /**
   * Visits the values of all rectangles that contain the whole query.
   *
   * @return the number of values visited
   */
  public long containing(double minX, double minY, double maxX, double maxY, ValueVisitor visitor) {
    Rectangle.check(minX, minY, maxX, maxY);
    return reaching(minX, minY, maxX, maxY, visitor);
  }

  /**
   * Visits the values of all rectangles that contain a point.
   *
   * @return the number of values visited
   */
  public long containing(double x, double y, ValueVisitor visitor) {
    Rectangle.checkNumber("x", x);
    Rectangle.checkNumber("y", y);
    return reaching(x, y, x, y, visitor);
  }

  /** Visits what {@link Rectangles#reaching} finds. */
  private long reaching(
      double mostMinX, double mostMinY, double leastMaxX, double leastMaxY, ValueVisitor visitor) {
    Objects.requireNonNull(visitor, "visitor");
    return visited(
        reachingBelow(
            tree.nodes,
            tree.root,
            tree.height - 1,
            mostMinX,
            mostMinY,
            leastMaxX,
            leastMaxY,
            visitor));
  }

  /**
   * Visits what is below a node. Returns how many; -1 - how many once the visitor has ended the
   * query.
   */
  long reachingBelow(
      MemorySegment nodes,
      long node,
      int level,
      double mostMinX,
      double mostMinY,
      double leastMaxX,
      double leastMaxY,
      ValueVisitor visitor) {
    RTreeNode layout = level == 0 ? leaf : inner;
    long found = 0;
    for (int first = 0; first < layout.slots; first += Rectangles.MOST) {
      long places = layout.reaching(nodes, node, first, mostMinX, mostMinY, leastMaxX, leastMaxY);
      while (places != 0) {
        int slot = first + Long.numberOfTrailingZeros(places);
        places &= places - 1;
        if (level == 0) {
          found++;
          if (!visitor.visit(leaf.value(nodes, node, slot))) {
            return -1 - found;
          }
          continue;
        }
        prefetchNext(nodes, node, level, first, places);
        long below =
            reachingBelow(
                nodes,
                inner.child(nodes, node, slot),
                level - 1,
                mostMinX,
                mostMinY,
                leastMaxX,
                leastMaxY,
                visitor);
        if (below < 0) {
          return below - found;
        }
        found += below;
      }
    }
    return found;
  }

  /**
   * Visits contained rectangles, as {@link #containedIn(double, double, double, double,
   * ValueVisitor)} does.
   */
  public long containedIn(Rectangle query, ValueVisitor visitor) {
    return containedIn(query.minX(), query.minY(), query.maxX(), query.maxY(), visitor);
  }

  /**
   * Visits the values of all rectangles that lie entirely within the query.
   *
   * @return the number of values visited
   */
  public long containedIn(
      double minX, double minY, double maxX, double maxY, ValueVisitor visitor) {
    Rectangle.check(minX, minY, maxX, maxY);
    Objects.requireNonNull(visitor, "visitor");
    return visited(
        withinBelow(tree.nodes, tree.root, tree.height - 1, minX, minY, maxX, maxY, visitor));
  }

  /** As {@link #reachingBelow}: to all children that overlap the query, for what lies in it. */
  private long withinBelow(
      MemorySegment nodes,
      long node,
      int level,
      double minX,
      double minY,
      double maxX,
      double maxY,
      ValueVisitor visitor) {
    RTreeNode layout = level == 0 ? leaf : inner;
    long found = 0;
    for (int first = 0; first < layout.slots; first += Rectangles.MOST) {
      long places = layout.reaching(nodes, node, first, maxX, maxY, minX, minY);
      while (places != 0) {
        int slot = first + Long.numberOfTrailingZeros(places);
        places &= places - 1;
        if (level == 0) {
          if (leaf.isWithin(nodes, node, slot, minX, minY, maxX, maxY)) {
            found++;
            if (!visitor.visit(leaf.value(nodes, node, slot))) {
              return -1 - found;
            }
          }
          continue;
        }
        prefetchNext(nodes, node, level, first, places);
        long below =
            withinBelow(
                nodes, inner.child(nodes, node, slot), level - 1, minX, minY, maxX, maxY, visitor);
        if (below < 0) {
          return below - found;
        }
        found += below;
      }
    }
    return found;
  }

  /** Fetches the first of the children that are still to be searched. */
  private void prefetchNext(MemorySegment nodes, long node, int level, int first, long places) {
    if (places != 0) {
      long next = inner.child(nodes, node, first + Long.numberOfTrailingZeros(places));
      Words.prefetch(tree.base + next, level == 1 ? leaf.width : inner.width, Locality.T0);
    }
  }

  private static long visited(long result) {
    return result < 0 ? -1 - result : result;
  }

  /**
   * Returns the {@code k} rectangles nearest to a point, or all if there are fewer, the nearest
   * first. Those at equal distance come in any order. Uses best-first search (Hjaltason and Samet).
   *
   * @throws IllegalArgumentException if a coordinate of the point is not finite or {@code k} is
   *     negative
   */
  public List<Neighbour> nearest(double x, double y, int k) {
    checkFinite("x", x);
    checkFinite("y", y);
    if (k < 0) {
      throw new IllegalArgumentException("k is " + k + "; it must not be negative");
    }
    tree.checkOpen();
    return NearestSearch.find(tree, x, y, k);
  }

  private static void checkFinite(String name, double coordinate) {
    if (!Double.isFinite(coordinate)) {
      throw new IllegalArgumentException(name + " is " + coordinate + "; it must be finite");
    }
  }

  // ---------------------------------------------------------------- insert

  /** Adds a rectangle, as {@link #insert(double, double, double, double, long)} does. */
  public void insert(Rectangle rectangle, long value) {
    insert(rectangle.minX(), rectangle.minY(), rectangle.maxX(), rectangle.maxY(), value);
  }

  /**
   * Adds a rectangle with a value, even if the tree already holds the same pair.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room; the tree is then
   *     unchanged
   */
  public void insert(double minX, double minY, double maxX, double maxY, long value) {
    Rectangle.check(minX, minY, maxX, maxY);
    tree.insert(minX, minY, maxX, maxY, value);
  }

  // ---------------------------------------------------------------- delete

  /** Deletes a rectangle, as {@link #delete(double, double, double, double, long)} does. */
  public boolean delete(Rectangle rectangle, long value) {
    return delete(rectangle.minX(), rectangle.minY(), rectangle.maxX(), rectangle.maxY(), value);
  }

  /**
   * Deletes one rectangle with exactly these coordinates and this value. Never needs memory.
   *
   * @return whether there was one
   */
  public boolean delete(double minX, double minY, double maxX, double maxY, long value) {
    Rectangle.check(minX, minY, maxX, maxY);
    return tree.delete(minX, minY, maxX, maxY, value);
  }

  /** Deletes all rectangles and gives their memory back to the system. */
  public void clear() {
    tree.clear();
  }

  // ---------------------------------------------------------------- bulkload

  /**
   * Fills this empty tree, packing the rectangles in the Hilbert order of their centres (Kamel and
   * Faloutsos). This is faster than inserting them, and the nodes overlap less. Needs about 100
   * bytes of Java heap per rectangle while it runs. O(n log n).
   *
   * @param fillFactor how full to make the nodes, from 0.5 to 1; less than 1 leaves room for
   *     inserts
   * @param total number of rectangles, to be reported to the listener, or -1 if unknown
   * @param listener the listener, which is told how many rectangles were read and then how many are
   *     in nodes; it may cancel
   * @throws IllegalStateException if the tree is not empty
   * @throws IllegalArgumentException if the fill factor is out of range, a coordinate is NaN, or a
   *     rectangle is inverted; the tree is then empty
   * @throws dev.espalier.memory.MemoryLimitException if the rectangles do not fit; the tree is then
   *     empty
   * @throws java.util.concurrent.CancellationException if the listener cancels; the tree is then
   *     empty
   */
  public void bulkload(
      RectangleSource source, double fillFactor, long total, ProgressListener listener) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(listener, "listener");
    new RTreeBulkload(tree, fillFactor, total, listener).load(source);
  }

  // ---------------------------------------------------------------- inspect

  /**
   * Checks every invariant of the structure, in one pass over all nodes. O(n).
   *
   * @throws dev.espalier.inspect.InvariantViolationException if an invariant does not hold; the
   *     message names the first such invariant, by its number in the source, and the place
   * @throws java.util.concurrent.CancellationException if the listener cancels
   */
  public void verify(ProgressListener listener) {
    RTreeVerifier.verify(tree, listener);
  }

  /** Checks every invariant, as {@link #verify(ProgressListener)} does. */
  public void verify() {
    verify(ProgressListener.NONE);
  }

  /**
   * Returns the height, the numbers of nodes, how full they are, and bytes. Visits all nodes, O(n).
   */
  public IndexStatistics statistics() {
    return RTreeCount.of(tree);
  }

  /** Returns whether {@link #close} was called. */
  public boolean isClosed() {
    return tree.memory.isClosed();
  }

  /** Frees the memory. A second call does nothing. */
  @Override
  public void close() {
    tree.memory.close();
  }
}
