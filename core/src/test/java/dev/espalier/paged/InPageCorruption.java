// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.inpage.InPageTrees;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy in-page tree, each against one invariant of {@link InPageTrees}. The
 * tree of pages has three levels at least; in-page trees have three, with more than one node on the
 * level above the leaves, and in leaf pages the leaves are neither full nor empty.
 */
enum InPageCorruption {
  CHILD_PAST_THE_PAGE("I9", page -> page.child(1, 0, 1, page.format.pageLines)),
  CHILD_ENDS_PAST_THE_PAGE(
      "I9", page -> page.child(1, 0, 1, page.format.pageLines - page.format.valueLeaf.width + 1)),
  CHILD_IS_THE_HEADER("I9", page -> page.child(1, 0, 1, 0)),
  LEAF_OF_TWO_PARENTS("I9", page -> page.child(1, 1, 0, page.leaf(0))),
  NODE_IS_ITS_OWN_CHILD("I9", page -> page.child(1, 0, 1, page.inner(1, 0))),
  NODES_SHARE_A_LINE(
      "I9", page -> page.child(1, 0, 1, page.leaf(0) + page.format.valueLeaf.width - 1)),

  INNER_NODE_OF_A_WRONG_LEVEL(
      "I10", page -> page.format.inner.level(page.tree.pages, page.at(page.inner(1, 1)), 2)),
  LEAF_OF_A_WRONG_LEVEL(
      "I10", page -> page.format.valueLeaf.level(page.tree.pages, page.at(page.leaf(1)), 1)),
  INNER_NODE_IN_PLACE_OF_A_LEAF(
      "I10",
      page -> {
        // As the leaf's first lines, where the node's own words now tell another level.
        long leaf = page.at(page.leaf(0));
        page.format.valueLeaf.level(page.tree.pages, leaf, 2);
      }),

  LEAF_KEYS_OUT_OF_ORDER("I11", page -> page.swapKeys(page.leaf(1))),
  SEPARATORS_OUT_OF_ORDER("I11", page -> page.swapKeys(page.inner(1, 1))),
  KEY_ABOVE_ITS_SEPARATOR(
      "I11",
      page -> {
        long leaf = page.at(page.leaf(0));
        int last = page.format.valueLeaf.count(page.tree.pages, leaf) - 1;
        long separator = page.format.inner.key(page.tree.pages, page.at(page.inner(1, 0)), 0);
        page.format.valueLeaf.key(page.tree.pages, leaf, last, separator + 1);
      }),
  KEY_IS_THE_SEPARATOR_BEFORE(
      "I11",
      page -> {
        long separator = page.format.inner.key(page.tree.pages, page.at(page.inner(1, 0)), 0);
        page.format.valueLeaf.key(page.tree.pages, page.at(page.leaf(1)), 0, separator);
      }),
  NO_KEY_FITS_INTO_THE_LAST_CHILD(
      "I11",
      page -> {
        long node = page.at(page.inner(1, 0));
        int last = page.format.inner.count(page.tree.pages, node) - 2;
        long bound = page.format.inner.key(page.tree.pages, page.at(page.inner(2, 0)), 0);
        page.format.inner.key(page.tree.pages, node, last, bound);
      }),
  BOUND_IN_AN_INNER_PAGE_IS_NOT_THE_LAST_KEY(
      "I11",
      page -> {
        long node = page.at(page.inner(1, 0));
        long separator = page.format.inner.key(page.tree.pages, node, 0);
        page.format.inner.key(page.tree.pages, node, 0, separator + 1);
      },
      true),

  LEAF_COUNT_ABOVE_CAPACITY("I12", page -> page.leafCount(1, page.format.valueLeaf.capacity + 1)),
  LEAF_OF_AN_INNER_PAGE_EMPTY("I12", page -> page.leafCount(1, 0), true),
  INNER_COUNT_ABOVE_CAPACITY("I12", page -> page.innerCount(page.format.inner.capacity + 1)),
  INNER_NODE_WITHOUT_CHILDREN("I12", page -> page.innerCount(0)),
  COUNT_IS_NOT_THE_SUM(
      "I12",
      page ->
          PageHeader.count(
              page.tree.pages, page.place, PageHeader.count(page.tree.pages, page.place) - 1)),

