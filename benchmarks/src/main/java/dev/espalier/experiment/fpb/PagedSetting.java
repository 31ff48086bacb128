// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.experiment.Entries;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;

/**
 * A tree as it is when an operation is measured: bulkloaded.
 *
 * @param pageBytes bytes of a page
 * @param entries entries in the tree
 * @param percentFull how full bulkload makes pages and nodes
 */
record PagedSetting(PagedTree tree, int pageBytes, int entries, int percentFull) {

  /** Makes the tree in memory. */
  LongIndex build() {
    return build(new MemoryPageStore(pageBytes, Long.MAX_VALUE, HugePages.WHEN_GROWN));
  }

  /** Makes the tree in an empty store, which belongs to it from then on. */
  LongIndex build(PageStore store) {
    LongIndex index = tree.opener().apply(store);
    try {
      index.bulkload(
          Entries.ascending(entries), percentFull / 100.0, entries, ProgressListener.NONE);
    } catch (RuntimeException | Error failed) {
      index.close();
      throw failed;
    }
    return index;
  }

  int pageKib() {
    return pageBytes >> 10;
  }

  /** Whether the other tree differs from this one by its kind and widths alone. */
  boolean isComparableTo(PagedSetting other) {
    return pageBytes == other.pageBytes
        && entries == other.entries
        && percentFull == other.percentFull;
  }

  /** Returns the same with other entries. */
  PagedSetting withEntries(int otherEntries) {
    return new PagedSetting(tree, pageBytes, otherEntries, percentFull);
  }

  @Override
  public String toString() {
    return "%s, %d KB, %,d entries, %d%% full".formatted(tree, pageKib(), entries, percentFull);
  }
}
