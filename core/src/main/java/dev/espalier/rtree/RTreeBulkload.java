// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import dev.espalier.ProgressListener;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.support.BulkloadInput;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Fills an empty structure bottom up: rectangles in Hilbert order of their centres into leaves
 * (Kamel and Faloutsos), leaves in the same order into nodes above, and so on.
 */
final class RTreeBulkload {
  private static final int REPORT_EVERY = 4096;
  private static final int LEAST_ROOM = 1024;

  /** A total is only for the listener: where it is wrong, no more than this is wasted. */
  private static final int MOST_FIRST_ROOM = 1 << 20;

  /** Rectangles that an array of four coordinates each can hold. */
  private static final int MOST = Integer.MAX_VALUE / 4 - 2;

  private final RTreeStructure tree;
  private final double fillFactor;
  private final long total;
  private final ProgressListener listener;

  /** Of what was read, then of the nodes of the level last built. */
  private double[] coordinates;

  private long[] references;
  private int count;

  /** Rectangles read. */
  private int read;

  private final Bounds bounds = new Bounds();

  RTreeBulkload(RTreeStructure tree, double fillFactor, long total, ProgressListener listener) {
    tree.checkOpen();
    BulkloadInput.checkStart(fillFactor, tree.size);
    this.tree = tree;
    this.fillFactor = fillFactor;
    this.total = total;
    this.listener = listener;
    int room = Math.clamp(total, LEAST_ROOM, MOST_FIRST_ROOM);
    this.coordinates = new double[4 * room];
    this.references = new long[room];
  }

  /** Loads everything; the structure is empty again if that fails. */
  void load(RectangleSource source) {
    try {
      read(source);
      if (read > 0) {
        long[] order = HilbertOrder.of(coordinates, read);
        tree.memory.free(tree.root, tree.leaf.width);
        buildLevels(order);
      }
      tree.size = read;
      reportOrCancel();
    } catch (RuntimeException | Error failed) {
      tree.clear();
      throw failed;
    }
  }

  private void read(RectangleSource source) {
    for (; source.next(); read = count) {
      if (count > 0 && count % REPORT_EVERY == 0) {
        checkRoom();
        reportOrCancel();
      }
      if (count == references.length) {
        makeRoom();
      }
      double minX = source.minX();
      double minY = source.minY();
      double maxX = source.maxX();
      double maxY = source.maxY();
      Rectangle.check(minX, minY, maxX, maxY);
      put(coordinates, count, minX, minY, maxX, maxY);
      references[count++] = source.value();
    }
  }

  private static void put(double[] to, int at, double minX, double minY, double maxX, double maxY) {
    to[4 * at] = minX;
    to[4 * at + 1] = minY;
    to[4 * at + 2] = maxX;
    to[4 * at + 3] = maxY;
  }

  private void makeRoom() {
    if (count == MOST) {
      throw new IllegalArgumentException("bulkload takes at most " + MOST + " rectangles");
    }
    int room = (int) Math.min(2L * count, MOST);
    coordinates = Arrays.copyOf(coordinates, 4 * room);
    references = Arrays.copyOf(references, room);
  }

  /** Ends early where what was read can't fit, before the heap is full of it. */
  private void checkRoom() {
    long leaves = count / tree.leaf.capacity;
    if (leaves * tree.leaf.bytes > tree.memory.limit()) {
      throw new MemoryLimitException(
          "the index needs more than "
              + leaves * tree.leaf.bytes
              + " bytes of native memory, but its limit is "
              + tree.memory.limit());
    }
  }

  private void reportOrCancel() {
    if (!listener.onProgress(read, total)) {
      throw new CancellationException("bulkload cancelled after " + read + " entries");
    }
  }

  /** Builds the leaves in an order of what was read, and every level above in that of the last. */
  private void buildLevels(long[] order) {
    buildLevel(tree.leaf, order);
    int height = 1;
    while (count > 1) {
      buildLevel(tree.inner, null);
      height++;
    }
    tree.root = references[0];
    tree.height = height;
  }

  private void buildLevel(RTreeNode layout, long @Nullable [] order) {
    int nodes = nodesFor(layout);
    double[] built = new double[4 * nodes];
    long[] builtReferences = new long[nodes];
    int at = 0;
    for (int i = 0; i < nodes; i++) {
      long node = tree.allocate(layout.width);
      layout.initialize(tree.nodes, node);
      int end = (int) ((i + 1L) * count / nodes);
      layout.count(tree.nodes, node, end - at);
      bounds.reset();
      for (int slot = 0; at < end; slot++, at++) {
        append(layout, node, slot, order == null ? at : (int) order[at]);
      }
      put(built, i, bounds.minX, bounds.minY, bounds.maxX, bounds.maxY);
      builtReferences[i] = node;
      if (i % REPORT_EVERY == REPORT_EVERY - 1) {
        reportOrCancel();
      }
    }
    coordinates = built;
    references = builtReferences;
    count = nodes;
  }

  private void append(RTreeNode layout, long node, int slot, int from) {
    double minX = coordinates[4 * from];
    double minY = coordinates[4 * from + 1];
    double maxX = coordinates[4 * from + 2];
    double maxY = coordinates[4 * from + 3];
    layout.set(tree.nodes, node, slot, minX, minY, maxX, maxY);
    layout.reference(tree.nodes, node, slot, references[from]);
    bounds.add(minX, minY, maxX, maxY);
  }

  /** Returns how many nodes to make of a level: as the fill factor says, but none too empty. */
  private int nodesFor(RTreeNode layout) {
    int wanted = Math.max((int) Math.round(layout.capacity * fillFactor), layout.minimum);
    int nodes = (count + wanted - 1) / wanted;
    while (nodes > 1 && count / nodes < layout.minimum) {
      nodes--;
    }
    return nodes;
  }
}
