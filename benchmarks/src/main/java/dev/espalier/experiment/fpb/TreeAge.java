// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.experiment.Entries;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.model.MemoryTimes;

/** How trees whose pages are counted came to their entries (fpB+ 4.3). */
enum TreeAge {
  /** Bulkloaded to 100%. */
  BULKLOADED("bulkloaded", 1),

  /** A tenth bulkloaded to 100%, the rest inserted in random order. */
  MATURE("mature", 10);

  /** What widths are chosen for: the paper's T1 and Tnext (table 2). */
  static final MemoryTimes TIMES = new MemoryTimes(150, 10);

  private static final int INSERT_SHUFFLE_SEED = 13;

  private final String label;

  /** Of so many entries, in order of keys, one is bulkloaded. */
  private final int oneIn;

  TreeAge(String label, int oneIn) {
    this.label = label;
    this.oneIn = oneIn;
  }

  /** Returns the age in words. */
  String label() {
    return label;
  }

  /** Makes an empty store in memory. */
  static MemoryPageStore store(int pageBytes) {
    return new MemoryPageStore(pageBytes, Long.MAX_VALUE, HugePages.WHEN_GROWN);
  }

  /** Makes a tree in an empty store, which belongs to it from then on. */
  LongIndex build(PagedTree tree, PageStore store, int entries) {
    LongIndex index = tree.opener().apply(store);
    try {
      int loaded = Math.ceilDiv(entries, oneIn);
      index.bulkload(Entries.ascending(loaded, oneIn), 1, loaded, ProgressListener.NONE);
      if (oneIn > 1) {
        insertOthers(index, entries);
      }
    } catch (RuntimeException | Error failed) {
      index.close();
      throw failed;
    }
    return index;
  }

  private void insertOthers(LongIndex index, int entries) {
    for (int rank : Entries.shuffled(entries, INSERT_SHUFFLE_SEED)) {
      if (rank % oneIn != 0) {
        index.put(Entries.key(rank), rank);
      }
    }
  }
}
