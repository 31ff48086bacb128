// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import java.util.Iterator;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Scans so long that the levels are merged block by block; the other contracts' are shorter. */
class LongScanTest {
  private static final int MESSAGES = 20_000;

  private final TreeMap<Long, Long> model = new TreeMap<>();

  static Stream<LongIndex> indexes() {
    return Stream.of(
        Cola.create(IndexOptions.DEFAULT),
        Cola.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(1024),
            new Cola.Geometry(2, 1, 3)),
        Cola.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(16 << 10),
            new Cola.Geometry(8, 0.1, 100)),
        DeamortizedCola.create(IndexOptions.DEFAULT),
        DeamortizedCola.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(1024),
            new DeamortizedCola.Geometry(7)));
  }

  /** Writes random keys; a tenth of the range is removed as a whole. */
  private void fill(LongIndex index) {
    SplittableRandom random = new SplittableRandom(5);
    for (long i = 0; i < MESSAGES; i++) {
      long key = (random.nextLong() >>> 45) << 45;
      boolean isGap = Math.floorMod(key >>> 45, 100) < 10;
      if (isGap || random.nextInt(8) == 0) {
        index.delete(key);
        model.remove(key);
      } else {
        index.set(key, i);
        model.put(key, i);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void entriesComeInOrder(LongIndex given) {
    try (LongIndex index = given) {
      fill(index);
      LongCursor cursor = index.cursor();
      for (Map.Entry<Long, Long> entry : model.entrySet()) {
        assertTrue(cursor.next());
        assertEquals(entry, Map.entry(cursor.key(), cursor.value()));
      }
      assertFalse(cursor.next());
    }
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void runsAreAllEntries(LongIndex given) {
    try (LongIndex index = given) {
      fill(index);
      LongCursor cursor = index.cursor();
      LongRun run = new LongRun();
      Iterator<Map.Entry<Long, Long>> expected = model.entrySet().iterator();
      while (cursor.nextRun(run)) {
        for (int i = 0; i < run.count(); i++) {
          assertEquals(expected.next(), Map.entry(run.key(i), run.value(i)));
        }
      }
      assertFalse(expected.hasNext());
    }
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void scanTurnsBackAnywhere(LongIndex given) {
    try (LongIndex index = given) {
      fill(index);
      SplittableRandom random = new SplittableRandom(6);
      LongCursor cursor = index.cursor();
      assertTrue(cursor.first());
      long key = model.firstKey();
      for (int turn = 0; turn < 20; turn++) {
        boolean forward = turn % 2 == 0;
        int steps = random.nextInt(forward ? 3000 : 2000);
        for (int i = 0; i < steps; i++) {
          Long next = forward ? model.higherKey(key) : model.lowerKey(key);
          if (next == null) {
            break;
          }
          assertTrue(forward ? cursor.next() : cursor.previous());
          assertEquals(next, cursor.key());
          key = next;
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void removingEverythingLeavesNothing(LongIndex given) {
    try (LongIndex index = given) {
      fill(index);
      LongCursor cursor = index.cursor();
      int removed = 0;
      while (cursor.next()) {
        cursor.remove();
        removed++;
      }
      assertEquals(model.size(), removed);
      assertFalse(index.cursor().first());
      index.verify();
    }
  }
}
