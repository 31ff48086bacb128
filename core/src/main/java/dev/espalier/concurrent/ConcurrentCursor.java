// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A cursor on a copy of a leaf, which it has made at one moment. It looks at every step whether the
 * leaf is still the same, by its word, and if not, finds the place of its key again. While it
 * stays, its key and value are those of the copy, unless its own thread has changed something.
 */
final class ConcurrentCursor extends CopiedLeaf implements LongCursor {
  private enum State {
    /** On no entry; {@code next} goes to the first, {@code previous} to the last. */
    NOWHERE,
    /** On the entry in {@code slot}. */
    ON_ENTRY,
    /** Between the entries in {@code slot - 1} and {@code slot}: the current key has no entry. */
    BETWEEN
  }

  private final LeafWriter writer;
  private MemorySegment readOnlyRunCopy = MemorySegment.NULL;

  /** Leaves of the next run: more after each, so that a short range does not copy many in vain. */
  private int runLeaves = 1;

  /** The key where scans will stop. */
  private long scanEnd = Long.MAX_VALUE;

  private int slot;
  private State state = State.NOWHERE;
  private long currentKey;

  /** Whether the entry was removed through this cursor, which is then on none until it moves. */
  private boolean removed;

  /**
   * Up to where steps can be made in the copy, unless the leaf has changed: {@code entries} while
   * the cursor is on an entry of a copy for steps, 0 otherwise.
   */
  private int ready;

  ConcurrentCursor(ConcurrentStructure tree) {
    super(tree);
    this.writer = new LeafWriter(tree);
  }

  // ---------------------------------------------------------------- leaves

  private void enterLeafOf(long key) {
    ahead.restart();
    runLeaves = 1;
    copyLeafOf(key);
    slot = lowerBound(key);
  }

  /** Goes to the first entry after the leaf. */
  private boolean nextLeaf() {
    while (highest != Long.MAX_VALUE) {
      long bound = highest + 1;
      if (step(LeavesAhead.FORWARD)) {
        slot = 0;
      } else {
        copyLeafOf(bound);
        slot = lowerBound(bound);
      }
      if (slot < entries) {
        return true;
      }
    }
    return false;
  }

  /** Goes to the last entry with a key that is not larger, from the leaf that covers the key. */
  private boolean lastUpTo(long key) {
    slot = upperBound(key) - 1;
    while (slot < 0) {
      if (lowest == Long.MIN_VALUE) {
        return false;
      }
      long bound = lowest - 1;
      if (!step(LeavesAhead.BACKWARD)) {
        copyLeafOf(bound);
      }
      slot = upperBound(bound) - 1;
    }
    return true;
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
    enterLeafOf(key);
    return settle(slot < entries || nextLeaf());
  }

  @Override
  public boolean floor(long key) {
    ahead.restart();
    copyLeafOf(key);
    return settle(lastUpTo(key));
  }

  @Override
  public boolean higher(long key) {
    return key == Long.MAX_VALUE ? settle(false) : ceiling(key + 1);
  }

  @Override
  public boolean lower(long key) {
    return key == Long.MIN_VALUE ? settle(false) : floor(key - 1);
  }

  /** Ends a move: on the entry in {@code slot}, or nowhere. */
  private boolean settle(boolean onEntry) {
    if (!onEntry) {
      ready = 0;
      slot = 0;
      tree.checkOpen();
      state = State.NOWHERE;
      return false;
    }
    state = State.ON_ENTRY;
    removed = false;
    ready = isForRuns ? 0 : entries;
    currentKey = keyAt(slot);
    return true;
  }

  /** Finds the place of the current key again if its leaf has changed. */
  private void catchUp() {
    tree.checkOpen();
    if (isCurrent()) {
      return;
    }
    ready = 0;
    enterLeafOf(currentKey);
    boolean found = slot < entries && keyAt(slot) == currentKey;
    state = found ? State.ON_ENTRY : State.BETWEEN;
    ready = found && !removed && !isForRuns ? entries : 0;
  }

  // ---------------------------------------------------------------- range scan

