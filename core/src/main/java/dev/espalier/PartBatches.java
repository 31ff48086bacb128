// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Runs the batches of a {@link PartitionedIndex}: divides keys among the parts, and looks up or
 * stores the share of each part in one call, under its lock.
 */
final class PartBatches {
  /** How many keys are divided among the parts at a time. */
  private static final int GROUP = 1024;

  private static final ThreadLocal<Room> ROOMS = ThreadLocal.withInitial(Room::new);

  private final PartitionedIndex whole;
  private final IndexPart[] parts;

  /** What a thread needs to divide keys among the parts. */
  private static final class Room {
    final int[] ends = new int[PartitionedIndex.MOST_PARTS + 1];
    final int[] partOf = new int[GROUP];
    final int[] places = new int[GROUP];
    final long[] keys = new long[GROUP];
    final long[] values = new long[GROUP];
    final long[] found = new long[GROUP / 64];
  }

  PartBatches(PartitionedIndex whole, IndexPart[] parts) {
    this.whole = whole;
    this.parts = parts;
  }

  /** Looks up keys as {@link LongIndex#getAll} does; {@code found} may be null. */
  int getAll(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found) {
    Arguments.checkBatch(keys, keysFrom, values, valuesFrom, count);
    Arguments.checkOpen(whole);
    if (found != null) {
      Arrays.fill(found, 0, (count + 63) / 64, 0);
    }
    int there = 0;
    Room room = ROOMS.get();
    for (int done = 0; done < count; done += GROUP) {
      int group = Math.min(GROUP, count - done);
      divide(keys, keysFrom + done, group, room);
      for (int from = 0; from < group; ) {
        int to = endOfPart(room, from, group);
        lookInPart(room, from, to);
        for (int i = from; i < to; i++) {
          int at = done + room.places[i];
          values[valuesFrom + at] = room.values[i];
          if ((room.found[(i - from) >> 6] >>> (i - from) & 1) != 0) {
            there++;
            if (found != null) {
              found[at >> 6] |= 1L << at;
            }
          }
        }
        from = to;
      }
    }
    return there;
  }

  /** Sorts keys by part; those of one part stay in the order in which they came. */
  private void divide(long[] keys, int from, int count, Room room) {
    long[] bounds = whole.lows();
    int[] ends = room.ends;
    Arrays.fill(ends, 0, parts.length + 1, 0);
    for (int i = 0; i < count; i++) {
      room.partOf[i] = PartitionedIndex.partOf(bounds, keys[from + i]);
      ends[room.partOf[i] + 1]++;
    }
    for (int i = 1; i <= parts.length; i++) {
      ends[i] += ends[i - 1];
    }
    for (int i = 0; i < count; i++) {
      int slot = ends[room.partOf[i]]++;
      room.places[slot] = i;
      room.keys[slot] = keys[from + i];
    }
  }

  /** Returns where the keys of a part end, given the slot where they begin. */
  private static int endOfPart(Room room, int from, int count) {
    int to = from + 1;
    while (to < count && room.partOf[room.places[to]] == room.partOf[room.places[from]]) {
      to++;
    }
    return to;
  }

  private void lookInPart(Room room, int from, int to) {
    IndexPart part = parts[room.partOf[room.places[from]]];
    try (var _ = part.reading.acquire()) {
      if (coversAll(part, room, from, to)) {
        part.index.getAll(room.keys, from, room.values, from, to - from, room.found);
        return;
      }
    }
    // A bound has moved: each key by itself.
    Arrays.fill(room.found, 0);
    for (int i = from; i < to; i++) {
      IndexPart now = whole.lockForRead(room.keys[i]);
      try {
        room.values[i] = now.index.get(room.keys[i]);
        if (now.index.containsKey(room.keys[i])) {
          room.found[(i - from) >> 6] |= 1L << (i - from);
        }
      } finally {
        now.reading.close();
      }
    }
  }

  private static boolean coversAll(IndexPart part, Room room, int from, int to) {
    for (int i = from; i < to; i++) {
      if (!part.covers(room.keys[i])) {
        return false;
      }
    }
    return true;
  }

  /** Stores entries as {@link PartitionedIndex#putAll(long[], int, long[], int, int)} does. */
  void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    Arguments.checkBatch(keys, keysFrom, values, valuesFrom, count);
    Arguments.checkOpen(whole);
    Room room = ROOMS.get();
    for (int done = 0; done < count; done += GROUP) {
      int group = Math.min(GROUP, count - done);
      divide(keys, keysFrom + done, group, room);
      for (int i = 0; i < group; i++) {
        room.values[i] = values[valuesFrom + done + room.places[i]];
      }
      RuntimeException failure = null;
      for (int from = 0; from < group; ) {
        int to = endOfPart(room, from, group);
        try {
          putInPart(room, from, to);
        } catch (RuntimeException failed) {
          failure = failure == null ? failed : failure;
        }
        from = to;
      }
      if (failure != null) {
        throw failure;
      }
    }
  }

  private void putInPart(Room room, int from, int to) {
    IndexPart part = parts[room.partOf[room.places[from]]];
    part.writing.acquire();
    boolean isHere = coversAll(part, room, from, to);
    try {
      if (isHere) {
        part.index.putAll(room.keys, from, room.values, from, to - from);
      }
    } finally {
      whole.unlock(part, to - from);
    }
    for (int i = from; i < to && !isHere; i++) {
      whole.set(room.keys[i], room.values[i]);
    }
  }
}
