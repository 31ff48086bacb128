// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.tree.AbstractIndex;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Lookups of many keys, and statistics, beside one who splits and removes nodes. */
@Tag("fallback-exhaustive")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BatchesBesideThreadsTest {
  private static final int KEYS = 3000;

  /** So many keys that the method of a lookup is chosen by what a probe costs. */
  private static final int PROBES = 4096;

  /** Distance of the keys that stay. */
  private static final int EVERY = 16;

  @Drawn(false)
  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#forThreads")
  void batchesAreAnsweredAndNodesCountedWhileOthersChangeThem(TreeShape shape) throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    try (LongIndex index = shape.create(IndexOptions.DEFAULT);
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      for (long key = 0; key < KEYS; key += EVERY) {
        index.put(key, key);
      }
      Future<?> writer = threads.submit(() -> growAndShrink(index, stop));
      try {
        look(index, TestSize.share(5, 2000));
      } finally {
        stop.set(true);
      }
      writer.get();
      index.verify();
    }
  }

  private static void growAndShrink(LongIndex index, AtomicBoolean stop) {
    while (!stop.get()) {
      for (long key = 0; key < KEYS; key++) {
        index.put(key, key);
      }
      for (long key = 0; key < KEYS; key++) {
        if (key % EVERY != 0) {
          index.remove(key);
        }
      }
    }
  }

  private static void look(LongIndex index, int times) {
    SplittableRandom random = new SplittableRandom(1);
    long[] keys = random.longs(PROBES, 0, KEYS).toArray();
    long[] values = new long[PROBES];
    for (int i = 0; i < times; i++) {
      index.getAll(keys, values);
      assertAnswers(index, keys, values);
      if (index instanceof AbstractIndex) {
        BatchLookup.of(index).getAll(ProbeMethod.BUFFERED, keys, 0, values, 0, PROBES);
        assertAnswers(index, keys, values);
      }
      IndexStatistics statistics = index.statistics();
      assertTrue(statistics.entries() >= KEYS / EVERY, statistics::toString);
      assertTrue(statistics.leafNodes() > 0 && statistics.leafFill() <= 1, statistics::toString);
    }
  }

  private static void assertAnswers(LongIndex index, long[] keys, long[] values) {
    for (int i = 0; i < keys.length; i++) {
      if (values[i] != index.missingValue() || keys[i] % EVERY == 0) {
        assertEquals(keys[i], values[i]);
      }
    }
  }
}
