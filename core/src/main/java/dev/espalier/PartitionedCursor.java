// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.Objects;

/**
 * A cursor of a {@link PartitionedIndex}, over the cursors of its parts, one after the other. Each
 * move copies the key and the value. An entry that moves to another part is found there, because
 * the cursor continues from a key and checks, under the lock of a part, which keys belong to that
 * part.
 */
final class PartitionedCursor implements LongCursor {
  private static final int INITIAL_RUN = 64;

  private final PartitionedIndex whole;
  private final RunBuffer buffer = new RunBuffer(INITIAL_RUN);

  /**
   * The part of the last move, and its cursor, which is on the key if the key belongs to the part
   * and the cursor is not {@linkplain #isAstray astray}.
   */
  private IndexPart part;

  private LongCursor cursor;

  /**
   * Whether the part's cursor looked for the entry of the key, to write to it, and did not find it.
   */
  private boolean isAstray;

  /** Whether there is a key from which the cursor goes on. */
  private boolean isSomewhere;

  private boolean isOnEntry;
  private long key;
  private long value;

  /** Where a search that found nothing in a part goes on. */
  private long further;

  PartitionedCursor(PartitionedIndex whole) {
    this.whole = whole;
    this.part = whole.partOf(0);
    try (var _ = part.reading.acquire()) {
      this.cursor = part.index.cursor();
    }
  }

  private void enter(IndexPart other) {
    if (!other.equals(part)) {
      part = other;
      cursor = other.index.cursor();
    }
  }

  @Override
  public boolean first() {
    return ceiling(Long.MIN_VALUE);
  }

  @Override
  public boolean last() {
    return floor(Long.MAX_VALUE);
  }

  @Override
  public boolean higher(long after) {
    return after == Long.MAX_VALUE ? nowhere() : ceiling(after + 1);
  }

  @Override
  public boolean lower(long before) {
    return before == Long.MIN_VALUE ? nowhere() : floor(before - 1);
  }

  @Override
  public boolean ceiling(long from) {
    for (long at = from; ; ) {
      IndexPart candidate = whole.partOf(at);
      try (var _ = candidate.reading.acquire()) {
        enter(candidate);
        if (!part.covers(at)) {
          continue;
        }
        if (take(cursor.ceiling(at))) {
          return true;
        }
        if (part.high == Long.MAX_VALUE) {
          return nowhere();
        }
        at = part.high + 1;
      }
    }
  }

  @Override
  public boolean floor(long from) {
    for (long at = from; ; ) {
      IndexPart candidate = whole.partOf(at);
      try (var _ = candidate.reading.acquire()) {
        enter(candidate);
        if (!part.covers(at)) {
          continue;
        }
        if (take(cursor.floor(at))) {
          return true;
        }
        if (part.low == Long.MIN_VALUE) {
          return nowhere();
        }
        at = part.low - 1;
      }
    }
  }

  @Override
  public boolean next() {
    if (!isSomewhere) {
      return first();
    }
    try (var _ = part.reading.acquire()) {
      further = key;
      if (isOnKey()) {
        if (take(cursor.next())) {
          return true;
        }
        further = part.high;
      }
    }
    return higher(further);
  }

  @Override
  public boolean previous() {
    if (!isSomewhere) {
      return last();
    }
    try (var _ = part.reading.acquire()) {
      further = key;
      if (isOnKey()) {
        if (take(cursor.previous())) {
          return true;
        }
        further = part.low;
      }
    }
    return lower(further);
  }

  @Override
  public void scanTo(long last) {
    try (var _ = part.reading.acquire()) {
      cursor.scanTo(last);
    }
  }

  @Override
  public boolean nextRun(LongRun run) {
    Objects.requireNonNull(run, "run");
    if (isSomewhere) {
      try (var _ = part.reading.acquire()) {
        if (isOnKey() && cursor.nextRun(run)) {
          buffer.copy(run);
          take(true);
          buffer.handOut(run);
          return true;
        }
      }
      // Nothing follows in this part; the cursor does not know its place there any more.
      return higher(key) && handOutEntry(run);
    }
    return first() && handOutEntry(run);
  }

  private boolean handOutEntry(LongRun run) {
    buffer.clear();
    buffer.add(key, value);
    buffer.handOut(run);
    return true;
  }

  /** Returns whether the part's cursor goes on from the key. For use under the part's lock. */
  private boolean isOnKey() {
    return !isAstray && part.covers(key);
  }

  /** Copies the key and value of the entry while the lock is held. */
  private boolean take(boolean found) {
    if (found) {
      isSomewhere = true;
      isOnEntry = true;
      isAstray = false;
      key = cursor.key();
      value = cursor.value();
    }
    return found;
  }

  private boolean nowhere() {
    Arguments.checkOpen(whole);
    isSomewhere = false;
    isOnEntry = false;
    return false;
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
  public void setValue(long newValue) {
    checkOnEntry();
    lockEntry();
    try (var _ = part.writing) {
      cursor.setValue(newValue);
    }
    value = newValue;
  }

  @Override
  public void remove() {
    checkOnEntry();
    lockEntry();
    try (var _ = part.writing) {
      cursor.remove();
    }
    isOnEntry = false;
  }

  /** Takes the lock of the part where the entry is now, and moves that part's cursor to it. */
  private void lockEntry() {
    while (true) {
      IndexPart candidate = part.covers(key) ? part : whole.partOf(key);
      candidate.writing.acquire();
      boolean isThere = false;
      boolean isMoved = false;
      try {
        isMoved = !candidate.covers(key);
        if (!isMoved) {
          enter(candidate);
          isAstray = true;
          isThere = cursor.ceiling(key) && cursor.key() == key;
          isAstray = !isThere;
        }
      } finally {
        if (!isThere) {
          candidate.writing.close();
        }
      }
      if (isThere) {
        return;
      }
      if (!isMoved) {
        throw onNoEntry();
      }
    }
  }

  private void checkOnEntry() {
    Arguments.checkOpen(whole);
    if (!isOnEntry) {
      throw onNoEntry();
    }
  }

  private static IllegalStateException onNoEntry() {
    return new IllegalStateException("the cursor is on no entry");
  }
}
