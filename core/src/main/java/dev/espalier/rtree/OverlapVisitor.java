// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

/**
 * Told of each pair of a query and a value that many queries find; may end them all. Must not
 * change the tree.
 */
@FunctionalInterface
public interface OverlapVisitor {

  /**
   * Called for each pair.
   *
   * @param query the query's number, from 0 on
   * @param value of a rectangle that overlaps the query
   * @return true to go on, false to end all queries
   */
  boolean visit(int query, long value);
}
