// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The ids of many keys in one piece of native memory: a run for each key, in ascending order.
 *
 * <pre>
 *  run:   word 0                   1        count   capacity
 *        | capacity  |  count   |  id  | ... | id | free |
 *         63      32  31       0
 * </pre>
 *
 * <p>A run is named by the number of its first word. A run that is full moves to one of twice the
 * capacity. Runs that are free are in lists by the binary logarithm of their capacity; word 1 has
 * the next one.
 */
final class IdRuns implements AutoCloseable {
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
  private static final long NONE = -1;
  private static final int MOST_IDS = Integer.MAX_VALUE;
  private static final long FIRST_WORDS = 1 << 7;

  private Arena arena = Arena.ofShared();
  private MemorySegment words = arena.allocate(WORD, FIRST_WORDS);

  /** How many words are in use, or were. */
  private long end;

  private final long[] free = new long[Integer.SIZE];

  IdRuns() {
    Arrays.fill(free, NONE);
  }

  // ---------------------------------------------------------------- read

  int count(long run) {
    return (int) words.getAtIndex(WORD, run);
  }

  long id(long run, int i) {
    return words.getAtIndex(WORD, run + 1 + i);
  }

  /** Copies ids of a run. */
  void copy(long run, int from, long[] to, int toFrom, int count) {
    MemorySegment.copy(words, WORD, (run + 1 + from) * Long.BYTES, to, toFrom, count);
  }

  /** Returns how many ids of a run are less than an id. */
  int lowerBound(long run, long id) {
    int low = 0;
    int high = count(run);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (id(run, middle) < id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns whether the id at a place of a run is a given one. */
  boolean isAt(long run, int place, long id) {
    return place < count(run) && id(run, place) == id;
  }

  /** Returns the bytes of native memory. */
  long bytes() {
    return words.byteSize();
  }

  // ---------------------------------------------------------------- write

  /** Makes room for runs that are added next. */
  void reserve(long moreWords) {
    long needed = Math.addExact(end, moreWords);
    if (needed * Long.BYTES > words.byteSize()) {
      grow(needed);
    }
  }

  private void grow(long needed) {
    Arena larger = Arena.ofShared();
    try {
      MemorySegment room = larger.allocate(WORD, needed);
      MemorySegment.copy(words, 0, room, 0, end * Long.BYTES);
      words = room;
    } catch (OutOfMemoryError refused) {
      larger.close();
      throw new MemoryLimitException(
          "there is no native memory for " + needed * Long.BYTES + " bytes of ids", refused);
    }
    arena.close();
    arena = larger;
  }

  /** Adds a run of ids that ascend, with no room for more. */
  long add(long[] ids, int from, int count) {
    long run = append(count);
    MemorySegment.copy(ids, from, words, WORD, (run + 1) * Long.BYTES, count);
    setCount(run, count, count);
    return run;
  }

  /** Adds a run of one id. */
  long add(long id) {
    long run = allocate(1);
    words.setAtIndex(WORD, run + 1, id);
    setCount(run, capacity(run), 1);
    return run;
  }

  /**
   * Inserts an id into a run, or into a copy of it if it is full.
   *
   * @return the run, or its copy; the run is then as it was, and to be released
   */
  long insert(long run, int place, long id) {
    int count = count(run);
    long to = count < capacity(run) ? run : allocate(doubled(count));
    if (to != run) {
      move(run, 0, to, 0, place);
    }
    move(run, place, to, place + 1, count - place);
    words.setAtIndex(WORD, to + 1 + place, id);
    setCount(to, capacity(to), count + 1);
    return to;
  }

  private static int doubled(int count) {
    if (count == MOST_IDS) {
      throw new IllegalStateException("a key has " + MOST_IDS + " ids, and no room for another");
    }
    return count >= 1 << 30 ? MOST_IDS : Integer.highestOneBit(count) << 1;
  }

  /** Removes an id from a run. */
  void remove(long run, int place) {
    int count = count(run);
    move(run, place + 1, run, place, count - place - 1);
    setCount(run, capacity(run), count - 1);
  }

  /** Takes back the room of a run. */
  void release(long run) {
    int list = log(capacity(run));
    words.setAtIndex(WORD, run + 1, free[list]);
    free[list] = run;
  }

  void clear() {
    end = 0;
    Arrays.fill(free, NONE);
  }

  @Override
  public void close() {
    arena.close();
  }

  /** Returns a run with room for as many ids as a power of two, or for the most. */
  private long allocate(int capacity) {
    int list = log(capacity);
    long run = free[list];
    if (run == NONE || capacity(run) < capacity) {
      return append(capacity);
    }
    free[list] = id(run, 0);
    return run;
  }

  private long append(int capacity) {
    long after = end + 1 + capacity;
    if (after * Long.BYTES > words.byteSize()) {
      grow(Math.max(after, 2 * end));
    }
    long run = end;
    end = after;
    setCount(run, capacity, 0);
    return run;
  }

  private int capacity(long run) {
    return (int) (words.getAtIndex(WORD, run) >>> Integer.SIZE);
  }

  private void setCount(long run, int capacity, int count) {
    words.setAtIndex(WORD, run, (long) capacity << Integer.SIZE | count);
  }

  private void move(long from, int fromPlace, long to, int toPlace, int count) {
    MemorySegment.copy(
        words,
        (from + 1 + fromPlace) * Long.BYTES,
        words,
        (to + 1 + toPlace) * Long.BYTES,
        (long) count * Long.BYTES);
  }

  private static int log(int capacity) {
    return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(capacity);
  }
}
