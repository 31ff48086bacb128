// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.ProgressListener;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/** A check of a tree in a page store: it goes to no page that is not in use, and to none twice. */
public abstract class PageVerifier extends Verifier {
  protected final PageStore store;
  protected final MemorySegment pages;
  private final BitSet claimed = new BitSet();

  /**
   * Begins a check.
   *
   * @param total entries that there should be, for the listener
   */
  protected PageVerifier(PageStore store, ProgressListener listener, long total) {
    super(listener, total);
    this.store = store;
    this.pages = store.segment();
  }

  /** Checks that pages are in use, and not by another part of the tree. */
  protected final void claim(String invariant, int first, int count) {
    check(
        first > 0 && count >= 0 && count <= store.pagesInUse(),
        invariant,
        "there are no %d pages in use from %d on",
        count,
        first);
    for (int i = 0; i < count; i++) {
      int page = first + i;
      check(store.isInUse(page), invariant, "page %d is not in use", page);
      check(!claimed.get(page), invariant, "page %d is in two places", page);
      claimed.set(page);
    }
  }

  /** Returns how many pages were claimed. */
  protected final int claimed() {
    return claimed.cardinality();
  }

  /** Checks that all pages in use are the tree's. */
  protected final void checkAllClaimed(String invariant) {
    checkEqual(invariant, claimed(), store.pagesInUse(), "the number of pages");
  }
}
