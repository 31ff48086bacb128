// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

/** Counts the changes to a tree's inner nodes, for {@code TreeLevels.changesAbove}. */
public final class LevelChanges {
  private final long[] changes;

  /** Creates counts of zero for a tree that has at most {@code levels} levels. */
  public LevelChanges(int levels) {
    changes = new long[levels];
  }

  /**
   * Notes that an inner node at {@code level} got or lost a child, or a separator changed. When the
   * root itself goes, its place is void too: that is a change one level above it.
   */
  public void changed(int level) {
    changes[level]++;
  }

  /** Notes that all of the tree was replaced. */
  public void changedAll() {
    changes[changes.length - 1]++;
  }

  /** Returns the number of changes noted for the levels above {@code level}. */
  public long above(int level) {
    long sum = 0;
    for (int i = level + 1; i < changes.length; i++) {
      sum += changes[i];
    }
    return sum;
  }
}
