// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;

/** A cursor that stays within a range of keys and may run backwards over the index's own cursor. */
final class BytesViewCursor implements BytesCursor {
  private final BytesCursor cursor;
  private final BytesRange range;
  private final boolean descending;

  /** Whether the index's cursor is at a place within the range; otherwise this one is nowhere. */
  private boolean placed;

  BytesViewCursor(BytesCursor cursor, BytesRange range, boolean descending) {
    this.cursor = cursor;
    this.range = range;
    this.descending = descending;
    MemorySegment to = range.to();
    if (to != null && !descending) {
      cursor.scanTo(to);
    }
  }

  @Override
  public void expectValues(Expected expected) {
    cursor.expectValues(expected);
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
  public boolean floor(MemorySegment key) {
    return place(descending ? seekCeiling(key) : seekFloor(key));
  }

  @Override
  public boolean ceiling(MemorySegment key) {
    return place(descending ? seekFloor(key) : seekCeiling(key));
  }

  @Override
  public boolean lower(MemorySegment key) {
    return place(descending ? seekHigher(key) : seekLower(key));
  }

  @Override
  public boolean higher(MemorySegment key) {
    return place(descending ? seekLower(key) : seekHigher(key));
  }

  @Override
  public boolean next() {
    if (!placed) {
      return first();
    }
    return descending ? goDown() : goUp();
  }

  @Override
  public boolean previous() {
    if (!placed) {
      return last();
    }
    return descending ? goUp() : goDown();
  }

  /**
   * Passes the key on to the index's cursor, unless this cursor is descending: scans of the index's
   * cursor only go forward.
   */
  @Override
  public void scanTo(MemorySegment key) {
    if (!descending) {
      MemorySegment to = range.to();
      cursor.scanTo(to != null && range.isAbove(key) ? to : key);
    }
  }

  @Override
  public MemorySegment key() {
    checkPlaced();
    return cursor.key();
  }

  @Override
  public byte[] keyArray() {
    checkPlaced();
    return cursor.keyArray();
  }

  @Override
  public void value(ValueReader reader) {
    checkPlaced();
    cursor.value(reader);
  }

  @Override
  public long valueBytes() {
    checkPlaced();
    return cursor.valueBytes();
  }

  @Override
  public byte[] valueArray() {
    checkPlaced();
    return cursor.valueArray();
  }

  @Override
  public void setValue(MemorySegment value) {
    checkPlaced();
    cursor.setValue(value);
  }

  @Override
  public void remove() {
    checkPlaced();
    cursor.remove();
  }

  /** Goes up from a place in the range; on the way up, only the upper end can be passed. */
  private boolean goUp() {
    placed = cursor.next() && !range.isAbove(cursor.key());
    return placed;
  }

  private boolean goDown() {
    placed = cursor.previous() && !range.isBelow(cursor.key());
    return placed;
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
   * Seeks of the index's cursor. They may end outside the range, on its other side, which place
   * checks. None is left out where the answer is known, so that each notices a closed index.
   */

  private boolean seekLowest() {
    return range.fromInclusive() ? cursor.ceiling(range.from()) : cursor.higher(range.from());
  }

  private boolean seekHighest() {
    MemorySegment to = range.to();
    if (to == null) {
      return cursor.last();
    }
    return range.toInclusive() ? cursor.floor(to) : cursor.lower(to);
  }

  private boolean seekFloor(MemorySegment key) {
    return range.isAbove(key) ? seekHighest() : cursor.floor(key);
  }

  private boolean seekCeiling(MemorySegment key) {
    return range.isBelow(key) ? seekLowest() : cursor.ceiling(key);
  }

  private boolean seekLower(MemorySegment key) {
    return range.isAbove(key) ? seekHighest() : cursor.lower(key);
  }

  private boolean seekHigher(MemorySegment key) {
    return range.isBelow(key) ? seekLowest() : cursor.higher(key);
  }
}
