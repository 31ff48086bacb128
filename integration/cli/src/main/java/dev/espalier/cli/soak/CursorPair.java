// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A cursor, and where it should be in a map that has the same entries in the same order. */
final class CursorPair {
  private static final int LONGEST_RUN = 40;

  private final LongCursor cursor;
  private final NavigableMap<Long, Long> model;

  /** Whether the cursor keeps the value that its entry had when it moved. */
  private final boolean copies;

  private final LongRun run = new LongRun();

  /** The key that the cursor is at; null if it is nowhere. */
  private @Nullable Long place;

  /** The value that the entry had when the cursor moved, or that the cursor has set since. */
  private @Nullable Long copy;

  /** Whether the cursor itself removed the entry that it was on. */
  private boolean hasRemoved;

  private long moves;

  CursorPair(LongCursor cursor, NavigableMap<Long, Long> model, boolean copies) {
    this.cursor = cursor;
    this.model = model;
    this.copies = copies;
  }

  /** Returns how often the cursor has moved. */
  long moves() {
    return moves;
  }

  /** Seeks a key, or an end. */
  void seek(SplittableRandom random, long key) {
    switch (random.nextInt(6)) {
      case 0 -> moved("first", cursor.first(), model.isEmpty() ? null : model.firstKey());
      case 1 -> moved("last", cursor.last(), model.isEmpty() ? null : model.lastKey());
      case 2 -> moved("floor", cursor.floor(key), model.floorKey(key));
      case 3 -> moved("ceiling", cursor.ceiling(key), model.ceilingKey(key));
      case 4 -> moved("lower", cursor.lower(key), model.lowerKey(key));
      default -> moved("higher", cursor.higher(key), model.higherKey(key));
    }
  }

  /** Goes some steps, and on some of them removes the entry, or changes its value. */
  void walk(SplittableRandom random, int steps, int removalsInTen) {
    boolean forward = random.nextBoolean();
    for (int i = 0; i < steps; i++) {
      if (random.nextInt(16) == 0) {
        forward = !forward;
      }
      step(forward);
      if (place != null) {
        int kind = random.nextInt(10);
        if (kind < removalsInTen) {
          cursor.remove();
          model.remove(place);
          hasRemoved = true;
          checkPlace();
        } else if (kind == 9) {
          long value = random.nextLong();
          cursor.setValue(value);
          model.put(place, value);
          copy = value;
          checkPlace();
        }
      }
    }
  }

  private void step(boolean forward) {
    Long key = place;
    if (forward) {
      Long next = key == null ? (model.isEmpty() ? null : model.firstKey()) : model.higherKey(key);
      moved("next", cursor.next(), next);
    } else {
      Long previous =
          key == null ? (model.isEmpty() ? null : model.lastKey()) : model.lowerKey(key);
      moved("previous", cursor.previous(), previous);
    }
  }

  /** Reads a few runs. */
  void readRuns(int runs) {
    for (int i = 0; i < runs; i++) {
      boolean any = cursor.nextRun(run);
      Long key = next();
      Differences.check("nextRun", key != null, any);
      if (key == null) {
        moved("nextRun", false, null);
        return;
      }
      if (run.count() < 1) {
        throw new AssertionError("nextRun returned true, and a run of " + run.count());
      }
      for (int j = 0; j < run.count(); j++) {
        if (j > 0) {
          key = next();
        }
        Differences.checkNumber("a key of a run", key, run.key(j));
        Differences.checkNumber(
            "a value of a run", key == null ? null : model.get(key), run.value(j));
        goTo(key);
      }
      if (run.count() > LONGEST_RUN) {
        return;
      }
    }
  }

  private @Nullable Long next() {
    if (place == null) {
      return model.isEmpty() ? null : model.firstKey();
    }
    return model.higherKey(place);
  }

  private void moved(String how, boolean isThere, @Nullable Long expected) {
    moves++;
    Differences.check(how, expected != null, isThere);
    goTo(expected);
    checkPlace();
  }

  private void goTo(@Nullable Long key) {
    place = key;
    copy = key == null ? null : model.get(key);
    hasRemoved = false;
  }

  /** Checks key and value, or that there are none: the entry may be gone by whatever means. */
  void checkPlace() {
    Long now = copies || place == null ? copy : model.get(place);
    Long value = hasRemoved ? null : now;
    if (value == null) {
      try {
        long key = cursor.key();
        throw new AssertionError("the cursor is on key " + key + ", but should be on no entry");
      } catch (IllegalStateException expected) {
        return;
      }
    }
    Differences.checkNumber("the key of a cursor", place, cursor.key());
    Differences.checkNumber("the value of a cursor", value, cursor.value());
  }
}
