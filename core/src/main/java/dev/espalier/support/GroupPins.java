// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.memory.PageStore;

/**
 * The pins of probes that are answered together, a page for each. They are kept apart from where
 * the probes are, which pages say: even if these lie, each pin is given back, and once.
 */
public final class GroupPins {
  private final PageStore store;
  private final long[] places;
  private int count;

  /**
   * Holds no pins yet.
   *
   * @param most the most pins at a time
   */
  public GroupPins(PageStore store, int most) {
    this.store = store;
    // Where pages stay, pins mean nothing.
    this.places = new long[store.pagesStay() ? 0 : most];
  }

  /**
   * Pins pages, while none is pinned.
   *
   * @param pages their numbers, which become their offsets
   */
  public void pinAll(long[] pages, int from, int count) {
    store.pinAll(pages, from, count);
    if (places.length > 0) {
      System.arraycopy(pages, from, places, 0, count);
      this.count = count;
    }
  }

  /** Gives back all pins there are, if there are any. */
  public void unpinAll() {
    int pinned = count;
    count = 0;
    for (int i = 0; i < pinned; i++) {
      store.unpin(places[i], false);
    }
  }
}
