// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

/**
 * What keeping a packed memory array in order has taken since it was made.
 *
 * @param moved entries written to another place, by updates within a segment, rebalances and
 *     resizes; an entry that a rebalance moves twice counts twice
 * @param rebalances windows that were spread anew
 * @param resizes how often the array grew or shrank
 */
public record RebalanceCounts(long moved, long rebalances, long resizes) {

  static RebalanceCounts of(PmaStructure tree) {
    return new RebalanceCounts(tree.moved, tree.rebalances, tree.resizes);
  }
}
