// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/**
 * A further condition for joining rows with equal keys: the rest of {@code on outer.key = inner.key
 * and ...}.
 */
@FunctionalInterface
public interface ResidualPredicate {

  /**
   * Returns whether an outer row is to be joined with the value that the index holds for its key.
   */
  boolean test(long key, long outerPayload, long innerValue);
}
