// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import dev.espalier.ProgressListener;
import dev.espalier.node.Keys;
import dev.espalier.support.Verifier;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks the invariants of {@link CacheFirstStructure}: the nodes in one pass from left to right,
 * then the pages. Built to survive any damage: it goes to no page that is not in use, and to no
 * node twice.
 */
final class CacheFirstVerifier extends Verifier {
  private final CacheFirstStructure tree;
  private final MemorySegment pages;
  private final CacheFirstPage page;
  private final int height;

  /** For each page with nodes, the slots of those that were reached. */
  private final Map<Integer, BitSet> reached = new HashMap<>();

  /** The leaf pages, in the order in which they were reached. */
  private final List<Integer> leafPages = new ArrayList<>();

  private int lastLeafParent;
  private int chunks;

  private CacheFirstVerifier(CacheFirstStructure tree, ProgressListener listener) {
    super(listener, tree.meta[CacheFirstStructure.SIZE]);
    this.tree = tree;
    this.pages = tree.pages;
    this.page = tree.page;
    this.height =
        Math.clamp(tree.meta[CacheFirstStructure.HEIGHT], 1, CacheFirstStructure.MAX_HEIGHT);
  }

  static void verify(CacheFirstStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new CacheFirstVerifier(tree, listener).run();
  }

  private void run() {
    checkEqual("I3", tree.meta[CacheFirstStructure.HEIGHT], height, "the height");
    visit(tree.root(), height - 1, 0, Long.MIN_VALUE, Long.MAX_VALUE);
    checkChained(lastLeafParent, 0);
    checkEqual("I5", entries(), tree.meta[CacheFirstStructure.SIZE], "the number of entries");
    BitSet withRoom = checkSlotMaps();
    checkArray();
    checkRoomLists(withRoom);
    int found = reached.size() + chunks;
    checkEqual("I14", found, tree.store.pagesInUse(), "the number of pages");
  }

  // ---------------------------------------------------------------- nodes

  /** Visits a node whose keys are from {@code low} to {@code high}, both included. */
  private void visit(int node, int level, int parent, long low, long high) {
    claim(node);
    if (level == 0) {
      visitLeaf(node, parent, low, high);
    } else {
      visitInner(node, level, parent, low, high);
    }
  }

  private void claim(int node) {
    int number = page.pageOf(node);
    check(tree.store.isInUse(number), "I8", "page %d is not in use", number);
    check(page.isAtSlot(node), "I8", "a node of page %d begins in no slot", number);
    int slot = page.slotOf(node);
    BitSet slots = reachedIn(number);
    check(!slots.get(slot), "I8", "the node in slot %d of page %d is reached twice", slot, number);
    slots.set(slot);
  }

  /** Returns the slots of a page in which nodes were reached so far. */
  private BitSet reachedIn(int number) {
    return reached.computeIfAbsent(number, _ -> new BitSet());
  }

  private void visitLeaf(int node, int parent, long low, long high) {
    int number = page.pageOf(node);
    checkKind(number, CacheFirstPage.LEAF, CacheFirstPage.LEAF, "leaf");
    if (leafPages.isEmpty() || leafPages.getLast() != number) {
      check(
          reachedIn(number).cardinality() == 1,
          "I11",
          "the leaves of page %d do not follow one another",
          number);
      leafPages.add(number);
      long header = tree.store.pin(number);
      int firstParent = CacheFirstPage.firstParent(pages, header);
      tree.store.unpin(header, false);
      checkEqual("I11", firstParent, parent, "the first parent of leaf page %d", number);
    }
    long[] keys;
    long at = tree.pin(node);
    try {
      int count = tree.leaf.count(pages, at);
      int least = height == 1 ? 0 : 1;
      checkCount(count, least, tree.leaf.capacity, 0);
      checkPadded(at, count, tree.leaf.capacity);
      keys = keys(at, count);
    } finally {
      tree.unpin(at, false);
    }
    checkKeys(number, keys, low, high);
    count(keys.length);
  }

