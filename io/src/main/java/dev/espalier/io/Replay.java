// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Carries out again what the records of the log say, in order. Writes to single keys are gathered
 * and applied in the order of the keys, only the last one for each key.
 */
final class Replay {
  private static final int MOST_GATHERED = 1 << 26;

  /** What part of the memory that the heap may have gathering takes at most. */
  private static final int HEAP_PART = 4;

  private final IntFunction<LongIndex> longs;
  private final IntFunction<BytesIndex> byteStrings;
  private final long gatheredBytes;
  private final int gatheredWrites;
  private final Map<Integer, SortedWrites> gathered = new HashMap<>();
  private final Map<Integer, SortedStringWrites> gatheredStrings = new HashMap<>();

  /** The index that the last write went to, as the next one mostly does. */
  private int lastId = -1;

  private @Nullable SortedWrites last;

  private long writes;

  /**
   * Begins.
   *
   * @param longs returns an index of longs by its id
   * @param byteStrings returns an index of byte strings by its id
   * @param bytes the bytes of memory that writes may take while they are gathered
   */
  Replay(IntFunction<LongIndex> longs, IntFunction<BytesIndex> byteStrings, long bytes) {
    this.gatheredBytes = Math.min(bytes, Runtime.getRuntime().maxMemory() / HEAP_PART);
    this.gatheredWrites =
        Math.clamp(gatheredBytes / SortedWrites.BYTES, SortedWrites.USUAL_MOST, MOST_GATHERED);
    this.longs = longs;
    this.byteStrings = byteStrings;
  }

  /** Returns how many writes were carried out. */
  long writes() {
    return writes;
  }

  /** Carries out the operations of a batch, now or at {@link #finish}. */
  void add(byte[] segment, int from, int length) {
    int at = from;
    while (at < from + length) {
      int kind = segment[at];
      int index = LogRecord.indexAt(segment, at + 1);
      at += LogRecord.OPERATION_BYTES;
      at +=
          switch (kind) {
            case LogRecord.SET, LogRecord.DELETE, LogRecord.RANGE, LogRecord.CLEAR ->
                add(kind, of(index), segment, at);
            case LogRecord.SET_BYTES,
                LogRecord.DELETE_BYTES,
                LogRecord.RANGE_BYTES,
                LogRecord.CLEAR_BYTES ->
                add(kind, ofStrings(index), segment, at);
            default ->
                throw new IllegalArgumentException("the log has an operation of kind " + kind);
          };
      writes++;
    }
  }

  /** Adds an operation on longs, and returns how many bytes describe it. */
  private static int add(int kind, SortedWrites index, byte[] segment, int at) {
    return switch (kind) {
      case LogRecord.SET -> {
        index.set(LogRecord.longAt(segment, at), LogRecord.longAt(segment, at + 8));
        yield 16;
      }
      case LogRecord.DELETE -> {
        index.delete(LogRecord.longAt(segment, at));
        yield 8;
      }
      case LogRecord.RANGE -> {
        index.apply();
        long first = LogRecord.longAt(segment, at);
        index.tree().removeRange(first, true, LogRecord.longAt(segment, at + 8), true);
        yield 16;
      }
      default -> {
        index.clear();
        index.tree().clear();
        yield 0;
      }
    };
  }

  private SortedWrites of(int id) {
    SortedWrites of = last;
    if (of == null || id != lastId) {
      of = gathered.computeIfAbsent(id, any -> new SortedWrites(longs.apply(any), gatheredWrites));
      last = of;
      lastId = id;
    }
    return of;
  }

  private SortedStringWrites ofStrings(int id) {
    return gatheredStrings.computeIfAbsent(
        id, any -> new SortedStringWrites(byteStrings.apply(any), gatheredBytes));
  }

  /** Adds an operation on byte strings, and returns how many bytes describe it. */
  private static int add(int kind, SortedStringWrites index, byte[] segment, int at) {
    return switch (kind) {
      case LogRecord.SET_BYTES -> {
        int key = LogRecord.shortAt(segment, at);
        int value = LogRecord.intAt(segment, at + 2);
        index.set(segment, at + 6, key, value);
        yield 6 + key + value;
      }
      case LogRecord.DELETE_BYTES -> {
        int key = LogRecord.shortAt(segment, at);
        index.delete(segment, at + 2, key);
        yield 2 + key;
      }
      case LogRecord.RANGE_BYTES -> {
        index.apply();
        int bounds = segment[at];
        int middle = at + 5 + LogRecord.shortAt(segment, at + 1);
        int end = middle + LogRecord.shortAt(segment, at + 3);
        byte[] from = Arrays.copyOfRange(segment, at + 5, middle);
        byte[] to = Arrays.copyOfRange(segment, middle, end);
        index
            .tree()
            .removeRange(
                from,
                (bounds & LogRecord.FROM_INCLUDED) != 0,
                to,
                (bounds & LogRecord.TO_INCLUDED) != 0);
        yield end - at;
      }
      default -> {
        index.clear();
        index.tree().clear();
        yield 0;
      }
    };
  }

  /** Carries out what was gathered. */
  void finish() {
    gathered.values().forEach(SortedWrites::apply);
    gatheredStrings.values().forEach(SortedStringWrites::apply);
  }
}
