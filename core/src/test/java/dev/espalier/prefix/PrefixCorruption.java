// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** Ways to break a prefix B+-tree, each with the invariant that it breaks. */
enum PrefixCorruption {
  CHILD_TWICE(
      "I1", tree -> child(tree, inner(tree), 1, PageLayout.child(tree.pages, inner(tree), 0))),
  SIZE_OFF_BY_ONE("I1", tree -> tree.meta[PrefixStructure.SIZE]++),
  PAGE_LOST("I1", PrefixStructure::allocate),
  LEVEL_WRONG("I1", tree -> tree.pages.set(ValueLayout.JAVA_BYTE, leaf(tree) + 16, (byte) 1)),
  FLAG_WITHOUT_REASON(
      "I2", tree -> tree.pages.set(ValueLayout.JAVA_BYTE, leaf(tree) + 17, (byte) 3)),
  UPPER_FENCE_SHORTER(
      "I2",
      tree ->
          PageLayout.upper(tree.pages, leaf(tree), PageLayout.upper(tree.pages, leaf(tree)) - 1)),
  PREFIX_LONGER(
      "I3",
      tree ->
          PageLayout.prefix(tree.pages, leaf(tree), PageLayout.prefix(tree.pages, leaf(tree)) + 1)),
  ENTRIES_SWAPPED("I4", PrefixCorruption::swap),
  HEAD_BEHIND_THE_LAST("I5", PrefixCorruption::unpad),
  HEAD_OF_ANOTHER(
      "I5",
      tree -> {
        long head = leaf(tree) + PageLayout.HEADS;
        Words.putLong(tree.pages, head, Words.getLong(tree.pages, head) ^ 1);
      }),
  LONG_VALUE_IN_LINE("I6", PrefixCorruption::longValueInLine),
  RECORD_IN_ANOTHER(
      "I7",
      tree -> {
        long page = leaf(tree);
        long first = PageLayout.slot(tree.pages, page, 0);
        long second = PageLayout.slot(tree.pages, page, 1);
        int offset = (int) (PageLayout.record(tree.pages, page, first) - page);
        PageLayout.record(tree.pages, second, offset);
      }),
  RECORD_WITHOUT_BYTES_MOVED(
      "I7", tree -> PageLayout.record(tree.pages, PageLayout.slot(tree.pages, inner(tree), 0), 1)),
  LIVE_OFF_BY_ONE(
      "I7",
      tree -> PageLayout.live(tree.pages, leaf(tree), PageLayout.live(tree.pages, leaf(tree)) + 1)),
  TOP_IN_THE_ARRAYS("I8", tree -> PageLayout.top(tree.pages, leaf(tree), PageLayout.HEADS)),
  SEPARATOR_IN_ENTRY_0(
      "I9",
      tree -> {
        long slot = PageLayout.slot(tree.pages, inner(tree), 0);
        tree.pages.set(ValueLayout.JAVA_SHORT_UNALIGNED, slot + 2, (short) 1);
      }),
  CHAIN_OF_TWO_VALUES("I10", PrefixCorruption::shareChain);

  private final String invariant;
  private final Consumer<PrefixStructure> damage;

  PrefixCorruption(String invariant, Consumer<PrefixStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  String invariant() {
    return invariant;
  }

  void inflictOn(PrefixStructure tree) {
    damage.accept(tree);
  }

  // ---------------------------------------------------------------- where

  /** Returns a page above the leaves. */
  private static long inner(PrefixStructure tree) {
    return tree.store.pin(tree.root());
  }

  /** Returns a leaf that is at no edge, has a prefix, and some unused heads. */
  private static long leaf(PrefixStructure tree) {
    long found = find(tree, tree.root());
    if (found < 0) {
      throw new AssertionError("no leaf has a prefix and unused heads");
    }
    return found;
  }

  private static long find(PrefixStructure tree, int number) {
    long page = tree.store.pin(number);
    int count = PageLayout.count(tree.pages, page);
    if (PageLayout.level(tree.pages, page) == 0) {
      boolean fits =
          PageLayout.flags(tree.pages, page) == 0
              && PageLayout.prefix(tree.pages, page) > 0
              && PageLayout.upper(tree.pages, page) > PageLayout.prefix(tree.pages, page) + 1
              && PageLayout.lower(tree.pages, page) > PageLayout.prefix(tree.pages, page)
              && count % 8 != 0
              && count > 3
              && chainEntry(tree, page, 0) >= 0
              && chainEntry(tree, page, chainEntry(tree, page, 0) + 1) >= 0;
      return fits ? page : -1;
    }
    for (int i = 0; i < count; i++) {
      long found = find(tree, PageLayout.child(tree.pages, page, i));
      if (found >= 0) {
        return found;
      }
    }
    return -1;
  }

  /** Returns the first entry from one on whose value is in a chain, or -1. */
  private static int chainEntry(PrefixStructure tree, long page, int from) {
    for (int i = from; i < PageLayout.count(tree.pages, page); i++) {
      if (PageLayout.isValueInChain(tree.pages, PageLayout.slot(tree.pages, page, i))) {
        return i;
      }
    }
    return -1;
  }

  // ---------------------------------------------------------------- what

  private static void child(PrefixStructure tree, long page, int i, int child) {
    long children =
        page + PageLayout.HEADS + 8L * PageLayout.cap(PageLayout.count(tree.pages, page));
    tree.pages.set(ValueLayout.JAVA_INT_UNALIGNED, children + 4L * i, child);
  }

  private static void swap(PrefixStructure tree) {
    long page = leaf(tree);
    MemorySegment memory = tree.pages;
    swap(memory, page + PageLayout.HEADS, Long.BYTES);
    swap(memory, PageLayout.slot(memory, page, 0), PageLayout.SLOT_BYTES);
  }

  private static void swap(MemorySegment memory, long first, int bytes) {
    byte[] kept = memory.asSlice(first, bytes).toArray(ValueLayout.JAVA_BYTE);
    MemorySegment.copy(memory, first + bytes, memory, first, bytes);
    MemorySegment.copy(kept, 0, memory, ValueLayout.JAVA_BYTE, first + bytes, bytes);
  }

  private static void unpad(PrefixStructure tree) {
    long page = leaf(tree);
    long behind = page + PageLayout.HEADS + 8L * PageLayout.count(tree.pages, page);
    Words.putLong(tree.pages, behind, 0);
  }

  /** Takes a reference for a value. */
  private static void longValueInLine(PrefixStructure tree) {
    long page = leaf(tree);
    long slot = PageLayout.slot(tree.pages, page, chainEntry(tree, page, 0));
    long reference = PageLayout.valueAt(tree.pages, page, slot);
    PageLayout.refer(tree.pages, reference, PageLayout.referredPage(tree.pages, reference), 1);
  }

  private static void shareChain(PrefixStructure tree) {
    long page = leaf(tree);
    int first = chainEntry(tree, page, 0);
    int second = chainEntry(tree, page, first + 1);
    long from = PageLayout.valueAt(tree.pages, page, PageLayout.slot(tree.pages, page, first));
    long to = PageLayout.valueAt(tree.pages, page, PageLayout.slot(tree.pages, page, second));
    MemorySegment.copy(tree.pages, from, tree.pages, to, PageLayout.REFERENCE_BYTES);
  }
}
