// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import java.util.ConcurrentModificationException;

/** What is noticed of an index that threads have changed at the same time, and have torn. */
public final class Torn {
  private Torn() {}

  /** Returns the exception that says what is wrong, and why it can only be so. */
  public static ConcurrentModificationException torn(String wrong) {
    return new ConcurrentModificationException(
        wrong + ": the index was changed by another thread at the same time");
  }

  /**
   * Returns the count of a node that is about to be used. In a torn tree it may be anything, and
   * entries would be moved through all of the memory.
   *
   * @param what the kind of node, for the message
   * @throws ConcurrentModificationException if no such node has so many
   */
  public static int checkedCount(String what, long node, int count, int least, int most) {
    if (count < least || count > most) {
      throw torn(
          what + " @" + node + " has count " + count + ", not from " + least + " to " + most);
    }
    return count;
  }
}
