// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over an index as a transaction sees it: the merge of what is in the tree, of keys that
 * have versions, and of the transaction's own writes.
 *
 * <p>The tree's cursor may be a step ahead, with a copy of an entry. That is right as long as
 * versions are looked at afterwards: what a commit removes or changes meanwhile has one.
 */
final class TransactionCursor implements LongCursor {
  private static final int RUN = 64;

  private final TransactionIndex index;
  private final Seen<Long, Long> seen;
  private final LongCursor tree;

  private boolean isOnEntry;
  private boolean isNowhere = true;
  private long key;
  private long value;

  /** Where the cursor of the tree has gone from the bound: up, down, or nowhere yet. */
  private int direction;

  private long bound;

  /** Whether an entry at the bound would have been found. */
  private boolean isBoundIncluded;

  private boolean hasAhead;
  private long aheadKey;
  private long aheadValue;

  private final long[] entries = new long[2 * RUN];
  private final MemorySegment run = MemorySegment.ofArray(entries).asReadOnly();

  TransactionCursor(TransactionIndex index, LongCursor tree) {
    this.index = index;
    this.seen = index.seen();
    this.tree = tree;
  }

  // ---------------------------------------------------------------- seek

  @Override
  public boolean first() {
    return ceiling(Long.MIN_VALUE);
  }

  @Override
  public boolean last() {
    return floor(Long.MAX_VALUE);
  }

  @Override
  public boolean ceiling(long key) {
    boolean found = up(key, true);
    index.noteRange(key, found ? this.key : Long.MAX_VALUE);
    return found;
  }

  @Override
  public boolean higher(long key) {
    boolean found = up(key, false);
    if (key != Long.MAX_VALUE) {
      index.noteRange(key + 1, found ? this.key : Long.MAX_VALUE);
    }
    return found;
  }

  @Override
  public boolean floor(long key) {
    boolean found = down(key, true);
    index.noteRange(found ? this.key : Long.MIN_VALUE, key);
    return found;
  }

  @Override
  public boolean lower(long key) {
    boolean found = down(key, false);
    if (key != Long.MIN_VALUE) {
      index.noteRange(found ? this.key : Long.MIN_VALUE, key - 1);
    }
    return found;
  }

  @Override
  public boolean next() {
    return isNowhere ? first() : higher(key);
  }

  @Override
  public boolean previous() {
    return isNowhere ? last() : lower(key);
  }

  // ---------------------------------------------------------------- merge

  /** Goes to the first entry at or after a key, without noting what was read. */
  boolean up(long from, boolean inclusive) {
    index.checkOpen();
    long start = from;
    boolean isIncluded = inclusive;
    while (true) {
      lookUp(start, isIncluded);
      @Nullable Long changed = seen.changedUp(start, isIncluded);
      @Nullable Long own = seen.ownUp(start, isIncluded);
      if (!hasAhead && changed == null && own == null) {
        return leave();
      }
      long next = hasAhead ? aheadKey : Long.MAX_VALUE;
      next = changed == null ? next : Math.min(next, changed);
      next = own == null ? next : Math.min(next, own);
      if (stand(next)) {
        return true;
      }
      start = next;
      isIncluded = false;
    }
  }

  /** Goes to the last entry at or before a key, without noting what was read. */
  private boolean down(long from, boolean inclusive) {
    index.checkOpen();
    long start = from;
    boolean isIncluded = inclusive;
    while (true) {
      lookDown(start, isIncluded);
      @Nullable Long changed = seen.changedDown(start, isIncluded);
      @Nullable Long own = seen.ownDown(start, isIncluded);
      if (!hasAhead && changed == null && own == null) {
        return leave();
      }
      long next = hasAhead ? aheadKey : Long.MIN_VALUE;
      next = changed == null ? next : Math.max(next, changed);
      next = own == null ? next : Math.max(next, own);
      if (stand(next)) {
        return true;
      }
      start = next;
      isIncluded = false;
    }
  }

  /** Has the cursor of the tree at the first entry at or after a key, or behind all. */
  private void lookUp(long from, boolean inclusive) {
    boolean isBehind = direction > 0 && (from > bound || isWithin(from, inclusive));
    if (isBehind && (!hasAhead || aheadKey > from || (inclusive && aheadKey == from))) {
      return;
    }
    boolean isThere = isBehind && aheadKey == from;
    boolean found = isThere ? tree.next() : inclusive ? tree.ceiling(from) : tree.higher(from);
    look(found, 1, from, inclusive);
  }

  /** Has the cursor of the tree at the last entry at or before a key, or before all. */
  private void lookDown(long from, boolean inclusive) {
    boolean isBefore = direction < 0 && (from < bound || isWithin(from, inclusive));
    if (isBefore && (!hasAhead || aheadKey < from || (inclusive && aheadKey == from))) {
      return;
    }
    boolean isThere = isBefore && aheadKey == from;
    boolean found = isThere ? tree.previous() : inclusive ? tree.floor(from) : tree.lower(from);
    look(found, -1, from, inclusive);
  }

  /** Tells whether a search from the bound finds nothing that the last look has passed over. */
  private boolean isWithin(long from, boolean inclusive) {
    return from == bound && (isBoundIncluded || !inclusive);
  }

  private void look(boolean found, int direction, long from, boolean inclusive) {
    this.direction = direction;
    bound = from;
    isBoundIncluded = inclusive;
    hasAhead = found;
    if (found) {
      aheadKey = tree.key();
      aheadValue = tree.value();
    }
  }

  /** Goes to a key if it has an entry. */
  private boolean stand(long key) {
    long[] answer = index.answer();
    answer[0] = aheadValue;
    boolean isThere =
        (hasAhead && key == aheadKey) ? index.isThere(key, answer) : index.findAny(key, answer);
    index.checkAlive();
    if (isThere) {
      isOnEntry = true;
      isNowhere = false;
      this.key = key;
      value = answer[0];
    }
    return isThere;
  }

  private boolean leave() {
    index.checkAlive();
    isOnEntry = false;
    isNowhere = true;
    return false;
  }

  // ---------------------------------------------------------------- the entry

  @Override
  public long key() {
    checkOnEntry();
    return key;
  }

  @Override
  public long value() {
    checkOnEntry();
    return value;
  }

  @Override
  public void setValue(long value) {
    checkIsStillThere();
    index.set(key, value);
    this.value = value;
  }

  @Override
  public void remove() {
    checkIsStillThere();
    index.delete(key);
    isOnEntry = false;
  }

  private void checkOnEntry() {
    index.checkOpen();
    if (!isOnEntry) {
      throw isGone();
    }
  }

  /** Checks that the transaction has not removed the entry otherwise. */
  private void checkIsStillThere() {
    checkOnEntry();
    if (!index.findAny(key, index.answer())) {
      throw isGone();
    }
  }

  private static IllegalStateException isGone() {
    return new IllegalStateException("the cursor is on no entry");
  }

  // ---------------------------------------------------------------- runs

  @Override
  public boolean nextRun(LongRun run) {
    if (!next()) {
      return false;
    }
    int count = 0;
    do {
      entries[count] = key;
      entries[RUN + count] = value;
      count++;
    } while (count < RUN && up(key, false));
    if (isNowhere) {
      // The end was reached: the cursor stays at the last entry, from which the next call finds it.
      key = entries[count - 1];
      value = entries[RUN + count - 1];
      isOnEntry = true;
      isNowhere = false;
    }
    index.noteRange(entries[0], key);
    run.set(this.run, 0, (long) RUN * Long.BYTES, Long.BYTES, count);
    return true;
  }

  @Override
  public boolean copiesRuns() {
    return true;
  }
}
