// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

/**
 * What a cursor has met since its last entry: keys that were removed. When there were many before
 * the next entry, it adds them to the {@link DeadRanges} of its tree; and when it comes to such a
 * range, it is told where to go on.
 *
 * <p>It looks for a range where it begins, and after 1, 2, 4, 8 and so on removed keys: so it
 * passes at most twice as many as are in no range, and looks few times.
 */
public final class DeadWalk {
  /**
   * So many removed keys make a range that is worth keeping: passing them takes as long as a search
   * does, and they take many times the memory of a range.
   */
  public static final int WORTH = 16;

  private final DeadRanges ranges;
  private final DeadKeeper keeper;

  /** What the keeper said when the walk began. */
  private long since;

  private boolean forward;

  /** The key from which on, in the walk's direction, nothing has an entry; void unless begun. */
  private long start;

  private boolean isBegun;

  /** The number of removed keys that were passed, and whether a range was skipped. */
  private long passed;

  private boolean hasSkipped;

  /** Makes it for a cursor of a tree with these ranges and this count of changes. */
  public DeadWalk(DeadRanges ranges, ChangeCount count) {
    this(ranges, new UnlessChanged(ranges, count));
  }

  /** Makes it for a cursor of a tree with these ranges, which the keeper adds to. */
  public DeadWalk(DeadRanges ranges, DeadKeeper keeper) {
    this.ranges = ranges;
    this.keeper = keeper;
  }

  /**
   * Begins at a key, of which nothing is known.
   *
   * @return the key to go on from: the key, or the one behind the range that it is in
   */
  public long begin(long key, boolean isForward) {
    since = keeper.now();
    forward = isForward;
    start = key;
    isBegun = true;
    passed = 0;
    hasSkipped = false;
    return skip(key);
  }

  /** Returns the key behind the range that a key is in, if there is one of each; or the key. */
  private long skip(long key) {
    long end = forward ? ranges.lastFrom(key) : ranges.firstUpTo(key);
    if (end == key) {
      return key;
    }
    hasSkipped = true;
    if (forward) {
      return end == Long.MAX_VALUE ? end : end + 1;
    }
    return end == Long.MIN_VALUE ? end : end - 1;
  }

  /**
   * Notes keys that follow and have no entry.
   *
   * @param from the nearest of them
   * @param to the farthest
   * @param keys how many they are
   * @return the key to go on from if that is behind a range, or {@code to}
   */
  public long pass(long from, long to, long keys) {
    if (!isBegun) {
      start = from;
      isBegun = true;
    }
    long before = passed;
    passed += keys;
    return Long.highestOneBit(before) == Long.highestOneBit(passed) ? to : skip(to);
  }

  /** Notes an entry that follows. */
  public void meet(long key) {
    if (isWorthIt()) {
      add(forward ? key - 1 : key + 1);
    }
    isBegun = false;
    passed = 0;
    hasSkipped = false;
  }

  /** Notes that no entry follows. */
  public void end() {
    if (isWorthIt()) {
      add(forward ? Long.MAX_VALUE : Long.MIN_VALUE);
    }
    passed = 0;
  }

  private boolean isWorthIt() {
    return passed > 0 && (hasSkipped || passed >= WORTH);
  }

  private void add(long end) {
    keeper.add(since, Math.min(start, end), Math.max(start, end));
  }

  /** Adds what is found in a tree that is not read while it is written. */
  private record UnlessChanged(DeadRanges ranges, ChangeCount count) implements DeadKeeper {
    @Override
    public long now() {
      return count.changes;
    }

    @Override
    public void add(long since, long first, long last) {
      if (since == count.changes) {
        ranges.add(first, last);
      }
    }
  }
}
