// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongEntrySource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Entries that are sure and, in the ranges between them that have none, entries that may be old.
 */
final class SalvageMerge implements LongEntrySource {
  private final LongEntrySource sure;
  private final LongEntrySource others;

  /** Ranges that the other entries have not passed yet, ascending. */
  private final Deque<SalvageWalk.Lost> ranges;

  private boolean hasSure;
  private boolean hasOther;
  private boolean isBegun;
  private boolean isOther;

  /**
   * Begins before the first entry.
   *
   * @param ranges the ranges in which entries may be old, ascending; no sure entry is in them
   */
  SalvageMerge(LongEntrySource sure, LongEntrySource others, List<SalvageWalk.Lost> ranges) {
    this.sure = sure;
    this.others = others;
    this.ranges = new ArrayDeque<>(ranges);
    hasSure = sure.next();
    hasOther = nextOther();
  }

  /** Moves to the next of the other entries that is in a range. */
  private boolean nextOther() {
    while (!ranges.isEmpty() && others.next()) {
      while (!ranges.isEmpty() && others.key() > ranges.getFirst().last()) {
        ranges.removeFirst();
      }
      if (!ranges.isEmpty() && others.key() >= ranges.getFirst().first()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean next() {
    if (isBegun && isOther) {
      hasOther = nextOther();
    } else if (isBegun) {
      hasSure = sure.next();
    }
    isBegun = true;
    isOther = hasOther && (!hasSure || others.key() < sure.key());
    return hasSure || hasOther;
  }

  @Override
  public long key() {
    return isOther ? others.key() : sure.key();
  }

  @Override
  public long value() {
    return isOther ? others.value() : sure.value();
  }
}
