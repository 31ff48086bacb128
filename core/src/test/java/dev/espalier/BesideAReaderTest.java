// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.state.ActionChain;

/**
 * Trees for many threads at once do what {@link ModelIndex} does while a second thread reads all
 * the time, by every way; what that finds is in order, and none of its calls throws.
 */
@Tag("fallback-exhaustive")
class BesideAReaderTest {
  private static final List<TreeShape> SHAPES =
      List.of(
          TreeShape.concurrent(1, 1),
          TreeShape.concurrent(2, 1),
          TreeShape.concurrent(3, 8),
          TreeShape.blink(256),
          TreeShape.fpbLink(256, 1, 1),
          TreeShape.pio(256, 1, 1),
          TreeShape.pio(256, 3, 8));

  private final List<LongIndex> opened = new ArrayList<>();
  private final List<Future<?>> readers = new ArrayList<>();
  private final List<ExecutorService> threads = new ArrayList<>();
  private volatile boolean stop;

  @Property(shrinking = ShrinkingMode.OFF)
  void doesWhatTheModelDoes(@ForAll("chains") ActionChain<ModelledIndex> chain) {
    chain.withInvariant("equals the model", ModelledIndex::verify).run();
  }

  @Provide
  Arbitrary<ActionChain<ModelledIndex>> chains() {
    return LongIndexModelTest.chains(SHAPES, this::open);
  }

  private ModelledIndex open(LongIndexModelTest.Start start) {
    LongIndex index = start.newIndex();
    opened.add(index);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    threads.add(thread);
    stop = false;
    readers.add(thread.submit(() -> readUntilStopped(index)));
    return start.modelled(index);
  }

  @AfterTry
  void stopReading() throws Exception {
    stop = true;
    try {
      for (Future<?> reader : readers) {
        reader.get();
      }
    } finally {
      readers.clear();
      threads.forEach(ExecutorService::close);
      threads.clear();
      opened.forEach(LongIndex::close);
      opened.clear();
    }
  }

  private void readUntilStopped(LongIndex index) {
    SplittableRandom random = new SplittableRandom(1);
    long[] keys = new long[40];
    long[] values = new long[keys.length];
    while (!stop) {
      for (int i = 0; i < keys.length; i++) {
        keys[i] = random.nextInt(-10, 2000);
        index.get(keys[i]);
        index.containsKey(keys[i]);
      }
      index.getAll(keys, values);
      readInOrder(index, keys[0]);
    }
  }

  private static void readInOrder(LongIndex index, long from) {
    LongCursor cursor = index.cursor();
    long before = from - 1;
    boolean there = cursor.ceiling(from);
    for (int steps = 0; there && steps < 50; steps++) {
      assertTrue(cursor.key() > before);
      before = cursor.key();
      there = cursor.next();
    }
    there = cursor.floor(from);
    before = from + 1;
    for (int steps = 0; there && steps < 50; steps++) {
      assertTrue(cursor.key() < before);
      before = cursor.key();
      there = cursor.previous();
    }
  }
}
