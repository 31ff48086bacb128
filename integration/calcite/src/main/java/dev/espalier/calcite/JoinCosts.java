// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import dev.espalier.LongIndex;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.ProbeCosts;
import dev.espalier.batch.ProbeMethod;
import org.jspecify.annotations.Nullable;

/**
 * Compares the time of a join by an index with that of a hash join. All times are nanoseconds; but
 * for the lookup's, which the index knows, they are estimates.
 *
 * @param method how the index looks up a batch
 * @param probeNanos the expected time of a lookup in a full batch
 */
record JoinCosts(String method, double probeNanos) {
  /** A lookup behind a lock or by other means, of which nothing is known. */
  private static final double UNKNOWN_PROBE = 300;

  /**
   * A search of a node, as one of many; and what the lines of a leaf take beyond the cache. With
   * nodes and entries of these sizes, a lookup among 10 million takes 117 ns, where a {@code
   * PbPlusTree} was measured with 118.
   */
  private static final double SEARCH = 8;

  private static final double LEAF_FAR = 80;
  private static final double NODE_ENTRIES = 24;
  private static final double ENTRY_BYTES = 24;

  /** Reading a row of the inner side, once found, and handing the row on. */
  private static final double FETCH = 40;

  /** Reading a row of a scan. */
  private static final double SCAN = 30;

  /** Putting a row into the table of a hash join: an entry, a list and a boxed key each. */
  private static final double BUILD = 150;

  /** Looking up a key in that table; the second is added for what is outside of the cache. */
  private static final double HASH_PROBE = 50;

  private static final double HASH_PROBE_FAR = 150;

  /** What a row of that table takes. */
  private static final double HASH_ROW_BYTES = 150;

  private static final double CACHE_BYTES = 8 << 20;

  static JoinCosts of(LongIndex index) {
    try {
      BatchLookup lookup = BatchLookup.of(index);
      ProbeCosts costs = lookup.costs();
      ProbeMethod method = lookup.choose(JoinRun.BATCH).method();
      double nanos = costs.nanos(method, JoinRun.BATCH);
      // A tree for many threads shows its root alone, and there are nodes below it.
      boolean isShown = costs.shape().levels().getLast().branching() == 0;
      return new JoinCosts(
          method.name(), isShown ? nanos : Math.max(nanos, inTree((double) index.sizeEstimate())));
    } catch (UnsupportedOperationException locked) {
      return new JoinCosts("the index's own", UNKNOWN_PROBE);
    }
  }

  /** Returns the time of a lookup in a full batch in a tree with so many entries. */
  private static double inTree(double entries) {
    double levels = Math.max(1, Math.log(entries) / Math.log(NODE_ENTRIES));
    double far = Math.max(0, 1 - CACHE_BYTES / Math.max(1, entries * ENTRY_BYTES));
    return levels * SEARCH + far * LEAF_FAR;
  }

  /**
   * Returns the time of the join divided by that of a hash join.
   *
   * @param outerRows rows of the outer side
   * @param innerRows rows of the inner side that the hash join would keep
   * @param scannedRows rows that it would read for it
   */
  double overHashJoin(double outerRows, double innerRows, double scannedRows) {
    double hashed = Math.min(innerRows, scannedRows);
    double far = Math.max(0, 1 - CACHE_BYTES / Math.max(1, hashed * HASH_ROW_BYTES));
    double hash =
        scannedRows * SCAN + hashed * BUILD + outerRows * (HASH_PROBE + far * HASH_PROBE_FAR);
    return outerRows * (probeNanos + FETCH) / Math.max(1, hash);
  }

  static @Nullable JoinCosts ofTable(IndexTable table) {
    LongIndex index = table.index();
    return index == null ? null : of(index);
  }
}
