// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import dev.espalier.memory.Words;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link CacheFirstStructure}. The
 * tree has at least four levels, nodes that are not full, leaf pages, nonleaf pages and overflow
 * pages, of the last two kinds some with room, and two chunks at least.
 */
enum CacheFirstCorruption {
  LEAF_KEYS_OUT_OF_ORDER(
      "I1",
      tree ->
          onLeaf(
              tree,
              at -> {
                long first = tree.leaf.key(tree.pages, at, 0);
                tree.leaf.key(tree.pages, at, 0, tree.leaf.key(tree.pages, at, 1));
                tree.leaf.key(tree.pages, at, 1, first);
              })),
  SEPARATOR_TWICE(
      "I1",
      tree ->
          onNode(
              tree,
              tree.root(),
              at -> tree.inner.key(tree.pages, at, 1, tree.inner.key(tree.pages, at, 0)))),

  KEY_BELOW_ITS_LEAFS_BOUND(
      "I2", tree -> onLeaf(tree, at -> tree.leaf.key(tree.pages, at, 0, Long.MIN_VALUE))),
  SEPARATOR_BELOW_ITS_CHILDS_KEYS(
      "I2",
      tree ->
          onNode(
              tree,
              leafParent(tree),
              at -> tree.inner.key(tree.pages, at, 0, tree.inner.key(tree.pages, at, 0) - 1))),

  HEIGHT_IS_ZERO("I3", tree -> tree.meta[CacheFirstStructure.HEIGHT] = 0),
  HEIGHT_IS_BEYOND_ALL(
      "I3", tree -> tree.meta[CacheFirstStructure.HEIGHT] = CacheFirstStructure.MAX_HEIGHT + 1),
  HEIGHT_IS_ONE_LESS("I3", tree -> tree.meta[CacheFirstStructure.HEIGHT]--),
  LEAF_PAGE_PASSES_FOR_AN_OVERFLOW_PAGE(
      "I3", tree -> kind(tree, leafPage(tree), CacheFirstPage.OVERFLOW)),
  TOP_LEVEL_NODE_IN_AN_OVERFLOW_PAGE(
      "I3", tree -> kind(tree, tree.page.pageOf(tree.root()), CacheFirstPage.OVERFLOW)),

  LEAF_COUNT_ABOVE_CAPACITY(
      "I4", tree -> onLeaf(tree, at -> tree.leaf.count(tree.pages, at, tree.leaf.capacity + 1))),
  LEAF_EMPTY("I4", tree -> onLeaf(tree, at -> tree.leaf.count(tree.pages, at, 0))),
  INNER_COUNT_NEGATIVE(
      "I4", tree -> onNode(tree, leafParent(tree), at -> tree.inner.count(tree.pages, at, -1))),
  ROOT_WITH_ONE_CHILD(
      "I4", tree -> onNode(tree, tree.root(), at -> tree.inner.count(tree.pages, at, 1))),

  SIZE_TOO_LARGE("I5", tree -> tree.meta[CacheFirstStructure.SIZE]++),

  NEXT_SKIPS_A_LEAF_PARENT(
      "I6",
      tree -> {
        int node = leafParent(tree);
        int next = tree.next(tree.next(node));
        onNode(tree, node, at -> tree.inner.next(tree.pages, at, next));
      }),
  FIRST_LEAF_PARENT_HAS_A_PREVIOUS(
      "I6",
      tree ->
          onNode(
              tree,
              leafParent(tree),
              at -> tree.inner.previous(tree.pages, at, tree.next(leafParent(tree))))),
  ROOT_IS_CHAINED(
      "I6", tree -> onNode(tree, tree.root(), at -> tree.inner.next(tree.pages, at, tree.root()))),

  LEAF_SLOT_NOT_PADDED(
      "I7", tree -> onLeaf(tree, at -> tree.leaf.key(tree.pages, at, tree.leaf.capacity - 1, 1))),
  INNER_SLOT_NOT_PADDED(
      "I7",
      tree ->
          onNode(
              tree,
              leafParent(tree),
              at -> tree.inner.key(tree.pages, at, tree.inner.keySlots - 1, 1))),

  CHILD_IN_A_PAGE_TAKEN_BACK("I8", tree -> tree.store.free(leafPage(tree))),
  CHILD_PAST_THE_LAST_SLOT(
      "I8", tree -> child(tree, tree.page.node(leafPage(tree), tree.page.slots))),
  CHILD_BETWEEN_TWO_SLOTS("I8", tree -> child(tree, tree.page.node(leafPage(tree), 0) + 1)),
  CHILD_IS_THE_HEADER_OF_ITS_PAGE("I8", tree -> child(tree, tree.page.node(leafPage(tree), 0) - 1)),
  CHILD_OF_TWO_PARENTS("I8", tree -> child(tree, tree.child(leafParent(tree), 0))),
  NODE_IN_A_FREE_SLOT(
      "I8",
      tree ->
          onPage(
              tree,
              leafPage(tree),
              at -> {
                long bits = CacheFirstPage.slotWord(tree.pages, at, 0);
                CacheFirstPage.slotWord(tree.pages, at, 0, bits & (bits - 1));
              })),

