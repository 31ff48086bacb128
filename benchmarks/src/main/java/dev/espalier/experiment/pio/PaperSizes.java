// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import java.util.List;

/** The sizes of the paper's section 4.1, smaller, but memory and data as in the paper. */
final class PaperSizes {
  /** The paper's U: nodes are 70% full. */
  static final double FILL = 0.7;

  /** PioMax, speriod and bcnt of the paper. */
  static final int PIO_MAX = 64;

  static final int PERIOD = 5000;
  static final int BATCH = 5000;

  /** Pool sizes of the paper's figure 9, in MB; the last is that of the other figures. */
  static final List<Integer> POOLS_MB = List.of(1, 2, 4, 8, 16);

  static final int MOST_MB = 16;

  /** From so many entries on, targets are checked: smaller trees have hardly a pool. */
  static final int LEAST_ENTRIES = 10_000_000;

  private static final long DATA_MB = 8 << 10;
  private static final int ENTRY_BYTES = 16;
  private static final long LEAST_POOL_BYTES = 128 << 10;

  private PaperSizes() {}

  /** Returns how many entries a simulated tree has. */
  static int simulatedEntries(Effort effort) {
    return 3 * effort.entries();
  }

  /** Returns the bytes of what is to so many entries as so many MB are to the paper's 8 GB. */
  static long poolBytes(int entries, int megabytes) {
    long data = (long) (entries * (ENTRY_BYTES / FILL));
    return Math.max(data * megabytes / DATA_MB, LEAST_POOL_BYTES);
  }

  /** Fills an empty tree. */
  static void load(LongIndex index, int entries) {
    index.bulkload(Entries.ascending(entries), FILL, entries, ProgressListener.NONE);
  }
}
