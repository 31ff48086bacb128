// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.ValueReader;
import java.lang.foreign.MemorySegment;

/** A cursor over an index of byte strings of a store, which tells the log what it writes. */
final class StoreBytesCursor implements BytesCursor {
  private final BytesIndex index;
  private final BytesCursor cursor;

  StoreBytesCursor(BytesIndex index, BytesCursor cursor) {
    this.index = index;
    this.cursor = cursor;
  }

  @Override
  public void setValue(MemorySegment value) {
    index.set(cursor.key(), value);
  }

  @Override
  public void remove() {
    index.delete(cursor.key());
  }

  @Override
  public boolean first() {
    return cursor.first();
  }

  @Override
  public boolean last() {
    return cursor.last();
  }

  @Override
  public boolean floor(MemorySegment key) {
    return cursor.floor(key);
  }

  @Override
  public boolean ceiling(MemorySegment key) {
    return cursor.ceiling(key);
  }

  @Override
  public boolean lower(MemorySegment key) {
    return cursor.lower(key);
  }

  @Override
  public boolean higher(MemorySegment key) {
    return cursor.higher(key);
  }

  @Override
  public boolean next() {
    return cursor.next();
  }

  @Override
  public void scanTo(MemorySegment key) {
    cursor.scanTo(key);
  }

  @Override
  public boolean previous() {
    return cursor.previous();
  }

  @Override
  public MemorySegment key() {
    return cursor.key();
  }

  @Override
  public byte[] keyArray() {
    return cursor.keyArray();
  }

  @Override
  public long valueBytes() {
    return cursor.valueBytes();
  }

  @Override
  public void value(ValueReader reader) {
    cursor.value(reader);
  }

  @Override
  public byte[] valueArray() {
    return cursor.valueArray();
  }
}
