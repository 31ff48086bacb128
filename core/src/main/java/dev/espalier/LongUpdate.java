// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** What {@link LongNavigable#compute} does with the entry of a key. */
@FunctionalInterface
public interface LongUpdate {

  /**
   * Decides what becomes of an entry.
   *
   * @param entry has the key and, if it is there, the value; takes the new value by {@link
   *     LongEntry#setValue}
   * @param isThere whether the key has an entry
   * @return whether the key is to have an entry, with the value that {@code entry} has now
   */
  boolean update(LongEntry entry, boolean isThere);
}