  SLOT_WITHOUT_A_NODE(
      "I9",
      tree ->
          onPage(
              tree,
              pageWithRoom(tree, CacheFirstStructure.NONLEAF_ROOM),
              at -> tree.page.takeSlot(tree.pages, at, 0))),
  SLOT_BEHIND_THE_LAST(
      "I9",
      tree -> onPage(tree, leafPage(tree), at -> CacheFirstPage.slotWord(tree.pages, at, 3, -1))),
  PAGE_COUNTS_A_NODE_TOO_MANY(
      "I9",
      tree ->
          onPage(
              tree,
              leafPage(tree),
              at ->
                  CacheFirstPage.count(tree.pages, at, CacheFirstPage.count(tree.pages, at) + 1))),

  TOP_LEVEL_NODE_WITH_AN_IN_PAGE_LEVEL(
      "I10", tree -> onNode(tree, tree.root(), at -> tree.inner.level(tree.pages, at, 1))),
  NODE_BESIDE_ITS_PARENT_PASSES_FOR_TOP_LEVEL(
      "I10", tree -> onNode(tree, inParentsPage(tree), at -> tree.inner.level(tree.pages, at, 0))),

  LEAF_PAGE_POINTS_BACK_TO_ANOTHER_NODE(
      "I11", tree -> tree.firstParent(leafPage(tree), tree.next(leafParent(tree)))),
  LEAF_PAGE_POINTS_BACK_TO_NONE("I11", tree -> tree.firstParent(leafPage(tree), 0)),
  LEAVES_OF_TWO_PAGES_ARE_MIXED(
      "I11",
      tree -> {
        int second = CacheFirstPage.entry(tree.pages, tree.store.pin(firstChunk(tree)), 1);
        int third = CacheFirstPage.entry(tree.pages, tree.store.pin(firstChunk(tree)), 2);
        swapFirstLeaves(tree, second, third);
      }),

  ARRAY_LISTS_PAGES_OUT_OF_ORDER(
      "I12",
      tree ->
          onPage(
              tree,
              firstChunk(tree),
              at -> {
                int first = CacheFirstPage.entry(tree.pages, at, 0);
                CacheFirstPage.entry(tree.pages, at, 0, CacheFirstPage.entry(tree.pages, at, 1));
                CacheFirstPage.entry(tree.pages, at, 1, first);
              })),
  ARRAY_LACKS_A_PAGE(
      "I12",
      tree -> {
        int number = leafPage(tree);
        int chunk = chunkOf(tree, number);
        tree.leafPages.remove(number);
        onPage(tree, number, at -> CacheFirstPage.chunk(tree.pages, at, chunk));
      }),
  ARRAY_IS_NONE("I12", tree -> tree.meta[CacheFirstStructure.FIRST_CHUNK] = 0),
  ARRAY_BEGINS_WITH_A_LEAF_PAGE(
      "I12", tree -> tree.meta[CacheFirstStructure.FIRST_CHUNK] = leafPage(tree)),
  CHUNKS_GO_ROUND(
      "I12",
      tree ->
          onPage(
              tree, firstChunk(tree), at -> CacheFirstPage.next(tree.pages, at, firstChunk(tree)))),
  CHUNK_EMPTY(
      "I12", tree -> onPage(tree, firstChunk(tree), at -> CacheFirstPage.count(tree.pages, at, 0))),
  LEAF_PAGE_NAMES_ANOTHER_CHUNK(
      "I12",
      tree ->
          onPage(tree, leafPage(tree), at -> CacheFirstPage.chunk(tree.pages, at, tree.root()))),

  PAGE_WITH_ROOM_IN_NO_LIST(
      "I13",
      tree ->
          tree.meta[CacheFirstStructure.OVERFLOW_ROOM] =
              tree.space.unlinkPage(
                  pageWithRoom(tree, CacheFirstStructure.OVERFLOW_ROOM),
                  pageWithRoom(tree, CacheFirstStructure.OVERFLOW_ROOM))),
  LEAF_PAGE_IN_A_LIST("I13", tree -> tree.meta[CacheFirstStructure.OVERFLOW_ROOM] = leafPage(tree)),
  LIST_GOES_ROUND(
      "I13",
      tree -> {
        int number = pageWithRoom(tree, CacheFirstStructure.NONLEAF_ROOM);
        onPage(tree, number, at -> CacheFirstPage.next(tree.pages, at, number));
      }),
  LISTS_ARE_EXCHANGED(
      "I13",
      tree -> {
        long nonleaf = tree.meta[CacheFirstStructure.NONLEAF_ROOM];
        tree.meta[CacheFirstStructure.NONLEAF_ROOM] = tree.meta[CacheFirstStructure.OVERFLOW_ROOM];
        tree.meta[CacheFirstStructure.OVERFLOW_ROOM] = nonleaf;
      }),

