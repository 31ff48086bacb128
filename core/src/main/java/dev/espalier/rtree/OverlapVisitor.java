// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

/**
 * Receives the results of {@link BufferedOverlap} as pairs of a query and a value. A visitor may
 * end all queries, but must not change the tree.
 */
@FunctionalInterface
public interface OverlapVisitor {

  /**
   * Called for each pair.
   *
   * @param query number of the query, from 0
   * @param value value of a rectangle that overlaps the query
   * @return true to go on, false to end all queries
   */
  boolean visit(int query, long value);
}
