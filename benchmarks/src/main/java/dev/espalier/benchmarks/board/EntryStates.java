// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Which values each entry may have at a moment, while many threads write.
 *
 * <p>Each write of an entry takes the next version when it begins. Writes that overlap form an
 * epoch; once the last of them has ended, the entry has the value of any of them, but of none
 * before. So what a read may find has a floor, the last version that is certain when it begins, and
 * a ceiling, the last version begun when it ends. Where writes do not overlap, only one version is
 * left: an update that was lost shows in the next read.
 */
final class EntryStates {
  /* Overview
   *
   * The state of an entry is one long, from the highest bits on:
   *
   *   begun   26 bits  the last version begun, 0 for none, Word.REMOVED for a removal
   *   behind  13 bits  begun minus the floor; MOST if that is more or unknown: the floor is then 0
   *   epoch   13 bits  versions begun in this epoch; MOST if more
   *   active  12 bits  writes that have begun and not ended
   */

  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

  private static final int ACTIVE_BITS = 12;
  private static final int COUNT_BITS = 13;
  private static final int MOST = (1 << COUNT_BITS) - 1;
  private static final int MOST_ACTIVE = (1 << ACTIVE_BITS) - 1;
  private static final int BEHIND_SHIFT = ACTIVE_BITS + COUNT_BITS;
  private static final int BEGUN_SHIFT = BEHIND_SHIFT + COUNT_BITS;

  private final long[] states;
  private final AtomicLong taken = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private long greatestKey = Long.MIN_VALUE;

  /** Makes the states of entries that are not there yet. */
  EntryStates(int capacity) {
    states = new long[capacity];
  }

  int capacity() {
    return states.length;
  }

  /** Makes the first entries have version 1, as a load leaves them, and no others be there. */
  void load(int count) {
    for (int i = 0; i < states.length; i++) {
      states[i] = i < count ? state(1, 0, 0, 0) : 0;
    }
    takeAll(count);
    acknowledged.set(count);
  }

  /** Returns the greatest key of entries that are always there, the least long if none is. */
  long greatestKey() {
    return greatestKey;
  }

  /** Takes the number of a new entry, or returns -1 if there is room for no more. */
  long take() {
    long entry = taken.getAndIncrement();
    if (entry < states.length) {
      return entry;
    }
    taken.decrementAndGet();
    return -1;
  }

  /** Takes the numbers below {@code count}, to be written in any order. */
  void takeAll(int count) {
    taken.set(count);
    greatestKey = LongStream.range(0, count).map(Setting::key).max().orElse(Long.MIN_VALUE);
  }

  /** Returns how many entries there are, not counting those that are on their way. */
  long count() {
    return acknowledged.get();
  }

  private static long state(long begun, long behind, long epoch, long active) {
    return begun << BEGUN_SHIFT | behind << BEHIND_SHIFT | epoch << ACTIVE_BITS | active;
  }

  private static int begun(long state) {
    return (int) (state >>> BEGUN_SHIFT);
  }

  private static int behind(long state) {
    return (int) (state >>> BEHIND_SHIFT) & MOST;
  }

  private static int epoch(long state) {
    return (int) (state >>> ACTIVE_BITS) & MOST;
  }

  private static int active(long state) {
    return (int) state & MOST_ACTIVE;
  }

  private static int floor(long state) {
    return behind(state) == MOST ? 0 : begun(state) - behind(state);
  }

  /** Returns the state, to be taken before a read and after it. */
  long state(long entry) {
    return (long) LONGS.getVolatile(states, (int) entry);
  }

  /** Begins a write of an entry, and returns the word that is to be written. */
  long begin(long entry) {
    while (true) {
      long before = state(entry);
      int version = begun(before) + 1;
      if (version >= Word.REMOVED) {
        throw new IllegalStateException("entry " + entry + " was removed, or has no version left");
      }
      long after =
          state(
              version, Math.min(behind(before) + 1, MOST), nextEpoch(before), active(before) + 1L);
      if (LONGS.compareAndSet(states, (int) entry, before, after)) {
        return Word.of(entry, version);
      }
    }
  }

  private static int nextEpoch(long state) {
    return active(state) == 0 ? 1 : Math.min(epoch(state) + 1, MOST);
  }

  /** Begins the removal of an entry. No write of it may follow. */
  void beginRemoval(long entry) {
    while (true) {
      long before = state(entry);
      long after = state(Word.REMOVED, MOST, nextEpoch(before), active(before) + 1L);
      if (LONGS.compareAndSet(states, (int) entry, before, after)) {
        return;
      }
    }
  }

  /** Ends a write or a removal: whoever reads from now on sees it, or a later one. */
  void end(long entry) {
    while (true) {
      long before = state(entry);
      int active = active(before) - 1;
      long behind = behind(before);
      if (active == 0) {
        if (begun(before) == Word.REMOVED) {
          behind = 0;
        } else if (epoch(before) < MOST) {
          behind = epoch(before) - 1L;
        }
      }
      long after = state(begun(before), behind, epoch(before), active);
      if (LONGS.compareAndSet(states, (int) entry, before, after)) {
        return;
      }
    }
  }

  /** Counts new entries whose writes have ended, up to the first that has not. */
  void acknowledge() {
    for (long next = acknowledged.get();
        next < Math.min(taken.get(), states.length) && floor(state(next)) > 0;
        next = acknowledged.get()) {
      acknowledged.compareAndSet(next, next + 1);
    }
  }

  /**
   * Returns whether a read may have found a word.
   *
   * @param before the state when it began
   * @param after the state when it had ended
   * @param word what it found, or {@link Word#ABSENT}
   */
  static boolean isPossible(long entry, long before, long after, long word) {
    if (word == Word.ABSENT) {
      return floor(before) == 0 || begun(after) == Word.REMOVED;
    }
    int version = Word.version(word);
    return Word.entry(word) == entry
        && version > 0
        && version >= floor(before)
        && version <= begun(after);
  }

  /** Says what a read might have found. */
  static String expectation(long before, long after) {
    return "versions from %d to %d were possible".formatted(floor(before), begun(after));
  }
}
