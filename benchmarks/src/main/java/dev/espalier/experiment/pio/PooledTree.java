// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.TimedPageStore;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import dev.espalier.pio.PioBTree;
import dev.espalier.pio.PioBTree.Geometry;
import java.util.function.Function;

/**
 * A tree that is bulkloaded once, and then opened behind pools of different sizes on simulated
 * devices.
 *
 * @param label what it is called in the chart
 * @param pageBytes size of a page
 * @param pages its pages
 * @param opener opens it in a store
 */
record PooledTree(
    String label, int pageBytes, MemoryPageStore pages, Function<PageStore, LongIndex> opener)
    implements AutoCloseable {
  private static final int LEAST_FRAMES = 8;

  /** The page sizes of the B+-tree: that of the PIO B-tree, and the one that equation 3 chooses. */
  static final int[] B_PLUS_PAGES = {4 << 10, 8 << 10};

  static final int PIO_PAGE = 4 << 10;
  static final String PIO = "PIO B-tree";

  /** A tree as it is behind one pool. */
  record Opened(LongIndex index, TimedPageStore store) {}

  static PooledTree bPlus(int pageBytes, int entries) {
    return loaded(bPlusLabel(pageBytes), pageBytes, entries, PooledTree::openBPlus);
  }

  static String bPlusLabel(int pageBytes) {
    return "B+-tree, %d KB".formatted(pageBytes >> 10);
  }

  static PooledTree pio(Geometry geometry, int entries) {
    return loaded(PIO, PIO_PAGE, entries, store -> openPio(geometry, store));
  }

  static PooledTree of(TunedTree tree, int entries) {
    return loaded(
        tree.label(),
        tree.pageBytes(),
        entries,
        store -> tree.variant().open(IndexOptions.DEFAULT, store));
  }

  private static LongIndex openBPlus(PageStore store) {
    return DiskOptimizedBPlusTree.open(IndexOptions.DEFAULT, store);
  }

  private static LongIndex openPio(Geometry geometry, PageStore store) {
    return PioBTree.open(IndexOptions.DEFAULT, store, geometry);
  }

  private static PooledTree loaded(
      String label, int pageBytes, int entries, Function<PageStore, LongIndex> opener) {
    MemoryPageStore pages = new MemoryPageStore(pageBytes, Long.MAX_VALUE, HugePages.WHEN_GROWN);
    try {
      PaperSizes.load(opener.apply(pages), entries);
    } catch (RuntimeException | Error failed) {
      pages.close();
      throw failed;
    }
    return new PooledTree(label, pageBytes, pages, opener);
  }

  /** Opens it behind a pool of so many bytes, with nothing in the pool. */
  Opened open(long poolBytes, boolean readsAhead) {
    return open(poolBytes, readsAhead, 1);
  }

  /**
   * Opens it as {@link #open(long, boolean)}.
   *
   * @param leastWritten how many changed pages are written at once, if so many have changed
   */
  Opened open(long poolBytes, boolean readsAhead, int leastWritten) {
    int frames = (int) Math.max(poolBytes / pageBytes, LEAST_FRAMES);
    TimedPageStore store =
        new TimedPageStore(pages, frames, leastWritten, readsAhead, SimulatedDevice.ALL);
    LongIndex index = opener.apply(store);
    store.flush();
    store.clearPool();
    store.resetCounters();
    return new Opened(index, store);
  }

  @Override
  public void close() {
    pages.close();
  }
}
