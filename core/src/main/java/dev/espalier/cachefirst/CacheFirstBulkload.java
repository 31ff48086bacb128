// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.support.BulkloadInput;
import java.util.Arrays;

/**
 * Fills an empty cache-first tree from sorted entries (fpB+ 3.2.2): leaves one after the other into
 * leaf pages, then, when their number is known, the inner nodes from the root down by aggressive
 * placement, each after its parent and before its next sibling.
 *
 * <p>The fill factor is that of the nodes, of what is placed with a parent beyond the full subtree,
 * and of the overflow pages; leaf pages are filled to the last slot.
 */
final class CacheFirstBulkload {
  private final CacheFirstStructure tree;
  private final CacheFirstPage page;
  private final double fillFactor;

  /** Children of an inner node. */
  private final int fanOut;

  /** Levels of the full subtree that fits into a page. */
  private final int fullLevels;

  /** Most nodes of the level below the full subtree, and how many of them the page has room for. */
  private final long mostBelow;

  private final long placedBelow;

  /** The leaf pages, in order. */
  private int[] leafPages = new int[16];

  private int leafPageCount;

  /** Leaves written. */
  private long leaves;

  /** For each level, the number of its nodes. */
  private final long[] nodes = new long[CacheFirstStructure.MAX_HEIGHT];

  /** For each level, separators and children of the node being gathered. */
  private final long[][] keys = new long[CacheFirstStructure.MAX_HEIGHT][];

  private final int[][] children = new int[CacheFirstStructure.MAX_HEIGHT][];

  /** The leaf parent written last, 0 for none. */
  private int previousParent;

  /** The leaf to be read next: its page's index and its slot; and the last key of that before. */
  private int nextPage;

  private int nextSlot;
  private long lastKey;

  /** The overflow page being filled, 0 for none, and the nodes in it. */
  private int overflowPage;

  private int overflowCount;

  /** The page of a top-level node, and how many nodes below its full subtree have come up. */
  private static final class Place {
    final int number;
    long below;

    Place(int number) {
      this.number = number;
    }
  }

  CacheFirstBulkload(CacheFirstStructure tree, double fillFactor) {
    tree.checkOpen();
    tree.change.begin();
    BulkloadInput.checkStart(fillFactor, tree.meta[CacheFirstStructure.SIZE]);
    this.tree = tree;
    this.page = tree.page;
    this.fillFactor = fillFactor;
    this.fanOut = filled(tree.inner.capacity, 2);
    int levels = 1;
    long subtree = 1;
    long lowest = 1;
    while (subtree + lowest * fanOut <= page.slots) {
      lowest *= fanOut;
      subtree += lowest;
      levels++;
    }
    this.fullLevels = levels;
    this.mostBelow = lowest * fanOut;
    this.placedBelow = (long) ((page.slots - subtree) * fillFactor);
  }

  private int filled(int capacity, int least) {
    return Math.max((int) Math.round(capacity * fillFactor), least);
  }

  /** Loads everything; the tree is empty again if that fails. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    tree.load(entries, total, listener, this::fill);
  }

  private void fill(BulkloadInput input) {
    fillLeaves(input);
    if (leaves > 1) {
      nodes[0] = leaves;
      int root = 0;
      while (nodes[root] > 1) {
        nodes[root + 1] = (nodes[root] + fanOut - 1) / fanOut;
        root++;
      }
      Place place = new Place(tree.space.newPage(CacheFirstPage.NONLEAF));
      tree.meta[CacheFirstStructure.ROOT] = placeNode(root, 0, place, 0);
      tree.meta[CacheFirstStructure.HEIGHT] = root + 1L;
    }
    if (leafPageCount > 1) {
      tree.leafPages.build(leafPages, leafPageCount);
    }
  }

  // ---------------------------------------------------------------- leaves

  /**
   * Moves the root of the empty tree to the first slot of its page: leaves are written, and read
   * again, by slots, and what merges have left over may be in any.
   */
  private int rootInFirstSlot() {
    int root = tree.root();
    if (page.slotOf(root) == 0) {
      return root;
    }
    int leaf = newLeafIn(page.pageOf(root));
    tree.meta[CacheFirstStructure.ROOT] = leaf;
    tree.space.freeLeaf(root);
    return leaf;
  }