  PAGE_LEAKED("I14", CacheFirstStructure::allocate);

  private final String invariant;
  private final Consumer<CacheFirstStructure> damage;

  CacheFirstCorruption(String invariant, Consumer<CacheFirstStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  String invariant() {
    return invariant;
  }

  void inflictOn(CacheFirstStructure tree) {
    damage.accept(tree);
  }

  // ---------------------------------------------------------------- places

  /** Something that is done to the bytes at a place. */
  private interface Bytes {
    void change(long at);
  }

  private static void onNode(CacheFirstStructure tree, int node, Bytes bytes) {
    long at = tree.pin(node);
    bytes.change(at);
    tree.unpin(at, true);
  }

  private static void onPage(CacheFirstStructure tree, int number, Bytes bytes) {
    long at = tree.store.pin(number);
    bytes.change(at);
    tree.store.unpin(at, true);
  }

  /** Does something to the second leaf. */
  private static void onLeaf(CacheFirstStructure tree, Bytes bytes) {
    onNode(tree, tree.child(leafParent(tree), 1), bytes);
  }

  /** Returns the first leaf parent. */
  private static int leafParent(CacheFirstStructure tree) {
    int node = tree.root();
    for (int level = tree.height() - 1; level > 1; level--) {
      node = tree.child(node, 0);
    }
    return node;
  }

  /** Returns the first leaf page. */
  private static int leafPage(CacheFirstStructure tree) {
    return tree.page.pageOf(tree.child(leafParent(tree), 0));
  }

  private static int firstChunk(CacheFirstStructure tree) {
    return (int) tree.meta[CacheFirstStructure.FIRST_CHUNK];
  }

  private static int chunkOf(CacheFirstStructure tree, int leafPage) {
    long at = tree.store.pin(leafPage);
    int chunk = CacheFirstPage.chunk(tree.pages, at);
    tree.store.unpin(at, false);
    return chunk;
  }

  private static int pageWithRoom(CacheFirstStructure tree, int list) {
    return (int) tree.meta[list];
  }

  /** Makes the second leaf's parent believe that another node is its second child. */
  private static void child(CacheFirstStructure tree, int node) {
    onNode(tree, leafParent(tree), at -> tree.inner.child(tree.pages, at, 1, node));
  }

  private static void kind(CacheFirstStructure tree, int number, int kind) {
    long at = tree.store.pin(number);
    int other = CacheFirstPage.next(tree.pages, at);
    int map = CacheFirstPage.count(tree.pages, at);
    CacheFirstPage.initialize(tree.pages, at, kind);
    CacheFirstPage.next(tree.pages, at, other);
    CacheFirstPage.count(tree.pages, at, map);
    tree.store.unpin(at, true);
  }

  /** Returns an inner node that lies in the page of its parent. */
  private static int inParentsPage(CacheFirstStructure tree) {
    int root = tree.root();
    for (int i = 0; i < tree.innerCount(root); i++) {
      int child = tree.child(root, i);
      if (tree.page.pageOf(child) == tree.page.pageOf(root)) {
        return child;
      }
    }
    throw new AssertionError("the root is alone in its page");
  }

  /** Exchanges the places of the first leaves of two pages, and all that is in them. */
  private static void swapFirstLeaves(CacheFirstStructure tree, int left, int right) {
    for (int parent = leafParent(tree); parent != 0; parent = tree.next(parent)) {
      for (int i = 0; i < tree.innerCount(parent); i++) {
        int child = tree.child(parent, i);
        int moved = child;
        if (child == tree.page.node(left, 0)) {
          moved = tree.page.node(right, 0);
        } else if (child == tree.page.node(right, 0)) {
          moved = tree.page.node(left, 0);
        }
        int slot = i;
        int node = moved;
        onNode(tree, parent, at -> tree.inner.child(tree.pages, at, slot, node));
      }
    }
    swap(tree, tree.page.node(left, 0), tree.page.node(right, 0));
  }

  private static void swap(CacheFirstStructure tree, int one, int other) {
    long first = tree.pin(one);
    long second = tree.pin(other);
    for (int i = 0; i < tree.leaf.bytes; i += Long.BYTES) {
      long word = Words.getLong(tree.pages, first + i);
      long with = Words.getLong(tree.pages, second + i);
      Words.putLong(tree.pages, first + i, with);
      Words.putLong(tree.pages, second + i, word);
    }
    tree.unpin(first, true);
    tree.unpin(second, true);
  }
}
