// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.inpage.InPageTrees;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree of in-page trees, each against one invariant of {@link
 * BLinkStructure}, {@link InPageTrees} or {@link LinkedInPageFormat}. The tree has three levels,
 * and the second leaf and the second inner page of level 1 have two in-page leaves at least.
 */
enum LinkedInPageCorruption {
  SEPARATOR_OF_PAGES_TWICE(
      "I11",
      tree ->
          change(
              tree,
              1,
              page -> {
                long leaf = page.leafOfMostChildren();
                page.format.childLeaf.key(
                    page.tree.pages, leaf, 1, page.format.childLeaf.key(page.tree.pages, leaf, 0));
              })),
  KEY_ABOVE_THE_HIGH_KEY(
      "I2",
      tree ->
          change(tree, 0, page -> LinkedPage.high(page.tree.pages, page.at, page.lastKey() - 1))),
  LEFT_LINK_TO_ANOTHER(
      "I3", tree -> change(tree, 0, page -> LinkedPage.left(page.tree.pages, page.at, 0))),
  HEIGHT_TOO_LARGE("I4", tree -> tree.meta[BLinkStructure.HEIGHT]++),
  MARK_OF_A_SPLIT_THAT_IS_COMPLETE(
      "I5",
      tree ->
          change(
              tree,
              0,
              page -> LinkedPage.flags(page.tree.pages, page.at, LinkedPage.SPLIT_IS_INCOMPLETE))),
  COUNT_ABOVE_CAPACITY(
      "I6",
      tree ->
          change(
              tree,
              0,
              page -> LinkedPage.count(page.tree.pages, page.at, page.format.leafCapacity + 1))),
  SIZE_TOO_LARGE("I7", tree -> tree.epochs.count(1)),
  PAGE_LEAKED("I8", tree -> tree.store.allocate()),
  CHILD_PAST_THE_PAGE(
      "I9",
      tree ->
          change(
              tree,
              0,
              page ->
                  page.format.inner.child(
                      page.tree.pages, page.parent(), 1, page.format.trees.pageLines))),
  LEVEL_OF_ANOTHER_NODE(
      "I10",
      tree ->
          change(
              tree, 0, page -> page.format.valueLeaf.level(page.tree.pages, page.firstLeaf(), 1))),
  KEYS_OUT_OF_ORDER(
      "I11",
      tree ->
          change(
              tree,
              0,
              page -> page.format.inner.key(page.tree.pages, page.parent(), 0, Long.MIN_VALUE))),
  COUNT_IS_NOT_THAT_OF_THE_LEAVES(
      "I12",
      tree ->
          change(
              tree,
              0,
              page ->
                  LinkedPage.count(
                      page.tree.pages,
                      page.at,
                      LinkedPage.rawCount(page.tree.pages, page.at) - 1))),
  FIRST_LEAF_IS_ANOTHER(
      "I13",
      tree ->
          change(tree, 0, page -> page.format.trees.header.firstLeaf(page.tree.pages, page.at, 0))),
  SLOT_NOT_PADDED(
      "I14",
      tree ->
          change(
              tree,
              0,
              page ->
                  page.format.valueLeaf.key(
                      page.tree.pages, page.firstLeaf(), page.format.valueLeaf.capacity, 1))),
  ROOT_AT_ANOTHER_LINE(
      "I15",
      tree ->
          change(
              tree,
              0,
              page ->
                  page.format.trees.header.root(
                      page.tree.pages,
                      page.at,
                      page.format.trees.header.root(page.tree.pages, page.at) + 1))),
  LAST_CHILD_HAS_A_BOUND(
      "I16",
      tree ->
          change(
              tree,
              1,
              page -> {
                InPageTrees trees = page.format.trees;
                int last = trees.lastPlace(page.tree.pages, page.at);
                long leaf = InPageTrees.node(page.at, last >>> 16);
                page.format.childLeaf.key(page.tree.pages, leaf, last & 0xffff, Long.MAX_VALUE - 1);
              }));

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<BLinkStructure> damage;

  LinkedInPageCorruption(String invariant, Consumer<BLinkStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(BLinkStructure tree) {
    damage.accept(tree);
  }

  /** A page that is pinned. */
  record Page(BLinkStructure tree, LinkedInPageFormat format, long at) {

    /** Returns the first node above the in-page leaves. */
    long parent() {
      int line = format.trees.header.root(tree.pages, at);
      for (int level = format.trees.levels - 1; level > 1; level--) {
        line = format.inner.child(tree.pages, InPageTrees.node(at, line), 0);
      }
      return InPageTrees.node(at, line);
    }

    long firstLeaf() {
      return InPageTrees.node(at, format.trees.header.firstLeaf(tree.pages, at));
    }

    long lastKey() {
      return format.trees.key(tree.pages, at, format.trees.lastPlace(tree.pages, at));
    }

    /** Returns the in-page leaf of an inner page that has two children or more. */
    long leafOfMostChildren() {
      int line = format.trees.header.firstLeaf(tree.pages, at);
      while (format.childLeaf.count(tree.pages, InPageTrees.node(at, line)) < 2) {
        line = format.childLeaf.next(tree.pages, InPageTrees.node(at, line));
      }
      return InPageTrees.node(at, line);
    }
  }

  /** Changes the second page of a level. */
  private static void change(BLinkStructure tree, int level, Consumer<Page> change) {
    tree.pinAndChange(
        BLinkCorruption.second(tree, level),
        (pages, at) -> change.accept(new Page(tree, (LinkedInPageFormat) tree.format, at)));
  }
}