  private void visitInner(int node, int level, int parent, long low, long high) {
    int number = page.pageOf(node);
    checkKind(
        number,
        CacheFirstPage.NONLEAF,
        level == 1 ? CacheFirstPage.OVERFLOW : CacheFirstPage.NONLEAF,
        "inner");
    long[] keys;
    int[] children;
    long at = tree.pin(node);
    try {
      int count = tree.inner.count(pages, at);
      checkCount(count, parent == 0 ? 2 : 1, tree.inner.capacity, level);
      checkPadded(at, count - 1, tree.inner.keySlots);
      check(
          level == 1 || (tree.inner.next(pages, at) == 0 && tree.inner.previous(pages, at) == 0),
          "I6",
          "a node of level %d is chained",
          level);
      keys = keys(at, count - 1);
      children = new int[count];
      for (int i = 0; i < count; i++) {
        children[i] = tree.inner.child(pages, at, i);
      }
    } finally {
      tree.unpin(at, false);
    }
    checkInPageLevel(node, parent);
    checkKeys(number, keys, low, high);
    if (level == 1) {
      checkChained(lastLeafParent, node);
      lastLeafParent = node;
    }
    long childLow = low;
    for (int i = 0; i < children.length; i++) {
      long childHigh = i < keys.length ? keys[i] : high;
      visit(children[i], level - 1, node, childLow, childHigh);
      childLow = childHigh + 1;
    }
  }

  private void checkKind(int number, int kind, int other, String what) {
    long header = tree.store.pin(number);
    int itsKind = CacheFirstPage.kind(pages, header);
    tree.store.unpin(header, false);
    check(
        itsKind == kind || itsKind == other,
        "I3",
        "page %d, of kind %d, has an %s node",
        number,
        itsKind,
        what);
  }

  private static void checkCount(int count, int least, int capacity, int level) {
    checkRange("I4", count, least, capacity, "the count of a node of level %d", level);
  }

  private void checkPadded(long at, int count, int slots) {
    for (int i = count; i < slots; i++) {
      check(
          tree.leaf.key(pages, at, i) == Keys.PADDING,
          "I7",
          "the unused key slot %d of a node is not padded",
          i);
    }
  }

  private long[] keys(long at, int count) {
    long[] keys = new long[count];
    for (int i = 0; i < count; i++) {
      keys[i] = tree.leaf.key(pages, at, i);
    }
    return keys;
  }

  private static void checkKeys(int number, long[] keys, long low, long high) {
    for (int i = 0; i < keys.length; i++) {
      check(
          i == 0 || keys[i - 1] < keys[i],
          "I1",
          "in page %d, key %d is not above its predecessor",
          number,
          keys[i]);
      checkRange("I2", keys[i], low, high, "key %d of a node in page %d", i, number);
    }
  }

  private void checkInPageLevel(int node, int parent) {
    int expected = 0;
    if (parent != 0 && page.pageOf(parent) == page.pageOf(node)) {
      expected = inPageLevel(parent) + 1;
    }
    int number = page.pageOf(node);
    checkEqual(
        "I10", inPageLevel(node), expected, "the in-page level of a node in page %d", number);
  }

  private int inPageLevel(int node) {
    long at = tree.pin(node);
    int level = tree.inner.level(pages, at);
    tree.unpin(at, false);
    return level;
  }

  /** Checks that two leaf parents are beside each other; 0 stands for the end. */
  private void checkChained(int left, int right) {
    check(
        (left == 0 || tree.next(left) == right) && (right == 0 || tree.previous(right) == left),
        "I6",
        "the leaf parents %x and %x are not chained to each other",
        left,
        right);
  }

  // ---------------------------------------------------------------- pages

  /** Checks the slot maps of all pages with nodes; returns those that belong into a list. */
  private BitSet checkSlotMaps() {
    BitSet withRoom = new BitSet();
    reached.forEach(
        (number, slots) -> {
          long header = tree.store.pin(number);
          try {
            BitSet map = slotMap(header);
            map.stream()
                .filter(slot -> !slots.get(slot))
                .forEach(
                    slot -> check(false, "I9", "slot %d of page %d holds no node", slot, number));
            slots.stream()
                .filter(slot -> !map.get(slot))
                .forEach(
                    slot -> check(false, "I8", "slot %d of page %d passes for free", slot, number));
            int count = CacheFirstPage.count(pages, header);
            checkEqual("I9", count, slots.cardinality(), "the count of page %d", number);
            if (CacheFirstPage.kind(pages, header) != CacheFirstPage.LEAF && count < page.slots) {
              withRoom.set(number);
            }
          } finally {
            tree.store.unpin(header, false);
          }
        });
    return withRoom;
  }

