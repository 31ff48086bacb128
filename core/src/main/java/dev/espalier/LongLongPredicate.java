// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** Says yes or no to a key with its value, without boxes. */
@FunctionalInterface
public interface LongLongPredicate {

  /** Returns the answer for an entry. */
  boolean test(long key, long value);
}
