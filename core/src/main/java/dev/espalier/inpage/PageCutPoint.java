// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

/**
 * Where a full leaf page is split.
 *
 * @param kept entries that stay, from none to all
 * @param isAtRun whether a run of inserts goes on there. New entries then come to one end of a
 *     page, and the others are packed; they are spread evenly otherwise, and the last key that
 *     stays is the upper bound
 * @param separator the upper bound of the keys that stay, if a run goes on there
 */
public record PageCutPoint(int kept, boolean isAtRun, long separator) {
  /** Returns the middle of a page with so many entries. */
  public static PageCutPoint middle(int count) {
    return new PageCutPoint(count / 2, false, 0);
  }
}
