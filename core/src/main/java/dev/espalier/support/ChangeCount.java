// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

/** Counts a tree's changes after which a cursor's place may no longer be where it was. */
public final class ChangeCount {
  /** The number of changes so far. */
  public long changes;

  /** Creates a count of zero. */
  public ChangeCount() {}
}
