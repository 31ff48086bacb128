// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InterruptedCalls;
import dev.espalier.LongIndex;
import dev.espalier.RandomInterrupts;
import dev.espalier.TestSize;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bplus.PbPlusTree;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Joins of a thread whose interrupt status is set, or that is interrupted. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class InterruptedJoinTest {
  private static final int ROWS = 5_000;
  private static final int INTERRUPTS = TestSize.share(200, 20_000);
  private static final JoinOptions SMALL = JoinOptions.DEFAULT.withBatchSize(100);

  private final LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT);

  /** Rows of all joins whose keys are there: every other key is. */
  private final long matches;

  private final long[] keys = new Random(1).longs(ROWS, 0, ROWS).toArray();

  InterruptedJoinTest() {
    long even = 0;
    for (long key : keys) {
      index.put(key & -2, 10 * key);
      even += key & 1;
    }
    matches = ROWS - even;
  }

  @AfterEach
  void close() {
    index.close();
  }

  private OuterSource outer() {
    return OuterSource.of(keys, new long[ROWS]);
  }

  private void joinAlone(ProbeMethod method) {
    long rows = 0;
    try (var join = new IndexNestedLoopJoin(outer(), index, SMALL.withMethod(method))) {
      join.open();
      while (join.next()) {
        rows += join.batch().count();
      }
    }
    assertEquals(matches, rows);
  }

  private void joinTogether(ProbeMethod method, boolean interrupts) {
    LongAdder rows = new LongAdder();
    ParallelJoin.run(
        outer(),
        index,
        SMALL.withMethod(method),
        3,
        (thread, batch) -> {
          rows.add(batch.count());
          if (interrupts && thread != 0) {
            Thread.currentThread().interrupt(); // Means nothing to a thread of the join's own.
          }
        });
    assertEquals(matches, rows.sum());
  }

  @ParameterizedTest
  @EnumSource(ProbeMethod.class)
  void joinsWithTheStatusSetHandOutEveryRowAndKeepIt(ProbeMethod method) throws Exception {
    InterruptedCalls.run(() -> joinAlone(method));
    InterruptedCalls.run(() -> joinTogether(method, false));
    InterruptedCalls.run(() -> joinTogether(method, true));
  }

  @Test
  void noInterruptIsLostAndNoneChangesAJoin() {
    int joins = 0;
    try (RandomInterrupts interrupts = new RandomInterrupts(1, INTERRUPTS)) {
      while (interrupts.goOn()) {
        joinAlone(ProbeMethod.AUTO);
        interrupts.afterCall();
        joinTogether(ProbeMethod.AUTO, joins % 2 == 0);
        interrupts.afterCall();
        joins++;
      }
    }
    assertTrue(joins > 0);
  }
}
