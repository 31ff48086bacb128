// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * What a {@link Transaction} is kept from noticing of others. Under both, it sees the store as it
 * was at one moment, its beginning, and its own writes: nothing that is not committed, never part
 * of a commit or batch, and nothing that comes later.
 */
public enum Isolation {
  /**
   * Of two transactions that are open at the same time and write the same key, only the first to
   * commit succeeds. Two that each read what the other writes may both commit, though one after the
   * other they would have written something else (write skew).
   */
  SNAPSHOT,

  /**
   * As {@link #SNAPSHOT}; and a transaction that writes commits only if nobody has changed
   * meanwhile what it has read, ranges included. So all that commit have the effect of some order,
   * one after the other.
   */
  SERIALIZABLE
}
