// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.experiment.Effort;

/** How large the indexes are (table 2). */
final class Table2 {
  /** As few as make a B+-tree of three levels, and all trees larger than the simulated cache. */
  static final int LEAST_KEYS = 50_000;

  /**
   * As few as make the simulated cache too small for a line of each leaf's buffer: only then do
   * trees show on it what the paper's did.
   */
  static final int KEYS_BEYOND_THE_CACHE = 1_000_000;

  private Table2() {}

  /** Returns the keys of a tree: in full the paper's 5 million. */
  static int keys(Effort effort) {
    return Math.max(effort.entries() / 2, LEAST_KEYS);
  }
}