  FIRST_LEAF_OUT_OF_STEP(
      "I13", page -> InPageTreeFormat.HEADER.firstLeaf(page.tree.pages, page.place, page.leaf(1))),
  LAST_LEAF_OUT_OF_STEP(
      "I13", page -> InPageTreeFormat.HEADER.lastLeaf(page.tree.pages, page.place, page.leaf(0))),
  NEXT_LEAF_SKIPPED(
      "I13",
      page -> page.format.valueLeaf.next(page.tree.pages, page.at(page.leaf(0)), page.leaf(2))),
  PREVIOUS_LEAF_SKIPPED(
      "I13",
      page -> page.format.valueLeaf.previous(page.tree.pages, page.at(page.leaf(2)), page.leaf(0))),
  LEAVES_END_TOO_EARLY(
      "I13", page -> page.format.valueLeaf.next(page.tree.pages, page.at(page.leaf(1)), 0)),
  JUMP_POINTER_ARRAY_ENDS_TOO_EARLY(
      "I13", page -> page.format.inner.next(page.tree.pages, page.at(page.inner(1, 0)), 0)),
  JUMP_POINTER_ARRAY_GOES_FORTH_ONLY(
      "I13", page -> page.format.inner.previous(page.tree.pages, page.at(page.inner(1, 1)), 0)),
  JUMP_POINTER_ARRAY_HAS_A_NODE_BEFORE_THE_FIRST(
      "I13",
      page ->
          page.format.inner.previous(page.tree.pages, page.at(page.inner(1, 0)), page.inner(1, 1))),

  LEAF_SLOT_NOT_PADDED(
      "I14",
      page -> {
        long leaf = page.at(page.leaf(1));
        page.format.valueLeaf.key(
            page.tree.pages, leaf, page.format.valueLeaf.count(page.tree.pages, leaf), 1);
      }),
  SEPARATOR_NOT_PADDED(
      "I14",
      page -> {
        long node = page.at(page.inner(2, 0));
        int count = page.format.inner.count(page.tree.pages, node);
        page.format.inner.key(page.tree.pages, node, count - 1, Long.MIN_VALUE);
      }),

  ROOT_AT_ANOTHER_LINE(
      "I15",
      page ->
          InPageTreeFormat.HEADER.root(
              page.tree.pages,
              page.place,
              InPageTreeFormat.HEADER.root(page.tree.pages, page.place) + 1)),
  LINES_LEAKED(
      "I15",
      page ->
          InPageTreeFormat.HEADER.above(
              page.tree.pages,
              page.place,
              InPageTreeFormat.HEADER.above(page.tree.pages, page.place) + 1)),
  LINES_IN_USE_TAKEN_BACK(
      "I15",
      page ->
          InPageTreeFormat.HEADER.above(
              page.tree.pages,
              page.place,
              InPageTreeFormat.HEADER.above(page.tree.pages, page.place) - 1)),
  LINES_BEFORE_THE_ROOT_LEAKED(
      "I15",
      page ->
          InPageTreeFormat.HEADER.below(
              page.tree.pages,
              page.place,
              InPageTreeFormat.HEADER.below(page.tree.pages, page.place) + 1));

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<Page> damage;

  private final boolean toInnerPage;

  InPageCorruption(String invariant, Consumer<Page> damage) {
    this(invariant, damage, false);
  }

  InPageCorruption(String invariant, Consumer<Page> damage, boolean toInnerPage) {
    this.invariant = invariant;
    this.damage = damage;
    this.toInnerPage = toInnerPage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I9}. */
  String invariant() {
    return invariant;
  }

  /** Damages an inner page just above the leaf pages, or a leaf page. */
  void inflictOn(DiskFirstFpbPlusTree index) {
    PagedStructure tree = index.tree;
    int page = tree.root();
    for (int level = tree.height() - 1; level > (toInnerPage ? 1 : 0); level--) {
      long at = tree.store.pin(page);
      int first = tree.format.firstPlace(tree.pages, at);
      page = tree.format.child(tree.pages, at, tree.format.nextPlace(tree.pages, at, first));
    }
    damage.accept(new Page(tree, (InPageTreeFormat) tree.format, tree.store.pin(page)));
  }

  /** One page and its in-page nodes, by their lines. */
  record Page(PagedStructure tree, InPageTreeFormat format, long place) {
    long at(int line) {
      return place + ((long) line << CacheLine.SHIFT);
    }

    /** Returns the line of inner node {@code number} of a level, under the root's first child. */
    int inner(int level, int number) {
      int line = InPageTreeFormat.HEADER.root(tree.pages, place);
      for (int at = format.levels - 1; at > level; at--) {
        line = format.inner.child(tree.pages, at(line), at == level + 1 ? number : 0);
      }
      return line;
    }

    /** Returns the line of leaf {@code number} under the first node above leaves. */
    int leaf(int number) {
      return format.inner.child(tree.pages, at(inner(1, 0)), number);
    }

    void child(int level, int number, int slot, int line) {
      format.inner.child(tree.pages, at(inner(level, number)), slot, line);
    }

    void leafCount(int number, int count) {
      format.valueLeaf.count(tree.pages, at(leaf(number)), count);
    }

    void innerCount(int count) {
      format.inner.count(tree.pages, at(inner(1, 1)), count);
    }

    /** Swaps the first two keys, which are at the same place in leaves and inner nodes. */
    void swapKeys(int line) {
      long first = Words.getLong(tree.pages, at(line));
      Words.putLong(tree.pages, at(line), Words.getLong(tree.pages, at(line) + Long.BYTES));
      Words.putLong(tree.pages, at(line) + Long.BYTES, first);
    }
  }
}
