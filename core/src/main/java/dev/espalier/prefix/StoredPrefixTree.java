// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What the pages of a {@link PrefixBPlusTree} tell without the tree, for salvaging what is left of
 * a damaged one. A leaf holds all there is to know about its entries.
 */
public final class StoredPrefixTree {
  private StoredPrefixTree() {}

  /** Returns the number of entries of the tree with the given meta words. */
  public static long size(long[] meta) {
    return meta[PrefixStructure.SIZE];
  }

  /** Tells whether the tree with the given meta words may have pages that long values share. */
  public static boolean sharesPages(long[] meta) {
    return meta[PrefixStructure.STAMP] == PrefixStructure.STAMP_WITH_PIECES;
  }

  /** Returns whether the page at an offset is a leaf. */
  public static boolean isLeaf(MemorySegment pages, long at) {
    return PageLayout.level(pages, at) == 0;
  }

  /** Returns the number of entries of a leaf. */
  public static int count(MemorySegment pages, long at) {
    return PageLayout.count(pages, at);
  }

  /** Returns which entries of a leaf have a part of the key or the value in pages of their own. */
  public static BitSet chained(MemorySegment pages, long at) {
    BitSet chained = new BitSet();
    for (int i = 0; i < PageLayout.count(pages, at); i++) {
      long slot = PageLayout.slot(pages, at, i);
      chained.set(
          i, PageLayout.isKeyInChain(pages, slot) || PageLayout.isValueInChain(pages, slot));
    }
    return chained;
  }

  /** Returns the maximum number of bytes of a separator that a page holds. */
  public static int fenceBytes(int pageBytes) {
    return new PageLayout(pageBytes).fenceBytes;
  }

  /**
   * Returns the beginning of the separator before a leaf, or null if it is the first one. This is
   * the same as the upper fence of the previous leaf.
   */
  public static byte @Nullable [] lowerFence(MemorySegment pages, long at, int pageBytes) {
    return (PageLayout.flags(pages, at) & PageLayout.NO_LOWER) != 0
        ? null
        : new PageLayout(pageBytes).lowerBytes(pages, at);
  }

  /** Returns the beginning of the separator behind a leaf, or null if it is the last one. */
  public static byte @Nullable [] upperFence(MemorySegment pages, long at, int pageBytes) {
    return (PageLayout.flags(pages, at) & PageLayout.NO_UPPER) != 0
        ? null
        : new PageLayout(pageBytes).upperBytes(pages, at);
  }

  /**
   * Makes a leaf the only page of its tree, until its meta words are changed again. It must not be
   * written to.
   */
  public static void becomeLeaf(long[] meta, int page) {
    meta[PrefixStructure.STAMP] = PrefixStructure.OWN_STAMP;
    meta[PrefixStructure.ROOT] = page;
    meta[PrefixStructure.HEIGHT] = 1;
    meta[PrefixStructure.SIZE] = 0;
  }
}