  private BitSet slotMap(long header) {
    long[] words = new long[CacheFirstPage.MAX_SLOTS / Long.SIZE];
    for (int i = 0; i < words.length; i++) {
      words[i] = CacheFirstPage.slotWord(pages, header, i);
    }
    return BitSet.valueOf(words);
  }

  /** Checks the jump-pointer array against the leaf pages in their order. */
  private void checkArray() {
    int chunk = (int) tree.meta[CacheFirstStructure.FIRST_CHUNK];
    check(
        (chunk == 0) == (leafPages.size() == 1),
        "I12",
        "the jump-pointer array of %d leaf pages begins with chunk %d",
        leafPages.size(),
        chunk);
    int listed = 0;
    int before = 0;
    while (chunk != 0) {
      check(
          tree.store.isInUse(chunk) && !reached.containsKey(chunk),
          "I12",
          "page %d is in the jump-pointer array, but no chunk",
          chunk);
      chunks++;
      check(chunks <= leafPages.size(), "I12", "the jump-pointer array has too many chunks");
      long at = tree.store.pin(chunk);
      int next;
      try {
        next = CacheFirstPage.next(pages, at);
        int count = CacheFirstPage.count(pages, at);
        check(
            CacheFirstPage.kind(pages, at) == CacheFirstPage.CHUNK
                && CacheFirstPage.previous(pages, at) == before
                && count > 0
                && count <= page.chunkCapacity
                && count <= leafPages.size() - listed,
            "I12",
            "the header of chunk %d is wrong",
            chunk);
        for (int i = 0; i < count; i++, listed++) {
          int entry = CacheFirstPage.entry(pages, at, i);
          checkEqual("I12", entry, leafPages.get(listed), "a page in the jump-pointer array");
        }
      } finally {
        tree.store.unpin(at, false);
      }
      checkListedIn(chunk, listed);
      before = chunk;
      chunk = next;
    }
    check(
        listed == leafPages.size() || before == 0,
        "I12",
        "the jump-pointer array lists %d of %d leaf pages",
        listed,
        leafPages.size());
    if (before == 0) {
      checkNames(leafPages.getFirst(), 0);
    }
  }

  /**
   * Checks that the pages of a chunk name it; {@code end} is the number of those up to its last.
   */
  private void checkListedIn(int chunk, int end) {
    long at = tree.store.pin(chunk);
    int count = CacheFirstPage.count(pages, at);
    tree.store.unpin(at, false);
    for (int number : leafPages.subList(end - count, end)) {
      checkNames(number, chunk);
    }
  }

  private void checkNames(int number, int chunk) {
    long header = tree.store.pin(number);
    int named = CacheFirstPage.chunk(pages, header);
    tree.store.unpin(header, false);
    checkEqual("I12", named, chunk, "the chunk that page %d names", number);
  }

  private void checkRoomLists(BitSet withRoom) {
    checkRoomList(CacheFirstStructure.NONLEAF_ROOM, CacheFirstPage.NONLEAF, withRoom);
    checkRoomList(CacheFirstStructure.OVERFLOW_ROOM, CacheFirstPage.OVERFLOW, withRoom);
    check(
        withRoom.isEmpty(), "I13", "page %d has room, but no list says so", withRoom.nextSetBit(0));
  }

  /** Walks one list and takes its pages out of those with room. */
  private void checkRoomList(int head, int kind, BitSet withRoom) {
    int before = 0;
    int number = (int) tree.meta[head];
    while (number != 0) {
      check(
          number > 0 && withRoom.get(number),
          "I13",
          "page %d is in a list of pages with room, or in it twice",
          number);
      withRoom.clear(number);
      long header = tree.store.pin(number);
      int itsKind = CacheFirstPage.kind(pages, header);
      int previous = CacheFirstPage.previous(pages, header);
      int next = CacheFirstPage.next(pages, header);
      tree.store.unpin(header, false);
      check(
          itsKind == kind && previous == before,
          "I13",
          "page %d of kind %d with page %d before it is in the list after page %d",
          number,
          itsKind,
          previous,
          before);
      before = number;
      number = next;
    }
  }
}
