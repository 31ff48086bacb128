// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.lock.WriteCount;

/**
 * A cursor of a {@link LockedIndex}. Each move is one call under the lock, and copies the key and
 * the value: they belong together and stay as they were then, whatever other threads write.
 *
 * <p>A scan by {@link #next} copies a run at a time, and takes no lock for the entries within, as
 * long as the count of writes shows that nobody has written meanwhile (decision 59).
 */
final class LockedCursor implements LongCursor {
  /** Room for a leaf of a few cache lines; the buffer grows to the longest run. */
  private static final int INITIAL_RUN = 64;

  /**
   * Steps that are made one by one after a writer has come between: where writers never pause,
   * copies of runs would hardly be used.
   */
  private static final int STEPS_BESIDE_WRITERS = 16;

  private final LongIndex index;
  private final LongCursor cursor;
  private final LockedIndex.Reading reading;
  private final LockedIndex.Writing writing;
  private final WriteCount writes;
  private final RunBuffer buffer = new RunBuffer(INITIAL_RUN);
  private final LongRun run = new LongRun();

  private boolean onEntry;
  private long key;
  private long value;

  /** Entries of the run that {@link #next} may go to, and at which of them this cursor is. */
  private int copied;

  private int at;

  /** The count of writes when they were copied. */
  private long count;

  /** Steps to be made one by one before a run is copied: a scan may end after the first. */
  private int stepsToCopying = 1;

  LockedCursor(
      LongIndex index,
      LongCursor cursor,
      LockedIndex.Reading reading,
      LockedIndex.Writing writing,
      WriteCount writes) {
    this.index = index;
    this.cursor = cursor;
    this.reading = reading;
    this.writing = writing;
    this.writes = writes;
  }

  // Seeks

  @Override
  public boolean first() {
    try (var _ = reading.acquire()) {
      return seek(cursor.first());
    }
  }

  @Override
  public boolean last() {
    try (var _ = reading.acquire()) {
      return seek(cursor.last());
    }
  }

  @Override
  public boolean floor(long key) {
    try (var _ = reading.acquire()) {
      return seek(cursor.floor(key));
    }
  }

  @Override
  public boolean ceiling(long key) {
    try (var _ = reading.acquire()) {
      return seek(cursor.ceiling(key));
    }
  }

  @Override
  public boolean lower(long key) {
    try (var _ = reading.acquire()) {
      return seek(cursor.lower(key));
    }
  }

  @Override
  public boolean higher(long key) {
    try (var _ = reading.acquire()) {
      return seek(cursor.higher(key));
    }
  }

  private boolean seek(boolean found) {
    stepsToCopying = 1;
    return take(found);
  }

  // Steps

  @Override
  public boolean next() {
    int next = at + 1;
    if (next < copied && writes.isStill(count)) {
      Arguments.checkOpen(index);
      return stand(next);
    }
    try (var _ = reading.acquire()) {
      return nextUnderLock();
    }
  }

  private boolean nextUnderLock() {
    if (isAstray()) {
      stepsToCopying = STEPS_BESIDE_WRITERS;
      return take(cursor.higher(key));
    }
    count = writes.get();
    if (stepsToCopying > 0 || WriteCount.isWriting(count)) { // Only this thread can be writing.
      stepsToCopying--;
      return take(cursor.next());
    }
    if (!cursor.nextRun(run)) {
      return take(false);
    }
    keep(run);
    copied = run.count();
    return stand(0);
  }

  /** Goes to an entry of the run. */
  private boolean stand(int entry) {
    at = entry;
    key = run.key(entry);
    value = run.value(entry);
    onEntry = true;
    return true;
  }

  /** Has a run stay as it is while others write; with the lock held. */
  private void keep(LongRun run) {
    if (!cursor.copiesRuns()) {
      buffer.copy(run);
      buffer.handOut(run);
    }
  }

  @Override
  public void scanTo(long key) {
    try (var _ = reading.acquire()) {
      cursor.scanTo(key);
    }
  }

  @Override
  public boolean previous() {
    try (var _ = reading.acquire()) {
      return take(isAstray() ? cursor.lower(key) : cursor.previous());
    }
  }

  @Override
  public boolean nextRun(LongRun run) {
    try (var _ = reading.acquire()) {
      if (isAstray()) {
        cursor.floor(key); // If all up to this key are gone, the run begins with the first entry.
      }
      if (!take(cursor.nextRun(run))) {
        return false;
      }
      keep(run);
      return true;
    }
  }

  @Override
  public boolean copiesRuns() {
    return true;
  }

  /**
   * Tells whether the cursor of the index is at the end of a run that was copied, and this one is
   * not.
   */
  private boolean isAstray() {
    return at + 1 < copied;
  }

  /** Copies the key and value of the entry while the lock is held. */
  private boolean take(boolean found) {
    copied = 0;
    onEntry = found;
    if (found) {
      key = cursor.key();
      value = cursor.value();
    }
    return found;
  }

  // The entry

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
    checkOnEntry();
    try (var _ = writing.acquire()) {
      comeHere();
      cursor.setValue(value);
    }
    this.value = value;
  }

  @Override
  public void remove() {
    checkOnEntry();
    try (var _ = writing.acquire()) {
      comeHere();
      cursor.remove();
    }
    onEntry = false;
  }

  /** Has the cursor of the index go to the entry. */
  private void comeHere() {
    if (isAstray()) {
      if (!cursor.floor(key) || cursor.key() != key) {
        throw isGone();
      }
      copied = 0;
    }
  }

  private void checkOnEntry() {
    Arguments.checkOpen(index);
    if (!onEntry) {
      throw isGone();
    }
  }

  private static IllegalStateException isGone() {
    return new IllegalStateException("the cursor is on no entry");
  }
}
