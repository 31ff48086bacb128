// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A cursor that keeps a copy of the entry it moved to, as one behind a lock does. */
final class CopyingBytesCursor implements BytesCursor {
  private final BytesCursor cursor;

  /** The entry, or null if the cursor is on none. */
  private byte @Nullable [] key;

  private byte[] value = {};

  CopyingBytesCursor(BytesCursor cursor) {
    this.cursor = cursor;
  }

  private boolean take(boolean found) {
    key = found ? cursor.keyArray() : null;
    value = found ? cursor.valueArray() : value;
    return found;
  }

  @Override
  public boolean first() {
    return take(cursor.first());
  }

  @Override
  public boolean last() {
    return take(cursor.last());
  }

  @Override
  public boolean floor(MemorySegment sought) {
    return take(cursor.floor(sought));
  }

  @Override
  public boolean ceiling(MemorySegment sought) {
    return take(cursor.ceiling(sought));
  }

  @Override
  public boolean lower(MemorySegment sought) {
    return take(cursor.lower(sought));
  }

  @Override
  public boolean higher(MemorySegment sought) {
    return take(cursor.higher(sought));
  }

  @Override
  public boolean next() {
    return take(cursor.next());
  }

  @Override
  public boolean previous() {
    return take(cursor.previous());
  }

  @Override
  public MemorySegment key() {
    return MemorySegment.ofArray(keyArray());
  }

  @Override
  public byte[] keyArray() {
    if (key == null) {
      throw new IllegalStateException("the cursor is on no entry");
    }
    return key.clone();
  }

  @Override
  public void value(ValueReader reader) {
    byte[] copy = valueArray();
    reader.read(MemorySegment.ofArray(copy), 0, copy.length, 0, copy.length);
  }

  @Override
  public long valueBytes() {
    return valueArray().length;
  }

  @Override
  public byte[] valueArray() {
    keyArray();
    return value.clone();
  }

  @Override
  public void setValue(MemorySegment newValue) {
    cursor.setValue(newValue);
    value = HeapBytesIndex.bytes(newValue);
  }

  @Override
  public void remove() {
    cursor.remove();
    key = null;
  }
}
