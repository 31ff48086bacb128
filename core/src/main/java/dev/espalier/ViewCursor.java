// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * A cursor that stays within a range of keys and may run backwards over the index's own cursor.
 *
 * <p>Ascending runs are the index's own, cut at the upper bound, except for the first, which is one
 * copied entry. The index's cursor hands out only forward runs, so descending runs are copies of up
 * to {@value #BACKWARD_RUN} entries, already in descending order, with a stride of 8.
 */
final class ViewCursor implements LongCursor {
  /** Enough to spread the cost of a call over many entries, few enough to stay in the L1 cache. */
  private static final int BACKWARD_RUN = 64;

  private final LongCursor cursor;
  private final KeyRange range;
  private final boolean descending;
  private final RunBuffer buffer;

  /** Whether the index's cursor is at a place within the range; otherwise this one is nowhere. */
  private boolean placed;

  ViewCursor(LongCursor cursor, KeyRange range, boolean descending) {
    this.cursor = cursor;
    this.range = range;
    this.descending = descending;
    this.buffer = new RunBuffer(descending ? BACKWARD_RUN : 1);
    if (!descending) {
      cursor.scanTo(range.to());
    }
  }

  @Override
  public boolean first() {
    return place(descending ? seekHighest() : seekLowest());
  }

  @Override
  public boolean last() {
    return place(descending ? seekLowest() : seekHighest());
  }

  @Override
  public boolean floor(long key) {
    return place(descending ? seekCeiling(key) : seekFloor(key));
  }

  @Override
  public boolean ceiling(long key) {
    return place(descending ? seekFloor(key) : seekCeiling(key));
  }

  @Override
  public boolean lower(long key) {
    return place(descending ? seekHigher(key) : seekLower(key));
  }

  @Override
  public boolean higher(long key) {
    return place(descending ? seekLower(key) : seekHigher(key));
  }

  @Override
  public boolean next() {
    if (!placed) {
      return first();
    }
    return place(descending ? cursor.previous() : cursor.next());
  }

  @Override
  public void scanTo(long key) {
    cursor.scanTo(descending ? range.to() : Math.min(key, range.to()));
  }

  @Override
  public boolean previous() {
    if (!placed) {
      return last();
    }
    return place(descending ? cursor.next() : cursor.previous());
  }

  @Override
  public long key() {
    checkPlaced();
    return cursor.key();
  }

  @Override
  public long value() {
    checkPlaced();
    return cursor.value();
  }

  @Override
  public void setValue(long value) {
    checkPlaced();
    cursor.setValue(value);
  }

  @Override
  public void remove() {
    checkPlaced();
    cursor.remove();
  }

  @Override
  public boolean nextRun(LongRun run) {
    return descending ? nextBackwardRun(run) : nextForwardRun(run);
  }

  private boolean nextForwardRun(LongRun run) {
    if (!placed) {
      return firstRun(run);
    }
    if (!cursor.nextRun(run)) {
      return place(false);
    }
    if (range.isAbove(cursor.key())) {
      int inside = countInside(run);
      return inside > 0 ? handOutCopy(run, inside) : place(false);
    }
    return true;
  }

  /**
   * Hands out a copy of the first entries of a run, as the cursor has to go back to the last one.
   */
  private boolean handOutCopy(LongRun run, int inside) {
    run.truncate(inside);
    buffer.copy(run);
    buffer.handOut(run);
    return place(cursor.floor(run.key(run.count() - 1)));
  }

  /**
   * Hands out the first entry alone. The index's cursor would have to stand before it to begin a
   * run with it, and behind a lock another entry might come between.
   */
  private boolean firstRun(LongRun run) {
    if (!first()) {
      return false;
    }
    buffer.clear();
    buffer.add(cursor.key(), cursor.value());
    buffer.handOut(run);
    return true;
  }

  private boolean nextBackwardRun(LongRun run) {
    buffer.clear();
    long lastKey = 0;
    while (!buffer.isFull() && next()) {
      lastKey = cursor.key();
      buffer.add(lastKey, cursor.value());
    }
    if (buffer.isEmpty()) {
      return false;
    }
    buffer.handOut(run);
    if (!placed) {
      // The end came within this run: back to its last entry, so that the next call tells the end.
      place(cursor.ceiling(lastKey));
    }
    return true;
  }

  /** Returns how many entries of {@code run}, whose last one is too high, are within the range. */
  private int countInside(LongRun run) {
    int low = 0;
    int high = run.count() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (range.isAbove(run.key(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private boolean place(boolean found) {
    placed = found && range.contains(cursor.key());
    return placed;
  }

  private void checkPlaced() {
    if (!placed) {
      throw new IllegalStateException("the cursor is on no entry");
    }
  }

  /*
   * Seeks in key order. They may end outside the range, on the side that they seek towards: place()
   * checks. None is left out where the answer is known, so that each notices a closed index.
   */

  private boolean seekLowest() {
    return range.fromInclusive() ? cursor.ceiling(range.from()) : cursor.higher(range.from());
  }

  private boolean seekHighest() {
    return range.toInclusive() ? cursor.floor(range.to()) : cursor.lower(range.to());
  }

  private boolean seekFloor(long key) {
    return range.isAbove(key) ? seekHighest() : cursor.floor(key);
  }

  private boolean seekCeiling(long key) {
    return range.isBelow(key) ? seekLowest() : cursor.ceiling(key);
  }

  private boolean seekLower(long key) {
    return range.isAbove(key) ? seekHighest() : cursor.lower(key);
  }

  private boolean seekHigher(long key) {
    return range.isBelow(key) ? seekLowest() : cursor.higher(key);
  }
}
