// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/**
 * Hands out the places of records in a log's buffer. Threads take places one after another, by one
 * exchange of a word, and fill them at the same time (Johnson et al., <i>Aether</i>, VLDB 2010,
 * section 5).
 */
final class LogPlaces {
  /* Overview
   *
   * Between two processors a line may travel for a fifth of a microsecond, longer than a record
   * takes to be made. So threads that append write one shared line, beside those of the records:
   *
   *     | records, 32 | bytes left, 32 |
   *
   * Whoever changes anything else about the end of the log holds its lock and closes the places. A
   * thread says in a word of its own that it fills, and then looks whether the places are open; the
   * one that closes says so, and then waits for those that fill. So while a thread fills, or has
   * found the places open since it said so, nothing else about the end of the log changes.
   *
   * Room is made before a record is appended, so that appending does not fail. Those who are about
   * to append have promised what they need at the WriterGate. Whoever makes room closes the places,
   * and then looks at what was promised; all others look at what is left after they have promised.
   * So either the one sees the promise, or the other finds the places closed, and waits for the lock.
   */

  /** What {@link #enter} returns if the places are closed, or too many threads fill. */
  static final int OUT = -1;

  /** What {@link #take} returns if the places are closed, or too few bytes are left. */
  static final long NONE = -1;

  private static final long RECORD = 1L << Integer.SIZE;

  /** Words from one to the next: two lines, as processors fetch them in pairs. */
  private static final int STRIDE = 16;

  private static final int MOST_FILLERS = 32;

  /** How often a thread looks before it gives way: several records are filled by then. */
  private static final int SPINS = 100;

  private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private final int fillers =
      Math.clamp(
          2L * Integer.highestOneBit(Runtime.getRuntime().availableProcessors()), 4, MOST_FILLERS);

  /** Where the word of the places is; behind it are those of threads that fill. */
  private static final int PLACES = STRIDE;

  private final long[] words = new long[(fillers + 2) * STRIDE];

  private volatile boolean areOpen;

  /** Returns how many threads may fill at the same time. */
  int fillers() {
    return fillers;
  }

  // ---------------------------------------------------------------- fill

  /** Says that this thread is about to fill; returns the number of its word, or {@link #OUT}. */
  int enter() {
    if (!areOpen) {
      return OUT; // Those that try again and again would keep the one that closes waiting.
    }
    int first = (int) Thread.currentThread().threadId();
    for (int i = 0; i < fillers; i++) {
      int filler = (first + i) & (fillers - 1);
      if (WORD.compareAndSet(words, at(filler), 0L, 1L)) {
        return filler;
      }
    }
    return OUT;
  }

  private static int at(int filler) {
    return (filler + 2) * STRIDE;
  }

  /**
   * Takes a place, for a thread that has entered.
   *
   * @return what {@link #records} and {@link #left} tell of it, or {@link #NONE}
   */
  long take(int bytes) {
    if (!areOpen) {
      return NONE;
    }
    long taken = (long) WORD.getAndAdd(words, PLACES, RECORD - bytes);
    if (left(taken) < bytes) {
      WORD.getAndAdd(words, PLACES, bytes - RECORD);
      return NONE;
    }
    return taken;
  }

  /** Says that this thread has filled what it has taken, if anything. */
  void leave(int filler) {
    WORD.setRelease(words, at(filler), 0L);
  }

  /** Returns how many records had places before, since the places were opened. */
  static int records(long taken) {
    return (int) (taken >>> Integer.SIZE);
  }

  /** Returns how many bytes were left before; fewer than none while a place is given back. */
  static int left(long taken) {
    return (int) taken;
  }

  /** Tells whether so many bytes are left, unless the places are closed and stay so. */
  boolean has(long bytes) {
    for (int spins = 0; spins < SPINS; spins++) {
      if (areOpen) {
        long word = (long) WORD.getVolatile(words, PLACES);
        return areOpen && left(word) >= bytes;
      }
      Thread.onSpinWait();
    }
    return false;
  }

  // ---------------------------------------------------------------- with the lock

  boolean areOpen() {
    return areOpen;
  }

  /** Returns what was taken so far. */
  long taken() {
    return (long) WORD.getVolatile(words, PLACES);
  }

  /** Opens the places. */
  void open(int left) {
    WORD.setVolatile(words, PLACES, (long) left);
    areOpen = true;
  }

  /** Closes the places, and waits for those that fill; what was taken is all that is taken. */
  void close() {
    areOpen = false;
    for (int filler = 0; filler < fillers; filler++) {
      for (int spins = 0; (long) WORD.getVolatile(words, at(filler)) != 0; spins++) {
        if (spins < SPINS) {
          Thread.onSpinWait();
        } else {
          Waiting.nap(NAP_NANOS);
        }
      }
    }
  }
}
