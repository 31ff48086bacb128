// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.inspect.TreePrinter;
import java.util.SplittableRandom;

/**
 * Calls everything of an index whose memory was damaged: each call answers something or throws, and
 * ends. A scan that never ends is found by the limit on its steps.
 */
public final class DamagedUse {
  private static final long[] EXTREMES = {
    0,
    1,
    -1,
    Long.MIN_VALUE,
    Long.MAX_VALUE,
    Integer.MIN_VALUE,
    Integer.MAX_VALUE,
    1L << 32,
    -1L << 32
  };

  private DamagedUse() {}

  /** Returns a number that is likely to be taken for something it is not. */
  public static long extreme(SplittableRandom random) {
    return EXTREMES[random.nextInt(EXTREMES.length)];
  }

  /**
   * Uses an index.
   *
   * @param entries keys from 0 on that it held before the damage
   * @param mostSteps more entries than a scan can find
   */
  public static void of(LongIndex index, SplittableRandom random, int entries, long mostSteps) {
    survives(index::verify);
    survives(index::statistics);
    survives(() -> TreePrinter.print(index.rootView(), 1000));
    survives(() -> scan(index.cursor(), mostSteps));
    survives(() -> scanBackwards(index.cursor(), mostSteps));
    survives(() -> scanRuns(index.cursor(), mostSteps));
    survives(() -> index.countRange(Long.MIN_VALUE, true, Long.MAX_VALUE, true));
    long[] keys = random.longs(200, -2, entries + 2L).toArray();
    survives(() -> index.getAll(keys, new long[keys.length]));
    survives(() -> index.cursor().last());
    for (long key : keys) {
      survives(() -> index.get(key));
      survives(() -> index.containsKey(key));
      survives(() -> index.remove(key));
      survives(() -> index.put(key, key));
      survives(() -> index.cursor().floor(key));
      survives(() -> index.putIfAbsent(random.nextLong(), key));
    }
    survives(() -> index.putAll(keys, keys.clone()));
    survives(() -> index.removeRange(0, true, 100, true));
    survives(index::verify);
  }

  private static void survives(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException _) {
      // As good as an answer: the tree is damaged.
    }
  }

  private static void scan(LongCursor cursor, long mostSteps) {
    for (long steps = 0; cursor.next(); steps++) {
      assertTrue(steps < mostSteps, "the scan does not end");
    }
  }

  private static void scanBackwards(LongCursor cursor, long mostSteps) {
    for (long steps = 0; cursor.previous(); steps++) {
      assertTrue(steps < mostSteps, "the scan does not end");
    }
  }

  private static void scanRuns(LongCursor cursor, long mostSteps) {
    LongRun run = new LongRun();
    for (long steps = 0; cursor.nextRun(run); steps++) {
      assertTrue(steps < mostSteps, "the scan does not end");
      for (int i = 0; i < run.count(); i++) {
        run.key(i);
        run.value(i);
      }
    }
  }
}
