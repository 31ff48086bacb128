// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/** A cursor of a {@link LockedBytesIndex}: each of its calls is one under the lock. */
final class LockedBytesCursor implements BytesCursor {
  private final LockedBytesIndex index;
  private final BytesCursor cursor;

  LockedBytesCursor(LockedBytesIndex index, BytesCursor cursor) {
    this.index = index;
    this.cursor = cursor;
  }

  private boolean move(BooleanSupplier move) {
    index.beginRead();
    try {
      return move.getAsBoolean();
    } finally {
      index.endRead();
    }
  }

  @Override
  public boolean first() {
    return move(cursor::first);
  }

  @Override
  public boolean last() {
    return move(cursor::last);
  }

  @Override
  public boolean floor(MemorySegment key) {
    return move(() -> cursor.floor(key));
  }

  @Override
  public boolean ceiling(MemorySegment key) {
    return move(() -> cursor.ceiling(key));
  }

  @Override
  public boolean lower(MemorySegment key) {
    return move(() -> cursor.lower(key));
  }

  @Override
  public boolean higher(MemorySegment key) {
    return move(() -> cursor.higher(key));
  }

  @Override
  public boolean next() {
    index.beginRead();
    try {
      return cursor.next();
    } finally {
      index.endRead();
    }
  }

  @Override
  public boolean previous() {
    index.beginRead();
    try {
      return cursor.previous();
    } finally {
      index.endRead();
    }
  }

  @Override
  public void scanTo(MemorySegment key) {
    cursor.scanTo(key);
  }

  @Override
  public MemorySegment key() {
    index.beginRead();
    try {
      return cursor.key();
    } finally {
      index.endRead();
    }
  }

  @Override
  public byte[] keyArray() {
    index.beginRead();
    try {
      return cursor.keyArray();
    } finally {
      index.endRead();
    }
  }

  @Override
  public long valueBytes() {
    index.beginRead();
    try {
      return cursor.valueBytes();
    } finally {
      index.endRead();
    }
  }

  @Override
  public void value(ValueReader reader) {
    index.beginRead();
    try {
      cursor.value(reader);
    } finally {
      index.endRead();
    }
  }

  @Override
  public byte[] valueArray() {
    index.beginRead();
    try {
      return cursor.valueArray();
    } finally {
      index.endRead();
    }
  }

  @Override
  public void setValue(MemorySegment value) {
    index.beginWrite();
    try {
      cursor.setValue(value);
    } finally {
      index.endWrite();
    }
  }

  @Override
  public void remove() {
    index.beginWrite();
    try {
      cursor.remove();
    } finally {
      index.endWrite();
    }
  }
}
