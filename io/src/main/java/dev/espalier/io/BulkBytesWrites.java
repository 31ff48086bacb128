// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes to many keys of an index of byte strings, of which the log has one record, or one for each
 * part. The counterpart of {@link BulkWrites}, which is for longs: the log is told before the tree
 * is changed.
 */
final class BulkBytesWrites {
  /** Entries of {@code putAll} that become one record, ... */
  private static final int PUT_ALL = 256;

  /** ... unless they have more bytes. */
  private static final int PUT_ALL_BYTES = 1 << 20;

  /** The key that ends a part of a range may be longer than the one that ends the range. */
  private static final int LONGER_END = 1 << 10;

  private static final byte[] NO_BYTES = {};

  private final StoreWriter writer;
  private final StoreBytesIndex index;
  private final ConcurrentPrefixBPlusTree tree;
  private final SlotPageStore store;

  private final IndexFailures failures;

  /** Whether the log is told first. */
  private final boolean tellsFirst;

  BulkBytesWrites(StoreWriter writer, StoreBytesIndex index) {
    this.writer = writer;
    this.index = index;
    this.tree = index.tree();
    this.store = index.pages();
    this.failures = index.failures();
    this.tellsFirst = writer.tellsBeforeReaders();
  }

  // ---------------------------------------------------------------- put

  /** Stores entries in parts, each of which is a record. */
  void putAll(PackedBytes keys, PackedBytes values) {
    long sequence = 0;
    for (int done = 0; done < keys.count(); ) {
      int end = done;
      int bytes = 0;
      long bits = 0;
      for (; end < keys.count() && end - done < PUT_ALL && bytes < PUT_ALL_BYTES; end++) {
        MemorySegment key = keys.get(end);
        MemorySegment value = values.get(end);
        if (key.byteSize() > BytesIndex.MAX_KEY || value.byteSize() > BytesIndex.MAX_VALUE) {
          break;
        }
        bytes += StoreBytesIndex.setBytes(key, value);
        bits |= IndexLocks.bit(IndexLocks.keyOf(key));
      }
      if (end == done) {
        tree.set(keys.get(end), values.get(end)); // which refuses it
      }
      sequence = putPart(index.locks().some(bits), keys, values, done, end, bytes);
      done = end;
    }
    if (keys.count() > 0) {
      writer.acknowledge(sequence);
    }
  }

  private long putPart(
      IndexLock[] held, PackedBytes keys, PackedBytes values, int from, int to, int bytes) {
    for (int refusals = 0; ; refusals++) {
      try {
        return putPartOnce(held, keys, values, from, to, bytes);
      } catch (MemoryLimitException refused) {
        writer.makeRoomAfter(refused, refusals);
      }
    }
  }

  private long putPartOnce(
      IndexLock[] held, PackedBytes keys, PackedBytes values, int from, int to, int bytes) {
    writer.begin(store, held, to - from, index.sharing(to - from), bytes);
    try {
      for (int i = from; i < to && held[0].isOfOneAlone(); i++) {
        writer.transactions().keep(index, keys.get(i));
      }
      for (int i = from; i < to && tellsFirst; i++) {
        tree.checkLeaving(keys.get(i));
      }
      return tellsFirst
          ? tellAndPut(held, keys, values, from, to)
          : putAndTell(held, keys, values, from, to);
    } catch (RuntimeException failed) {
      throw failures.ofWrite(failed);
    } finally {
      writer.end(held);
    }
  }

  private long tellAndPut(
      IndexLock[] held, PackedBytes keys, PackedBytes values, int from, int to) {
    LogRecord record = writer.record(held);
    for (int i = from; i < to; i++) {
      record.set(index.id(), keys.get(i), values.get(i));
    }
    long sequence = writer.append(record);
    int stored = from;
    try {
      for (; stored < to; stored++) {
        tree.set(keys.get(stored), values.get(stored));
      }
      return sequence;
    } catch (RuntimeException failed) {
      takeBack(held, IntStream.range(stored, to).mapToObj(keys::get).toList(), failed);
      throw failed;
    }
  }

  private long putAndTell(
      IndexLock[] held, PackedBytes keys, PackedBytes values, int from, int to) {
    LogRecord record = writer.record(held);
    for (int i = from; i < to; i++) {
      try {
        tree.set(keys.get(i), values.get(i));
      } catch (RuntimeException refused) {
        if (!record.isEmpty()) {
          writer.append(record); // what was stored before
        }
        throw refused;
      }
      record.set(index.id(), keys.get(i), values.get(i));
    }
    return writer.append(record);
  }

  /**
   * Tells the log what there is of some keys, after it was told of writes to them that may not have
   * been made.
   */
  void takeBack(IndexLock[] held, List<MemorySegment> keys, RuntimeException cause) {
    long bytes = 0;
    try {
      for (MemorySegment key : keys) {
        bytes += key.byteSize() + Math.max(0, tree.get(key, MemorySegment.NULL));
      }
    } catch (RuntimeException _) {
      bytes = 0; // They fail once more when they are read for the record.
    }
    writer
        .failedWrites()
        .takeBack(held, bytes, last -> keys.forEach(key -> addStored(last, key)), cause);
  }

