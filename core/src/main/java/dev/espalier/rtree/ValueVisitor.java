// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

/**
 * Receives the values that a query finds. A visitor may end the query, but must not change the
 * tree.
 */
@FunctionalInterface
public interface ValueVisitor {

  /**
   * Called for each value found, in no particular order.
   *
   * @return true to go on, false to end the query
   */
  boolean visit(long value);
}
