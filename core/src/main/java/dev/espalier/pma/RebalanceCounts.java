// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

/**
 * The work spent on keeping a packed memory array in order since it was created.
 *
 * @param moved number of entries moved, by updates within a segment, rebalances and resizes; an
 *     entry that a rebalance moves twice counts twice
 * @param rebalances number of windows whose entries were spread evenly
 * @param resizes number of times that the array grew or shrank
 */
public record RebalanceCounts(long moved, long rebalances, long resizes) {

  static RebalanceCounts of(PmaStructure tree) {
    return new RebalanceCounts(tree.moved, tree.rebalances, tree.resizes);
  }
}
