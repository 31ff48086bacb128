// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.memory.MemoryLimitException;

/**
 * Writes to many keys of an index of longs, of which the log has one record, or one for each part.
 *
 * <p>If the tree is made for many threads, the log is told before the tree is changed, so that no
 * reader sees what the log does not have; otherwise readers wait, and it is told afterwards.
 */
final class BulkWrites {
  /** Entries of {@code putAll} that become one record. */
  private static final int PUT_ALL = 256;

  private final StoreWriter writer;
  private final StoreIndex index;
  private final LongIndex tree;
  private final SlotPageStore store;
  private final IndexLocks locks;
  private final IndexFailures failures;

  /** Whether the log is told first. */
  private final boolean tellsFirst;

  BulkWrites(StoreWriter writer, StoreIndex index) {
    this.writer = writer;
    this.index = index;
    this.tree = index.tree();
    this.store = index.pages();
    this.locks = index.locks();
    this.failures = index.failures();
    this.tellsFirst = locks.areOfKeys() && writer.tellsBeforeReaders();
  }

  // ---------------------------------------------------------------- put

  /** Stores entries in parts, each of which is a record: after a crash some parts may be there. */
  void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    long sequence = 0;
    for (int done = 0; done < count; done += PUT_ALL) {
      int part = Math.min(PUT_ALL, count - done);
      sequence = putPart(keys, keysFrom + done, values, valuesFrom + done, part);
    }
    if (count > 0) {
      writer.acknowledge(sequence);
    }
  }

  private long putPart(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    for (int refusals = 0; ; refusals++) {
      try {
        return putPartOnce(keys, keysFrom, values, valuesFrom, count);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private long putPartOnce(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    IndexLock[] held = locks.of(keys, keysFrom, count);
    writer.begin(store, held, count);
    try {
      if (held[0].isOfOneAlone()) {
        writer.transactions().keepAll(index, keys, keysFrom, count);
      }
      return tellsFirst
          ? tellAndPut(held, keys, keysFrom, values, valuesFrom, count)
          : putAndTell(held, keys, keysFrom, values, valuesFrom, count);
    } catch (RuntimeException failed) {
      throw failures.ofWrite(failed);
    } finally {
      writer.end(held);
    }
  }

  private long tellAndPut(
      IndexLock[] held, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    long sequence = append(held, keys, keysFrom, values, valuesFrom, count);
    try {
      tree.putAll(keys, keysFrom, values, valuesFrom, count);
      return sequence;
    } catch (RuntimeException failed) {
      takeBack(held, keys, keysFrom, count, failed);
      throw failed;
    }
  }

  private long putAndTell(
      IndexLock[] held, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    try {
      tree.putAll(keys, keysFrom, values, valuesFrom, count);
    } catch (MemoryLimitException full) {
      LogRecord record = writer.record(held);
      addStored(record, keys, keysFrom, count, false);
      if (!record.isEmpty()) {
        writer.append(record);
      }
      throw full;
    }
    return append(held, keys, keysFrom, values, valuesFrom, count);
  }

  private long append(
      IndexLock[] held, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    LogRecord record = writer.record(held);
    for (int i = 0; i < count; i++) {
      record.set(index.id(), keys[keysFrom + i], values[valuesFrom + i]);
    }
    return writer.append(record);
  }

  /**
   * Tells the log what there is of some keys, after it was told of writes to them that may not have
   * been made.
   */
  void takeBack(IndexLock[] held, long[] keys, int keysFrom, int count, RuntimeException cause) {
    long bytes = (long) count * LogRecord.MOST_OPERATION_BYTES;
    writer
        .failedWrites()
        .takeBack(held, bytes, last -> addStored(last, keys, keysFrom, count, true), cause);
  }

  private void addStored(
      LogRecord record, long[] keys, int keysFrom, int count, boolean withAbsent) {
    for (int i = 0; i < count; i++) {
      long key = keys[keysFrom + i];
      if (tree.containsKey(key)) {
        record.set(index.id(), key, tree.get(key));
      } else if (withAbsent) {
        record.delete(index.id(), key);
      }
    }
  }

  // ---------------------------------------------------------------- remove

  /** Removes all entries. */
  void clear() {
    long sequence;
    writer.beginClear(store, locks.all());
    try {
      if (locks.all()[0].isOfOneAlone()) {
        writer.transactions().keepRange(index, Long.MIN_VALUE, true, Long.MAX_VALUE, true);
      }
      if (tellsFirst) {
        sequence = appendClear();
        writer.whole(
            () -> {
              tree.clear();
              return 0;
            });
      } else {
        tree.clear();
        sequence = appendClear();
      }
    } catch (RuntimeException failed) {
      throw failures.ofWrite(failed);
    } finally {
      writer.end(locks.all());
    }
    writer.acknowledge(sequence);
  }

  private long appendClear() {
    LogRecord record = writer.record(locks.all());
    record.clear(index.id());
    return writer.append(record);
  }

  /** Removes a range, in parts if the device has no room for what this may change. */
  long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    if (from > to) {
      return tree.removeRange(from, fromInclusive, to, toInclusive); // which refuses it
    }
    Part part = removePart(from, fromInclusive, to, toInclusive);
    long removed = part.removed;
    while (part.end != to) {
      part = removePart(part.end, false, to, toInclusive);
      removed += part.removed;
    }
    return removed;
  }

  /** What was removed of a range, and the key up to which all of it has gone. */
  private record Part(long removed, long end) {}

  private Part removePart(long from, boolean fromInclusive, long to, boolean toInclusive) {
    long removed;
    long end;
    long sequence;
    int most = writer.beginRange(store, locks.all(), LogRecord.MOST_OPERATION_BYTES);
    try {
      end =
          most == RangeParts.ALL
              ? to
              : RangeParts.end(index.bare().cursor(), from, fromInclusive, to, most);
      boolean endInclusive = end != to || toInclusive;
      if (locks.all()[0].isOfOneAlone()) {
        writer.transactions().keepRange(index, from, fromInclusive, end, endInclusive);
      }
      if (tellsFirst) {
        if (isEmpty(from, fromInclusive, end, endInclusive)) {
          return new Part(0, to);
        }
        sequence = appendRange(from, fromInclusive, end, endInclusive);
        removed = writer.whole(() -> tree.removeRange(from, fromInclusive, end, endInclusive));
      } else {
        removed = writer.whole(() -> tree.removeRange(from, fromInclusive, end, endInclusive));
        if (removed == 0) {
          return new Part(0, to);
        }
        sequence = appendRange(from, fromInclusive, end, endInclusive);
      }
    } catch (RuntimeException failed) {
      throw failures.ofWrite(failed);
    } finally {
      writer.end(locks.all());
    }
    writer.acknowledge(sequence);
    return new Part(removed, end);
  }

  private boolean isEmpty(long from, boolean fromInclusive, long end, boolean endInclusive) {
    LongCursor cursor = tree.cursor();
    boolean isThere = fromInclusive ? cursor.ceiling(from) : cursor.higher(from);
    return !isThere || (endInclusive ? cursor.key() > end : cursor.key() >= end);
  }

  /** Tells the log of a range with entries; so its bounds can be moved to the next keys. */
  private long appendRange(long from, boolean fromInclusive, long end, boolean endInclusive) {
    long first = fromInclusive ? from : from + 1;
    long last = endInclusive ? end : end - 1;
    LogRecord record = writer.record(locks.all());
    record.removeRange(index.id(), first, last);
    return writer.append(record);
  }
}
