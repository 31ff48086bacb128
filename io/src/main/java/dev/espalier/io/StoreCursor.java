// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.memory.MemoryLimitException;

/** A cursor over an index of a store, which tells the log what it writes. */
final class StoreCursor implements LongCursor {
  private final StoreIndex index;
  private final StoreWriter writer;
  private final LongCursor cursor;
  private final IndexFailures failures;

  /**
   * Makes a cursor.
   *
   * @param cursor of the index's tree
   */
  StoreCursor(StoreIndex index, StoreWriter writer, LongCursor cursor, IndexFailures failures) {
    this.index = index;
    this.writer = writer;
    this.cursor = cursor;
    this.failures = failures;
  }

  @Override
  public void setValue(long value) {
    for (int refusals = 0; ; refusals++) {
      try {
        setValueOnce(value);
        return;
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private void setValueOnce(long value) {
    long sequence;
    long key = key();
    IndexLock[] held = index.locks().of(key);
    writer.beginSet(index, held, key);
    try {
      cursor.setValue(value);
      sequence = index.appendSet(held, key, value);
    } catch (RuntimeException failed) {
      throw index.ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
  }

  @Override
  public void remove() {
    for (int refusals = 0; ; refusals++) {
      try {
        removeOnce();
        return;
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private void removeOnce() {
    long sequence;
    long key = key();
    IndexLock[] held = index.locks().of(key);
    writer.beginRemoval(index, held, key);
    try {
      cursor.remove();
      sequence = index.appendDelete(held, key);
    } catch (RuntimeException failed) {
      throw index.ofWrite(held, key, failed);
    } finally {
      writer.end(held);
    }
    writer.acknowledge(sequence);
  }

  @Override
  public boolean first() {
    try {
      return cursor.first();
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.bare().cursor().first());
    }
  }

  @Override
  public boolean last() {
    try {
      return cursor.last();
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.bare().cursor().last());
    }
  }

  @Override
  public boolean floor(long key) {
    try {
      return cursor.floor(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.bare().cursor().floor(key));
    }
  }

  @Override
  public boolean ceiling(long key) {
    try {
      return cursor.ceiling(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.bare().cursor().ceiling(key));
    }
  }

  @Override
  public boolean lower(long key) {
    try {
      return cursor.lower(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.bare().cursor().lower(key));
    }
  }

  @Override
  public boolean higher(long key) {
    try {
      return cursor.higher(key);
    } catch (RuntimeException failed) {
      throw failures.ofRead(failed, () -> index.bare().cursor().higher(key));
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
  public void scanTo(long key) {
    try {
      cursor.scanTo(key);
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
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
  public long key() {
    try {
      return cursor.key();
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
  }

  @Override
  public long value() {
    try {
      return cursor.value();
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
  }

  @Override
  public boolean nextRun(LongRun run) {
    try {
      return cursor.nextRun(run);
    } catch (RuntimeException failed) {
      throw failures.ofStep(failed);
    }
  }
}