  /** Writes all leaves; the first one is the root of the empty tree. */
  private void fillLeaves(BulkloadInput input) {
    int capacity = filled(tree.leaf.capacity, 1);
    int leaf = rootInFirstSlot();
    addLeafPage(page.pageOf(leaf));
    leaves = 1;
    int count = 0;
    while (input.next()) {
      if (count == capacity) {
        leaf = newLeaf();
        count = 0;
      }
      long at = tree.pin(leaf);
      try {
        tree.leaf.key(tree.pages, at, count, input.key());
        tree.leaf.value(tree.pages, at, count, input.value());
        count++;
        tree.leaf.count(tree.pages, at, count);
      } finally {
        tree.unpin(at, true);
      }
    }
  }

  private int newLeaf() {
    int number = leafPages[leafPageCount - 1];
    if (leaves % page.slots == 0) {
      number = tree.space.newPage(CacheFirstPage.LEAF);
      addLeafPage(number);
    }
    leaves++;
    return newLeafIn(number);
  }

  private int newLeafIn(int number) {
    int leaf = tree.space.takeSlot(number);
    long at = tree.pin(leaf);
    tree.leaf.initialize(tree.pages, at);
    tree.unpin(at, true);
    return leaf;
  }

  private void addLeafPage(int number) {
    if (leafPageCount == leafPages.length) {
      leafPages = Arrays.copyOf(leafPages, 2 * leafPageCount);
    }
    leafPages[leafPageCount++] = number;
  }

  // ---------------------------------------------------------------- inner nodes

  /**
   * Places the inner node {@code index} of a level, counted from the left, and all that is below
   * it, and returns it.
   *
   * @param place where it goes
   * @param inPageLevel its level there
   */
  private int placeNode(int level, long index, Place place, int inPageLevel) {
    int node = tree.space.takeSlot(place.number);
    if (keys[level] == null) {
      keys[level] = new long[fanOut];
      children[level] = new int[fanOut];
    }
    long first = index * fanOut;
    int count = (int) Math.min(fanOut, nodes[level - 1] - first);
    for (int i = 0; i < count; i++) {
      children[level][i] =
          level == 1 ? nextLeaf(node) : placeChild(level - 1, first + i, place, inPageLevel + 1);
      keys[level][i] = lastKey;
    }
    long at = tree.pin(node);
    try {
      tree.inner.initialize(tree.pages, at);
      tree.inner.level(tree.pages, at, inPageLevel);
      tree.inner.count(tree.pages, at, count);
      for (int i = 0; i < count; i++) {
        tree.inner.child(tree.pages, at, i, children[level][i]);
        if (i < count - 1) {
          tree.inner.key(tree.pages, at, i, keys[level][i]);
        }
      }
    } finally {
      tree.unpin(at, true);
    }
    if (level == 1) {
      tree.chain(previousParent, node);
      previousParent = node;
    }
    return node;
  }

  /** Places a node by the in-page level it would have beside its parent. */
  private int placeChild(int level, long index, Place place, int inPageLevel) {
    if (inPageLevel < fullLevels || (inPageLevel == fullLevels && isPlacedBelow(place))) {
      return placeNode(level, index, place, inPageLevel);
    }
    return placeNode(
        level,
        index,
        new Place(level == 1 ? overflowPage() : tree.space.newPage(CacheFirstPage.NONLEAF)),
        0);
  }

  /**
   * Tells whether the next node below a full subtree goes into its page: the bitmap of the paper,
   * whose set bits are spread evenly.
   */
  private boolean isPlacedBelow(Place place) {
    long before = place.below * placedBelow / mostBelow;
    place.below++;
    return place.below * placedBelow / mostBelow > before;
  }

  private int overflowPage() {
    if (overflowPage == 0 || overflowCount == filled(page.slots, 1)) {
      overflowPage = tree.space.newPage(CacheFirstPage.OVERFLOW);
      overflowCount = 0;
    }
    overflowCount++;
    return overflowPage;
  }

  /** Returns the next leaf, and lets its page point back if it is the first there. */
  private int nextLeaf(int parent) {
    int number = leafPages[nextPage];
    int leaf = page.node(number, nextSlot);
    if (nextSlot == 0) {
      tree.firstParent(number, parent);
    }
    nextSlot++;
    if (nextSlot == page.slots) {
      nextSlot = 0;
      nextPage++;
    }
    long at = tree.pin(leaf);
    lastKey = tree.leaf.key(tree.pages, at, Math.max(tree.leaf.count(tree.pages, at) - 1, 0));
    tree.unpin(at, false);
    return leaf;
  }
}
