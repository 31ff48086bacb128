// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Neighbours in indexes that several threads write. */
class NeighboursBesideThreadsTest {
  /** Distance of the keys that stay. */
  private static final long STEP = 40;

  private static final long END = 100 * STEP;
  private static final int CALLS = TestSize.of(10_000, 100_000);

  static Stream<TreeShape> shapes() {
    return Stream.of(
        TreeShape.concurrent(1, 1),
        TreeShape.concurrent(2, 1),
        TreeShape.fpbLink(256, 1, 1),
        TreeShape.fpbLink(1024, 1, 1),
        TreeShape.blink(256),
        TreeShape.pio(256, 1, 1),
        TreeShape.partitioned(3, 4),
        new TreeShape(
            "PbPlusTree behind a lock",
            options -> TreeShape.pbPlus(1, 1, 1).create(options).withReadWriteLock()));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void whatStaysIsNeverPassedOver(TreeShape shape) throws Exception {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      for (long key = 0; key <= END; key += STEP) {
        index.set(key, key);
      }
      AtomicBoolean isOver = new AtomicBoolean();
      Future<?> writer = threads.submit(() -> churn(index, isOver));
      try {
        List<Future<Void>> readers = new ArrayList<>();
        for (int seed = 0; seed < 2; seed++) {
          SplittableRandom random = new SplittableRandom(seed);
          readers.add(threads.submit(() -> ask(index, random)));
        }
        for (Future<Void> reader : readers) {
          reader.get();
        }
      } finally {
        isOver.set(true);
      }
      writer.get();
      index.verify();
    }
  }

  /** Fills a part of the keys in between, and empties it again. */
  private static void churn(LongIndex index, AtomicBoolean isOver) {
    SplittableRandom random = new SplittableRandom(11);
    while (!isOver.get()) {
      long from = random.nextLong(END / STEP) * STEP;
      long to = Math.min(from + random.nextLong(10) * STEP, END);
      for (long key = from; key < to; key++) {
        if (key % STEP != 0) {
          index.set(key, key);
        }
      }
      for (long key = from; key < to; key++) {
        if (key % STEP != 0) {
          index.delete(key);
        }
      }
    }
  }

  private static Void ask(LongIndex index, SplittableRandom random) {
    LongEntry entry = new LongEntry();
    for (int i = 0; i < CALLS; i++) {
      long key = random.nextLong(END);
      long below = key / STEP * STEP;
      assertTrue(index.floor(key, entry));
      assertWithin(below, entry, key);
      assertTrue(index.ceiling(key, entry));
      assertWithin(key, entry, key == below ? key : below + STEP);
      assertTrue(index.higher(key, entry));
      assertWithin(key + 1, entry, below + STEP);
      assertEquals(key > 0, index.lower(key, entry));
      if (key > 0) {
        assertWithin(key == below ? key - STEP : below, entry, key - 1);
      }
      assertEquals(0, index.firstKey());
      assertTrue(index.last(entry));
      assertWithin(END, entry, END);
    }
    return null;
  }

  private static void assertWithin(long least, LongEntry entry, long most) {
    assertTrue(
        entry.key() >= least && entry.key() <= most && entry.value() == entry.key(),
        () -> entry + " is not between " + least + " and " + most);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void eachEntryIsPolledOnce(TreeShape shape) throws Exception {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      for (long key = 0; key < END; key++) {
        index.set(key, ~key);
      }
      List<Callable<List<Long>>> tasks =
          List.of(() -> polled(index, true), () -> polled(index, false), () -> polled(index, true));
      List<Long> all = new ArrayList<>();
      for (Future<List<Long>> keys : threads.invokeAll(tasks)) {
        all.addAll(keys.get());
      }
      assertEquals(LongStream.range(0, END).boxed().toList(), all.stream().sorted().toList());
      assertTrue(index.isEmpty());
      index.verify();
    }
  }

  /** Takes entries from one end until there are none. */
  private static List<Long> polled(LongIndex index, boolean first) {
    List<Long> keys = new ArrayList<>();
    LongEntry entry = new LongEntry();
    while (first ? index.pollFirst(entry) : index.pollLast(entry)) {
      assertEquals(~entry.key(), entry.value());
      if (!keys.isEmpty()) {
        long before = keys.getLast();
        assertTrue(first ? entry.key() > before : entry.key() < before, "keys are out of order");
      }
      keys.add(entry.key());
    }
    return keys;
  }
}
