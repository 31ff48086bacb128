// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

/**
 * What an {@link EntrySorter} or a {@link BytesSorter} does with entries that have the same key.
 */
public enum Duplicates {
  /** The entry that was added first stays; the others are dropped. */
  KEEP_FIRST,
  /** The entry that was added last stays; the others are dropped. */
  KEEP_LAST,
  /** A second entry with the same key is an {@link IllegalArgumentException}. */
  REFUSE
}