  /** Bounds the leaves of a run; those that are asked for ahead are few. */
  @Override
  public void scanTo(long key) {
    tree.checkOpen();
    scanEnd = key;
  }

  @Override
  public boolean next() {
    int after = slot + 1;
    if (after < ready && isCurrent()) {
      slot = after;
      currentKey = copy[keysFrom + after];
      return true;
    }
    return nextElsewhere();
  }

  private boolean nextElsewhere() {
    if (state == State.NOWHERE) {
      return first();
    }
    catchUp();
    int after = state == State.ON_ENTRY ? slot + 1 : slot;
    if (after >= entries) {
      return settle(nextLeaf());
    }
    slot = after;
    return settle(true);
  }

  @Override
  public boolean previous() {
    int before = slot - 1;
    if (before >= 0 && slot < ready && isCurrent()) {
      slot = before;
      currentKey = copy[keysFrom + before];
      return true;
    }
    if (state == State.NOWHERE) {
      return last();
    }
    catchUp();
    if (slot > 0) {
      slot--;
      return settle(true);
    }
    return settle(currentKey != Long.MIN_VALUE && lastUpTo(currentKey - 1));
  }

  @Override
  public boolean nextRun(LongRun run) {
    Objects.requireNonNull(run, "run");
    if (readOnlyRunCopy.byteSize() == 0) {
      readOnlyRunCopy = allocateRunCopy();
    }
    runEnd = 0;
    wantsRun = true;
    boolean onEntry = nextElsewhere();
    if (onEntry) {
      if (!isForRuns) {
        turnToRuns();
      }
      ready = 0;
      int first = keysFrom + slot;
      int end = copyOn(first);
      long keys = (long) first << 3;
      long values = (long) (runRoom + first) << 3;
      run.set(readOnlyRunCopy, keys, values, Long.BYTES, end - first);
    }
    wantsRun = false;
    return onEntry;
  }

  /**
   * Copies the next leaves behind the one for a run, as far as they have a parent in common that
   * has not changed, and goes to the last entry.
   *
   * @param first where in the copy the run begins
   * @return where it ends
   */
  private int copyOn(int first) {
    runEnd = keysFrom + entries;
    for (int leaves = 1; leaves < runLeaves && highest < scanEnd && canCopyOn(); leaves++) {
      if (!step(LeavesAhead.FORWARD) || entries == 0 || keysFrom != runEnd) {
        forgetLeafOf(first, runEnd); // The next move has to find it again.
        break;
      }
      runEnd += entries;
    }
    runLeaves = Math.min(2 * runLeaves, mostRunLeaves);
    slot = entries - 1;
    currentKey = keyAt(slot);
    return runEnd;
  }

  @Override
  public boolean copiesRuns() {
    return true;
  }

  // ---------------------------------------------------------------- entry

  @Override
  public long key() {
    checkOnEntry();
    return currentKey;
  }

  @Override
  public long value() {
    checkOnEntry();
    return longAt(valuesFrom + slot);
  }

  @Override
  public void setValue(long value) {
    checkOnEntry();
    if (!writer.replace(currentKey, value)) {
      throw onNoEntry();
    }
  }

  @Override
  public void remove() {
    checkOnEntry();
    writer.remove(currentKey, 0);
    removed = true;
    ready = 0;
  }

  /**
   * Checks that there is an entry. What this thread has done to it since it was copied is seen,
   * what others have done is not: they could do it right after this check as well.
   */
  private void checkOnEntry() {
    if (slot >= ready || !isCurrent()) {
      checkOnEntryAnew();
    }
  }

  private void checkOnEntryAnew() {
    tree.checkOpen();
    if (state != State.NOWHERE && ownChangesSeen != countOwnChanges()) {
      catchUp();
      ownChangesSeen = countOwnChanges();
    }
    if (state != State.ON_ENTRY || removed) {
      throw onNoEntry();
    }
  }

  private static IllegalStateException onNoEntry() {
    return new IllegalStateException("the cursor is on no entry");
  }
}
