// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/**
 * What rows with the same key must fulfil besides to be joined: {@code on outer.key = inner.key and
 * ...}.
 */
@FunctionalInterface
public interface ResidualPredicate {

  /** Tells whether an outer row and the value that its key has in the index belong together. */
  boolean test(long key, long outerPayload, long innerValue);
}
