// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.ValueReader;
import java.lang.foreign.MemorySegment;

/** A cursor over an index of byte strings of a store, which tells the log what it writes. */
final class StoreBytesCursor implements BytesCursor {
  private final StoreBytesIndex index;
  private final BytesCursor cursor;
  private final IndexFailures failures;

  /**
   * Makes a cursor.
   *
   * @param cursor of the index's tree
   */
  StoreBytesCursor(StoreBytesIndex index, BytesCursor cursor, IndexFailures failures) {
    this.index = index;
    this.cursor = cursor;
    this.failures = failures;
  }

  @Override
  public void setValue(MemorySegment value) {
    index.setValue(cursor, key(), value);
  }

  @Override
  public void remove() {
    index.remove(cursor, key());
  }

  @Override
  public boolean first() {
    try {
      return cursor.first();
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.tree().cursor().first());
    }
  }

  @Override
  public boolean last() {
    try {
      return cursor.last();
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.tree().cursor().last());
    }
  }

  @Override
  public boolean floor(MemorySegment key) {
    try {
      return cursor.floor(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.tree().cursor().floor(key));
    }
  }

  @Override
  public boolean ceiling(MemorySegment key) {
    try {
      return cursor.ceiling(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.tree().cursor().ceiling(key));
    }
  }

  @Override
  public boolean lower(MemorySegment key) {
    try {
      return cursor.lower(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.tree().cursor().lower(key));
    }
  }

  @Override
  public boolean higher(MemorySegment key) {
    try {
      return cursor.higher(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.tree().cursor().higher(key));
    }
  }

  @Override
  public boolean next() {
    try {
      return cursor.next();
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
  }

  @Override
  public void scanTo(MemorySegment key) {
    try {
      cursor.scanTo(key);
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
  }

  @Override
  public void expectValues(Expected expected) {
    cursor.expectValues(expected);
  }

  @Override
  public boolean previous() {
    try {
      return cursor.previous();
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
  }

  @Override
  public MemorySegment key() {
    try {
      return cursor.key();
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
  }

  @Override
  public byte[] keyArray() {
    try {
      return cursor.keyArray();
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
  }

  @Override
  public long valueBytes() {
    try {
      return cursor.valueBytes();
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
  }

  @Override
  public void value(ValueReader reader) {
    try {
      cursor.value(reader);
    } catch (RuntimeException failed) {
      throw failures.ofShownStep(failed);
    }
  }

  @Override
  public byte[] valueArray() {
    try {
      return cursor.valueArray();
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
  }
}
