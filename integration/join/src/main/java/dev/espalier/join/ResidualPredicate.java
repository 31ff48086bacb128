// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/**
 * A further condition for joining rows with equal keys, or in a {@link BandJoin} with a key in an
 * interval: the rest of {@code on outer.key = inner.key and ...}.
 */
@FunctionalInterface
public interface ResidualPredicate {

  /**
   * Returns whether an outer row is to be joined with an entry of the index.
   *
   * @param key the key of the entry
   * @param outerPayload the payload of the outer row
   * @param innerValue the value of the entry
   */
  boolean test(long key, long outerPayload, long innerValue);
}
