// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import java.util.Iterator;
import java.util.Map;
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
      case 0 -> moved("first", cursor.first(), model.firstEntry());
      case 1 -> moved("last", cursor.last(), model.lastEntry());
      case 2 -> moved("floor", cursor.floor(key), model.floorEntry(key));
      case 3 -> moved("ceiling", cursor.ceiling(key), model.ceilingEntry(key));
      case 4 -> moved("lower", cursor.lower(key), model.lowerEntry(key));
      default -> moved("higher", cursor.higher(key), model.higherEntry(key));
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
    if (forward) {
      Map.Entry<Long, Long> next = place == null ? model.firstEntry() : model.higherEntry(place);
      moved("next", cursor.next(), next);
    } else {
      Map.Entry<Long, Long> before = place == null ? model.lastEntry() : model.lowerEntry(place);
      moved("previous", cursor.previous(), before);
    }
  }

  /** Reads a few runs. */
  void readRuns(int runs) {
    NavigableMap<Long, Long> rest = place == null ? model : model.tailMap(place, false);
    Iterator<Map.Entry<Long, Long>> expected = rest.entrySet().iterator();
    for (int i = 0; i < runs; i++) {
      boolean any = cursor.nextRun(run);
      Differences.check("nextRun", expected.hasNext(), any);
      if (!any) {
        moved("nextRun", false, null);
        return;
      }
      if (run.count() < 1) {
        throw new AssertionError("nextRun returned true, and a run of " + run.count());
      }
      for (int j = 0; j < run.count(); j++) {
        if (!expected.hasNext()) {
          throw new AssertionError("a run has key " + run.key(j) + ", which is not there");
        }
        Map.Entry<Long, Long> entry = expected.next();
        Differences.checkNumber("a key of a run", entry.getKey(), run.key(j));
        Differences.checkNumber("a value of a run", entry.getValue(), run.value(j));
        goTo(entry);
      }
      if (run.count() > LONGEST_RUN) {
        return;
      }
    }
  }

  private void moved(String how, boolean isThere, Map.@Nullable Entry<Long, Long> expected) {
    moves++;
    Differences.check(how, expected != null, isThere);
    goTo(expected);
    checkEntry(copy);
  }

  private void goTo(Map.@Nullable Entry<Long, Long> entry) {
    place = entry == null ? null : entry.getKey();
    copy = entry == null ? null : entry.getValue();
    hasRemoved = false;
  }

  /** Checks key and value, or that there are none: the entry may be gone by whatever means. */
  void checkPlace() {
    Long now = copies || place == null ? copy : model.get(place);
    checkEntry(hasRemoved ? null : now);
  }

  private void checkEntry(@Nullable Long value) {
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
