// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;

/** A cursor over an index of a store, which tells the log what it writes. */
final class StoreCursor implements LongCursor {
  private final StoreWriter writer;
  private final SlotPageStore store;
  private final int index;
  private final LongCursor cursor;

  StoreCursor(StoreWriter writer, SlotPageStore store, int index, LongCursor cursor) {
    this.writer = writer;
    this.store = store;
    this.index = index;
    this.cursor = cursor;
  }

  @Override
  public void setValue(long value) {
    long sequence;
    writer.begin(store, 1);
    try {
      long key = cursor.key();
      cursor.setValue(value);
      sequence = writer.appendSet(index, key, value);
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
  }

  @Override
  public void remove() {
    long sequence;
    writer.begin(store, 1);
    try {
      long key = cursor.key();
      cursor.remove();
      writer.record().delete(index, key);
      sequence = writer.append();
    } finally {
      writer.end();
    }
    writer.acknowledge(sequence);
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
  public boolean floor(long key) {
    return cursor.floor(key);
  }

  @Override
  public boolean ceiling(long key) {
    return cursor.ceiling(key);
  }

  @Override
  public boolean lower(long key) {
    return cursor.lower(key);
  }

  @Override
  public boolean higher(long key) {
    return cursor.higher(key);
  }

  @Override
  public boolean next() {
    return cursor.next();
  }

  @Override
  public void scanTo(long key) {
    cursor.scanTo(key);
  }

  @Override
  public boolean previous() {
    return cursor.previous();
  }

  @Override
  public long key() {
    return cursor.key();
  }

  @Override
  public long value() {
    return cursor.value();
  }

  @Override
  public boolean nextRun(LongRun run) {
    return cursor.nextRun(run);
  }
}
