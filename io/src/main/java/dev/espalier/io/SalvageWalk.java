// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a damaged index in the order of their keys, as far as they can be read.
 *
 * <p>Where the tree can't be read any further, later keys are tried, each twice as far away as the
 * one before, and then keys between the last one that failed and the first one that did not. So
 * what is skipped begins after the last entry that was read, and ends where the tree can be read
 * again. What is skipped is looked for in the leaf pages that the map leads to.
 */
final class SalvageWalk implements LongEntrySource {
  /** A range of keys that is lost. */
  record Lost(long first, long last, String reason) {
    SalvageReport.Range asRange(boolean mayBeOld, String before) {
      return new SalvageReport.Range(first, last, mayBeOld, before + reason);
    }
  }

  private final @Nullable LongIndex tree;
  private final Supplier<@Nullable OrphanLeaves> orphans;

  private @Nullable LongCursor cursor;

  /** Whether the cursor is on an entry that is still to be handed out. */
  private boolean isAhead;

  private OrphanLeaves.@Nullable Rescue rescue;
  private String reason = "";

  /** The smallest key that was neither handed out nor noted as lost. */
  private long next = Long.MIN_VALUE;

  private boolean isEnd;

  /** Whether the last key of all was handed out. */
  private boolean isLast;

  private long key;
  private long value;
  private final List<Lost> lost = new ArrayList<>();

  private SalvageWalk(@Nullable LongIndex tree, Supplier<@Nullable OrphanLeaves> orphans) {
    this.tree = tree;
    this.orphans = orphans;
  }

  /**
   * Begins before the first entry of a tree.
   *
   * @param orphans finds the leaf pages without the tree, or null where that can't be done
   */
  static SalvageWalk over(LongIndex tree, Supplier<@Nullable OrphanLeaves> orphans) {
    SalvageWalk walk = new SalvageWalk(tree, orphans);
    RuntimeException failure = walk.seek(tree, walk.next);
    if (failure != null) {
      walk.skip(tree, failure);
    }
    return walk;
  }

  /** Begins before the first entry of an index whose tree can't be read, for a reason. */
  static SalvageWalk withoutTree(String why, Supplier<@Nullable OrphanLeaves> orphans) {
    SalvageWalk walk = new SalvageWalk(null, orphans);
    walk.isEnd = true;
    walk.skip(Long.MAX_VALUE, why);
    return walk;
  }

  @Override
  public long key() {
    return key;
  }

  @Override
  public long value() {
    return value;
  }

  /** Returns what is lost of what was walked over. */
  List<Lost> lost() {
    return lost;
  }

  @Override
  public boolean next() {
    while (true) {
      if (rescue != null) {
        LongCursor found = rescue.next();
        if (found != null) {
          key = found.key();
          value = found.value();
          return true;
        }
        noteGaps(rescue);
        rescue = null;
      }
      if (isEnd || isLast || tree == null) {
        return false;
      }
      RuntimeException failure = step();
      if (failure == null) {
        return !isEnd;
      }
      skip(tree, failure);
    }
  }

  /** Moves on, to an entry or to the end. Returns why it can't, or null. */
  private @Nullable RuntimeException step() {
    try {
      LongCursor on = Objects.requireNonNull(cursor);
      if (!isAhead && !on.next()) {
        isEnd = true;
        return null;
      }
      isAhead = false;
      long found = on.key();
      if (found < next) {
        throw new IllegalStateException("key " + found + " comes after larger ones");
      }
      value = on.value();
      key = found;
      isLast = found == Long.MAX_VALUE;
      next = isLast ? found : found + 1;
      return null;
    } catch (RuntimeException torn) {
      return torn;
    }
  }

  /** Goes to the first entry from a key on. Returns why it can't, or null. */
  private @Nullable RuntimeException seek(LongIndex from, long first) {
    try {
      LongCursor at = from.cursor();
      isAhead = at.ceiling(first);
      if (isAhead && at.key() < first) {
        throw new IllegalStateException("key " + at.key() + " comes after larger ones");
      }
      cursor = at;
      isEnd = !isAhead;
      return null;
    } catch (RuntimeException torn) {
      return torn;
    }
  }

  /** Goes to the next key from which the tree can be read, or to the end. */
  private void skip(LongIndex from, RuntimeException failure) {
    String why = String.valueOf(failure.getMessage());
    long failing = next;
    long reach = 1;
    long found;
    while (true) {
      if (failing == Long.MAX_VALUE) {
        isEnd = true;
        skip(Long.MAX_VALUE, why);
        return;
      }
      found = Long.MAX_VALUE - reach < failing ? Long.MAX_VALUE : failing + reach;
      if (seek(from, found) == null) {
        break;
      }
      failing = found;
      reach = reach << 1 > 0 ? reach << 1 : Long.MAX_VALUE;
    }
    while (found - failing != 1) { // as unsigned numbers, for they may be far apart
      long middle = failing + ((found - failing) >>> 1);
      if (seek(from, middle) == null) {
        found = middle;
      } else {
        failing = middle;
      }
    }
    if (seek(from, found) == null) {
      skip(found - 1, why);
    } else {
      isEnd = true; // A device that reads now and then is not asked again.
      skip(Long.MAX_VALUE, why);
    }
  }

  /** Skips what begins with the next key, except for what other leaf pages have. */
  private void skip(long last, String why) {
    OrphanLeaves leaves = orphans.get();
    reason = why;
    if (leaves == null) {
      lost.add(new Lost(next, last, why));
    } else {
      rescue = leaves.in(next, last);
    }
    next = last == Long.MAX_VALUE ? last : last + 1;
  }

  private void noteGaps(OrphanLeaves.Rescue ended) {
    if (!ended.isAllThereIs(tree != null)) {
      ended.gaps().forEach(gap -> lost.add(new Lost(gap[0], gap[1], reason)));
    }
  }
}
