// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * A cursor of a {@link LockedIndex}. Each move is one call under the lock, and copies the key and
 * the value: they belong together and stay as they were then, whatever other threads write.
 */
final class LockedCursor implements LongCursor {
  /** Room for a leaf of a few cache lines; the buffer grows to the longest run. */
  private static final int INITIAL_RUN = 64;

  private final LongIndex index;
  private final LongCursor cursor;
  private final LockedIndex.Reading reading;
  private final LockedIndex.Writing writing;
  private final RunBuffer buffer = new RunBuffer(INITIAL_RUN);

  private boolean onEntry;
  private long key;
  private long value;

  LockedCursor(
      LongIndex index,
      LongCursor cursor,
      LockedIndex.Reading reading,
      LockedIndex.Writing writing) {
    this.index = index;
    this.cursor = cursor;
    this.reading = reading;
    this.writing = writing;
  }

  @Override
  public boolean first() {
    try (var _ = reading.acquire()) {
      return take(cursor.first());
    }
  }

  @Override
  public boolean last() {
    try (var _ = reading.acquire()) {
      return take(cursor.last());
    }
  }

  @Override
  public boolean floor(long key) {
    try (var _ = reading.acquire()) {
      return take(cursor.floor(key));
    }
  }

  @Override
  public boolean ceiling(long key) {
    try (var _ = reading.acquire()) {
      return take(cursor.ceiling(key));
    }
  }

  @Override
  public boolean lower(long key) {
    try (var _ = reading.acquire()) {
      return take(cursor.lower(key));
    }
  }

  @Override
  public boolean higher(long key) {
    try (var _ = reading.acquire()) {
      return take(cursor.higher(key));
    }
  }

  @Override
  public boolean next() {
    try (var _ = reading.acquire()) {
      return take(cursor.next());
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
      return take(cursor.previous());
    }
  }

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
      cursor.setValue(value);
    }
    this.value = value;
  }

  @Override
  public void remove() {
    checkOnEntry();
    try (var _ = writing.acquire()) {
      cursor.remove();
    }
    onEntry = false;
  }

  @Override
  public boolean nextRun(LongRun run) {
    try (var _ = reading.acquire()) {
      if (!take(cursor.nextRun(run))) {
        return false;
      }
      buffer.copy(run);
    }
    buffer.handOut(run);
    return true;
  }

  /** Copies the key and value of the entry while the lock is held. */
  private boolean take(boolean found) {
    onEntry = found;
    if (found) {
      key = cursor.key();
      value = cursor.value();
    }
    return found;
  }

  private void checkOnEntry() {
    Arguments.checkOpen(index);
    if (!onEntry) {
      throw new IllegalStateException("the cursor is on no entry");
    }
  }
}
