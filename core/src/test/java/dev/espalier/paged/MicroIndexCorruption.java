// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static dev.espalier.paged.PagedCorruption.inner;
import static dev.espalier.paged.PagedCorruption.leaf;

import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import java.util.function.BiConsumer;

/**
 * Ways to damage what a {@link MicroIndexFormat} keeps in its pages beside the entries. The pages
 * have two sub-arrays or more, none of them full, and room for another one.
 */
enum MicroIndexCorruption {
  FIRST_KEY_OF_THE_PAGE_NOT_INDEXED("I9", (tree, _) -> lower(tree, leaf(tree, 1), 0)),
  FIRST_KEY_OF_A_SUB_ARRAY_NOT_INDEXED("I9", (tree, _) -> lower(tree, leaf(tree, 1), 1)),
  INNER_PAGE_INDEXED_WRONGLY("I9", (tree, _) -> lower(tree, inner(tree, 1, 1), 1)),
  SUB_ARRAY_MISSING_IN_THE_INDEX(
      "I9", (tree, _) -> MicroIndexFormat.indexKey(tree.pages, place(tree, 1), 1, Keys.PADDING)),
  SUB_ARRAY_INDEXED_THAT_IS_NOT_THERE(
      "I9",
      (tree, format) ->
          MicroIndexFormat.indexKey(
              tree.pages, place(tree, 1), format.indexSlots - 1, Long.MAX_VALUE - 1)),

  SLOT_BEHIND_THE_LAST_KEY_NOT_PADDED("I10", (tree, format) -> unpad(tree, format, leaf(tree, 1))),
  INNER_SLOT_NOT_PADDED("I10", (tree, format) -> unpad(tree, format, inner(tree, 1, 1)));

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final BiConsumer<PagedStructure, MicroIndexFormat> damage;

  MicroIndexCorruption(String invariant, BiConsumer<PagedStructure, MicroIndexFormat> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards. */
  String invariant() {
    return invariant;
  }

  void inflictOn(PagedStructure tree) {
    damage.accept(tree, (MicroIndexFormat) tree.format);
  }

  /** Returns the place of a leaf page. */
  private static long place(PagedStructure tree, int leaf) {
    return tree.store.pin(leaf(tree, leaf));
  }

  /** Lowers an entry of the micro-index by one, which leads to the same sub-arrays as before. */
  private static void lower(PagedStructure tree, int page, int entry) {
    long at = tree.store.pin(page);
    long key = MicroIndexFormat.indexKey(tree.pages, at, entry);
    MicroIndexFormat.indexKey(tree.pages, at, entry, key - 1);
  }

  private static void unpad(PagedStructure tree, MicroIndexFormat format, int page) {
    long at = tree.store.pin(page);
    long behind = at + format.keysOffset + ((long) PageHeader.count(tree.pages, at) << 3);
    Words.putLong(tree.pages, behind, 0);
  }
}
