// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Carries out again what the records of the log say, in order. Writes to single keys are gathered
 * and applied in the order of the keys, only the last one for each key.
 */
final class Replay {
  private static final int MOST_GATHERED = 1 << 26;

  /** What part of the memory that the heap may have gathering takes at most. */
  private static final int HEAP_PART = 4;

  private final Indexes indexes;
  private final long gatheredBytes;
  private final int gatheredWrites;
  private final Map<Integer, SortedWrites> gathered = new HashMap<>();
  private final Map<Integer, SortedStringWrites> gatheredStrings = new HashMap<>();

  /** The index that the last write went to, as the next one mostly does. */
  private int lastId = -1;

  private @Nullable SortedWrites last;

  private long writes;

  /** The indexes of which the records tell. */
  interface Indexes {
    /** Returns an index of longs by its id; null if what the log does to it is passed over. */
    @Nullable LongIndex longs(int id);

    /** Returns an index of byte strings by its id; null as for one of longs. */
    @Nullable BytesIndex byteStrings(int id);

    /** Makes an index, without pages whatever its map says. */
    void create(Catalogue.Entry made);
  }

  /**
   * Begins.
   *
   * @param bytes the bytes of memory that writes may take while they are gathered
   */
  Replay(Indexes indexes, long bytes) {
    this.gatheredBytes = Math.min(bytes, Runtime.getRuntime().maxMemory() / HEAP_PART);
    this.gatheredWrites =
        Math.clamp(gatheredBytes / SortedWrites.BYTES, SortedWrites.USUAL_MOST, MOST_GATHERED);
    this.indexes = indexes;
  }

  /** Returns how many writes were carried out. */
  long writes() {
    return writes;
  }

  /**
   * Carries out the operations of a batch, now or at {@link #finish}.
   *
   * @return null; or what is wrong with the batch, of which nothing is carried out then
   */
  @Nullable String add(byte[] segment, int from, int length) {
    int end = from + length;
    int bytes;
    for (int at = from; at < end; at += bytes) {
      bytes = LogRecord.operationBytes(segment, at, end - at);
      if (bytes < 0 || (segment[at] == LogRecord.CREATE && made(segment, at) == null)) {
        return "its operation of kind %d at byte %d makes no sense"
            .formatted(segment[at], at - from);
      }
    }
    for (int at = from; at < end; at += LogRecord.operationBytes(segment, at, end - at)) {
      int kind = segment[at];
      int index = LogRecord.indexAt(segment, at + 1);
      if (kind == LogRecord.CREATE) {
        indexes.create(Objects.requireNonNull(made(segment, at)));
        continue;
      }
      if (kind < LogRecord.SET_BYTES) {
        add(kind, of(index), segment, at + LogRecord.OPERATION_BYTES);
      } else {
        add(kind, ofStrings(index), segment, at + LogRecord.OPERATION_BYTES);
      }
    }
    return null;
  }

  /** Returns the index that an operation makes, null if it makes no sense. */
  private static Catalogue.@Nullable Entry made(byte[] segment, int at) {
    int length = LogRecord.shortAt(segment, at + LogRecord.OPERATION_BYTES);
    return Catalogue.Entry.of(segment, at + LogRecord.createBytes(0), length);
  }

  /** Adds an operation on longs, unless its index is null. */
  private void add(int kind, @Nullable SortedWrites index, byte[] segment, int at) {
    if (index == null) {
      return;
    }
    writes++;
    switch (kind) {
      case LogRecord.SET ->
          index.set(LogRecord.longAt(segment, at), LogRecord.longAt(segment, at + 8));
      case LogRecord.DELETE -> index.delete(LogRecord.longAt(segment, at));
      case LogRecord.RANGE -> {
        index.apply();
        long first = LogRecord.longAt(segment, at);
        index.tree().removeRange(first, true, LogRecord.longAt(segment, at + 8), true);
      }
      default -> {
        index.clear();
        index.tree().clear();
      }
    }
  }

  private @Nullable SortedWrites of(int id) {
    if (last != null && id == lastId) {
      return last;
    }
    SortedWrites of = gathered.get(id);
    if (of == null) {
      LongIndex index = indexes.longs(id);
      if (index == null) {
        return null;
      }
      of = new SortedWrites(index, gatheredWrites);
      gathered.put(id, of);
    }
    last = of;
    lastId = id;
    return of;
  }

  private @Nullable SortedStringWrites ofStrings(int id) {
    SortedStringWrites of = gatheredStrings.get(id);
    if (of == null) {
      BytesIndex index = indexes.byteStrings(id);
      if (index == null) {
        return null;
      }
      of = new SortedStringWrites(index, gatheredBytes);
      gatheredStrings.put(id, of);
    }
    return of;
  }

  /** Adds an operation on byte strings, unless its index is null. */
  private void add(int kind, @Nullable SortedStringWrites index, byte[] segment, int at) {
    if (index == null) {
      return;
    }
    writes++;
    switch (kind) {
      case LogRecord.SET_BYTES ->
          index.set(
              segment, at + 6, LogRecord.shortAt(segment, at), LogRecord.intAt(segment, at + 2));
      case LogRecord.DELETE_BYTES -> index.delete(segment, at + 2, LogRecord.shortAt(segment, at));
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
      }
      default -> {
        index.clear();
        index.tree().clear();
      }
    }
  }

  /** Carries out what was gathered. */
  void finish() {
    gathered.values().forEach(SortedWrites::apply);
    gatheredStrings.values().forEach(SortedStringWrites::apply);
  }
}