  /** Adds what there is of a key to a record. */
  private void addStored(LogRecord record, MemorySegment key) {
    byte[] value = tree.get(key.toArray(ValueLayout.JAVA_BYTE));
    if (value == null) {
      record.delete(index.id(), key);
    } else {
      record.set(index.id(), key, MemorySegment.ofArray(value));
    }
  }

  // ---------------------------------------------------------------- remove

  /** Removes all entries. */
  void clear() {
    long sequence;
    IndexLock[] whole = index.locksOfAll();
    writer.beginClear(store, whole);
    try {
      if (whole[0].isOfOneAlone()) {
        writer.transactions().keepRange(index, NO_BYTES, true, null, true);
      }
      if (tellsFirst) {
        sequence = appendClear(whole);
        writer.whole(
            () -> {
              tree.clear();
              return 0;
            });
      } else {
        tree.clear();
        sequence = appendClear(whole);
      }
    } catch (RuntimeException failed) {
      throw failures.ofWrite(failed);
    } finally {
      writer.end(whole);
    }
    writer.acknowledge(sequence);
  }

  private long appendClear(IndexLock[] whole) {
    LogRecord record = writer.record(whole);
    record.clearBytes(index.id());
    return writer.append(record);
  }

  /**
   * Removes a range, in parts if the device has no room for what this may change. A bound that is
   * longer than keys are lies right behind the key that it begins with, which takes its place: a
   * record has no longer ones.
   */
  long removeRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    byte[] first = cut(from);
    byte[] last = cut(to);
    boolean firstInclusive = fromInclusive && first.length == from.length;
    boolean lastInclusive = toInclusive || last.length < to.length;
    Part part = removePart(first, firstInclusive, last, lastInclusive);
    long removed = part.removed;
    while (part.end != null) {
      part = removePart(part.end, false, last, lastInclusive);
      removed += part.removed;
    }
    return removed;
  }

  private static byte[] cut(byte[] bound) {
    return bound.length > BytesIndex.MAX_KEY ? Arrays.copyOf(bound, BytesIndex.MAX_KEY) : bound;
  }

  /** What was removed of a range, and the key up to which all has gone, null if that is all. */
  private static final class Part {
    final long removed;
    final byte @Nullable [] end;

    Part(long removed, byte @Nullable [] end) {
      this.removed = removed;
      this.end = end;
    }
  }

  private Part removePart(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    long removed;
    byte[] end;
    long sequence;
    int longest = to.length + LONGER_END;
    IndexLock[] whole = index.locksOfAll();
    int most = writer.beginRange(store, whole, LogRecord.rangeBytes(from.length, longest));
    try {
      end =
          most == RangeParts.ALL
              ? null
              : RangeParts.end(tree.cursor(), from, fromInclusive, to, most, longest);
      byte[] last = end == null ? to : end;
      boolean lastInclusive = end != null || toInclusive;
      if (whole[0].isOfOneAlone()) {
        writer.transactions().keepRange(index, from, fromInclusive, last, lastInclusive);
      }
      if (tellsFirst) {
        if (isEmpty(from, fromInclusive, last, lastInclusive)) {
          return new Part(0, null);
        }
        tree.checkLeaving(from, fromInclusive, last, lastInclusive);
        sequence = appendRange(whole, from, fromInclusive, last, lastInclusive);
        removed = writer.whole(() -> tree.removeRange(from, fromInclusive, last, lastInclusive));
      } else {
        removed = writer.whole(() -> tree.removeRange(from, fromInclusive, last, lastInclusive));
        if (removed == 0) {
          return new Part(0, null);
        }
        sequence = appendRange(whole, from, fromInclusive, last, lastInclusive);
      }
    } catch (RuntimeException failed) {
      throw failures.ofWrite(failed);
    } finally {
      writer.end(whole);
    }
    writer.acknowledge(sequence);
    return new Part(removed, end);
  }

  private boolean isEmpty(byte[] from, boolean fromInclusive, byte[] last, boolean lastInclusive) {
    MemorySegment first = MemorySegment.ofArray(from);
    BytesCursor cursor = tree.cursor();
    cursor.expectValues(BytesCursor.Expected.NONE);
    boolean isThere = fromInclusive ? cursor.ceiling(first) : cursor.higher(first);
    return !isThere || Arrays.compareUnsigned(cursor.keyArray(), last) > (lastInclusive ? 0 : -1);
  }

  private long appendRange(
      IndexLock[] whole, byte[] from, boolean fromInclusive, byte[] last, boolean lastInclusive) {
    LogRecord record = writer.record(whole);
    record.removeRange(index.id(), from, fromInclusive, last, lastInclusive);
    return writer.append(record);
  }
}
