// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A cursor whose steps and runs follow one another in any order, among changes. */
class StepsAndRunsTest {
  private static final int KEYS = 3000;
  private static final int STEPS = 20_000;

  private final TreeMap<Long, Long> expected = new TreeMap<>();
  private final LongRun run = new LongRun();

  @Test
  void whereALeafIsOneRunTheyShowTheSameEntries() {
    assertAlike(BLinkTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(512)));
  }

  @Test
  void whereALeafHasSeveralRunsTheyShowTheSameEntries() {
    assertAlike(
        FpbLinkTree.open(
            IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(4096), new Geometry(2, 5)));
  }

  private void assertAlike(LongIndex tree) {
    SplittableRandom random = new SplittableRandom(1);
    try (LongIndex index = tree) {
      for (long key = 0; key < KEYS; key += 2) {
        put(index, key, -key);
      }
      LongCursor cursor = index.cursor();
      Map.Entry<Long, Long> at = null;
      for (int step = 0; step < STEPS; step++) {
        long key = random.nextInt(KEYS);
        switch (random.nextInt(8)) {
          case 0, 1 -> {
            at = at == null ? expected.firstEntry() : expected.higherEntry(at.getKey());
            assertEquals(at != null, cursor.next());
          }
          case 2 -> {
            at = at == null ? expected.lastEntry() : expected.lowerEntry(at.getKey());
            assertEquals(at != null, cursor.previous());
          }
          case 3, 4 -> at = nextRun(cursor, at);
          case 5 -> {
            at = random.nextInt(4) > 0 ? at : expected.ceilingEntry(key);
            assertEquals(at != null, at == null ? cursor.ceiling(KEYS) : cursor.floor(at.getKey()));
          }
          case 6 -> put(index, key, step);
          default -> {
            if (at != null) {
              cursor.setValue(step);
              expected.put(at.getKey(), (long) step);
            }
          }
        }
        if (at != null) {
          assertEquals(at.getKey(), cursor.key());
          assertEquals(expected.get(at.getKey()), cursor.value());
        }
      }
    }
  }

  private void put(LongIndex index, long key, long value) {
    index.put(key, value);
    expected.put(key, value);
  }

  private Map.@Nullable Entry<Long, Long> nextRun(
      LongCursor cursor, Map.@Nullable Entry<Long, Long> from) {
    Map.Entry<Long, Long> next =
        from == null ? expected.firstEntry() : expected.higherEntry(from.getKey());
    assertEquals(next != null, cursor.nextRun(run));
    if (next == null) {
      return null;
    }
    assertTrue(run.count() > 0);
    Map.Entry<Long, Long> last = next;
    for (int i = 0; i < run.count(); i++) {
      assertEquals(next.getKey(), run.key(i));
      assertEquals(next.getValue(), run.value(i));
      last = next;
      next = expected.higherEntry(next.getKey());
    }
    return last;
  }
}
