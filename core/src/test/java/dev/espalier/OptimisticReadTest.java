// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Lookups behind a lock that they do not take, while another thread writes. */
@Tag("fallback-thorough")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OptimisticReadTest {
  private static final int WRITES = TestSize.share(500, 60_000);
  private static final int CLOSES = TestSize.share(1, 50);
  private static final int KEYS = 1200;

  /** Every fourth key stays, and its value grows; the others come and go. */
  private static final int STAYS = 4;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  // ---------------------------------------------------------------- real trees

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void valuesOnlyMoveForwardAndNoKeyThatStaysIsMissed(TreeShape shape) throws Exception {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT).withReadWriteLock()) {
      for (long key = 0; key < KEYS; key += STAYS) {
        index.put(key, 0);
      }
      CountDownLatch written = new CountDownLatch(1);
      List<Future<?>> readers = new ArrayList<>();
      for (int seed = 0; seed < 2; seed++) {
        SplittableRandom random = new SplittableRandom(seed);
        readers.add(threads.submit(() -> readForward(index, random, written)));
      }
      try {
        SplittableRandom random = new SplittableRandom(9);
        for (int i = 1; i <= WRITES; i++) {
          write(index, random, i);
        }
      } finally {
        written.countDown();
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
      index.verify();
    }
  }

  private static void write(LongIndex index, SplittableRandom random, int value) {
    long key = random.nextInt(KEYS);
    if (key % STAYS == 0) {
      index.set(key, value);
    } else if (random.nextInt(3) == 0) {
      index.delete(key);
    } else {
      index.set(key, -key);
    }
    if (value % 100 == 0) {
      long from = key - key % STAYS;
      index.removeRange(from, false, from + STAYS, false);
      long[] keys = random.longs(50, 0, KEYS / STAYS).map(k -> STAYS * k + 1).toArray();
      long[] values = new long[keys.length];
      for (int i = 0; i < keys.length; i++) {
        values[i] = -keys[i];
      }
      index.putAll(keys, values);
    }
    if (value % 1000 == 0) {
      index.shrink();
    }
  }

  private static void readForward(LongIndex index, SplittableRandom random, CountDownLatch end) {
    long[] seen = new long[KEYS];
    long turns = 0;
    while (end.getCount() > 0 || turns++ < KEYS) {
      int key = random.nextInt(KEYS);
      if (key % STAYS == 0) {
        assertTrue(index.containsKey(key));
        long value = index.get(key);
        assertTrue(value >= seen[key]);
        seen[key] = value;
      } else {
        long value = index.getOrDefault(key, 1);
        assertTrue(value == 1 || value == -key);
      }
      assertFalse(index.containsKey(-1 - key));
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void readersOfAnIndexThatIsEmptiedAndFilledAgainSeeOneOrTheOther(TreeShape shape)
      throws Exception {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT).withReadWriteLock()) {
      long[] keys = new SplittableRandom(1).longs(KEYS, 0, KEYS).sorted().distinct().toArray();
      CountDownLatch written = new CountDownLatch(1);
      Future<?> reader =
          threads.submit(
              () -> {
                SplittableRandom random = new SplittableRandom(2);
                while (written.getCount() > 0) {
                  long key = random.nextInt(KEYS);
                  long value = index.get(key);
                  assertTrue(value == key || value == index.missingValue());
                }
              });
      try {
        for (int i = 0; i < WRITES / 100; i++) {
          index.bulkload(keys, keys);
          index.clear();
        }
      } finally {
        written.countDown();
      }
      reader.get();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void readersLearnThatTheIndexIsClosedAndNothingElse(TreeShape shape) throws Exception {
    for (int i = 0; i < CLOSES; i++) {
      LongIndex index = shape.create(IndexOptions.DEFAULT).withReadWriteLock();
      for (long key = 0; key < KEYS; key++) {
        index.set(key, -key);
      }
      CountDownLatch reading = new CountDownLatch(2);
      List<Future<?>> users = new ArrayList<>();
      for (ToLongFunction<Long> use :
          List.<ToLongFunction<Long>>of(
              index::get, key -> index.containsKey(key) ? -key : 0, key -> write(index, key))) {
        users.add(threads.submit(() -> useUntilClosed(use, reading)));
      }
      reading.await();
      index.close();
      for (Future<?> user : users) {
        user.get();
      }
    }
  }

  private static long write(LongIndex index, long key) {
    index.set(key, -key);
    return -key;
  }

  private static void useUntilClosed(ToLongFunction<Long> use, CountDownLatch reading) {
    for (long i = 0; ; i++) {
      long key = i * 7919 % KEYS;
      try {
        assertEquals(-key, use.applyAsLong(key));
      } catch (IllegalStateException closed) {
        assertTrue(closed.getMessage().contains("closed"), closed::toString);
        return;
      }
      if (i == 10) {
        reading.countDown();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaults")
  void treesInMemoryAllowTornReads(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      assertEquals(!shape.name().contains("in a file"), index.allowsTornReads());
    }
  }

  // ---------------------------------------------------------------- made to be disturbed

  /** What happens inside the index during each lookup; an answer comes from the model below. */
  private interface Inside {
    void lookUp(int call) throws Exception;
  }

  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final ModelIndex model = ModelIndex.ofKeys(1, 2, 3);
  private int calls;

  private LongIndex disturbed(Inside inside) {
    LongIndex watched =
        (LongIndex)
            Proxy.newProxyInstance(
                LongIndex.class.getClassLoader(),
                new Class<?>[] {LongIndex.class},
                (proxy, method, arguments) -> {
                  switch (method.getName()) {
                    case "allowsTornReads":
                      return true;
                    case "get", "getOrDefault", "containsKey":
                      calls++;
                      inside.lookUp(calls);
                      break;
                    default:
                  }
                  try {
                    return method.invoke(model, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    return new LockedIndex(watched, lock);
  }

  /** Lets another thread call and waits for it. */
  private void inAnotherThread(Callable<?> call) throws Exception {
    threads.submit(call).get();
  }

  @Test
  void undisturbedLookupTakesNoLockAndLooksOnce() {
    LongIndex index = disturbed(call -> assertEquals(0, lock.getReadLockCount()));
    assertEquals(10, index.get(1));
    assertEquals(20, index.getOrDefault(2, 0));
    assertTrue(index.containsKey(3));
    assertEquals(3, calls);
  }

  private LongIndex self;

  @Test
  void answerBesideAWriteIsNotBelieved() {
    self =
        disturbed(
            call -> {
              if (call == 1) {
                inAnotherThread(() -> self.put(2, 21));
              }
            });
    assertEquals(21, self.getOrDefault(2, 0));
    assertEquals(2, calls);
  }

  @Test
  void exceptionBesideAWriteIsNotBelieved() {
    for (Throwable torn :
        List.of(new IndexOutOfBoundsException(), new StackOverflowError(), new AssertionError())) {
      calls = 0;
      self =
          disturbed(
              call -> {
                if (call == 1) {
                  inAnotherThread(() -> self.put(2, 21));
                  if (torn instanceof Error error) {
                    throw error;
                  }
                  throw (RuntimeException) torn;
                }
              });
      assertEquals(21, self.get(2));
      assertTrue(self.containsKey(2));
      assertEquals(3, calls);
    }
  }

  @Test
  void exceptionWithoutAWriteReachesTheUserAtOnce() {
    RuntimeException real = new IllegalArgumentException("misuse");
    LongIndex index =
        disturbed(
            call -> {
              throw real;
            });
    assertSame(real, assertThrows(IllegalArgumentException.class, () -> index.get(1)));
    assertSame(real, assertThrows(IllegalArgumentException.class, () -> index.getOrDefault(1, 0)));
    assertSame(real, assertThrows(IllegalArgumentException.class, () -> index.containsKey(1)));
    assertEquals(3, calls);
    assertEquals(0, lock.getReadLockCount());
  }

  @Test
  void lookupThatIsAlwaysDisturbedTakesTheLock() {
    self =
        disturbed(
            call -> {
              if (lock.getReadHoldCount() == 0) {
                inAnotherThread(() -> self.put(2, 20 + call));
              }
            });
    assertEquals(20 + LockedIndex.MOST_TRIES, self.get(2));
    assertEquals(LockedIndex.MOST_TRIES + 1, calls);
    calls = 0;
    assertTrue(self.containsKey(2));
    assertEquals(LockedIndex.MOST_TRIES + 1, calls);
    assertEquals(0, lock.getReadLockCount());
  }

  @Test
  void lookupDuringALongWriteWaitsForItsEnd() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    LongIndex index = disturbed(call -> assertEquals(1, lock.getReadHoldCount()));
    index.clear();
    Future<?> writer =
        threads.submit(
            () ->
                index.bulkload(
                    new OneEntry(
                        () -> {
                          writing.countDown();
                          mayEnd.await();
                          return null;
                        }),
                    1.0,
                    1,
                    ProgressListener.NONE));
    writing.await();
    Future<Long> reader = threads.submit(() -> index.get(5));
    while (!lock.hasQueuedThreads()) {
      Thread.onSpinWait();
    }
    mayEnd.countDown();
    writer.get();
    assertEquals(50, reader.get());
  }

  @Test
  void writerDuringALongWriteIsQueuedAndWritesAfterIt() throws Exception {
    LongIndex index = disturbed(call -> {});
    index.clear();
    List<Future<?>> other = new ArrayList<>();
    index.bulkload(
        new OneEntry(
            () -> {
              other.add(threads.submit(() -> index.put(5, 51)));
              while (!lock.hasQueuedThreads()) {
                Thread.onSpinWait();
              }
              return null;
            }),
        1.0,
        1,
        ProgressListener.NONE);
    assertEquals(50L, other.getFirst().get());
    assertEquals(51, index.get(5));
    assertFalse(lock.isWriteLocked());
  }

  @Test
  void threadThatWritesMayReadMeanwhile() {
    LongIndex index = disturbed(call -> {});
    index.clear();
    List<Long> found = new ArrayList<>();
    index.bulkload(
        new OneEntry(
            () -> {
              index.put(5, 49);
              found.add(index.get(5));
              index.delete(5);
              return null;
            }),
        1.0,
        1,
        ProgressListener.NONE);
    assertEquals(List.of(49L), found);
    calls = 0;
    assertEquals(50, index.get(5));
    assertEquals(1, calls);
  }

  /** Key 5 with the value 50, before which something happens. */
  private static final class OneEntry implements LongEntrySource {
    private final Callable<?> before;
    private int given;

    OneEntry(Callable<?> before) {
      this.before = before;
    }

    @Override
    public boolean next() {
      if (given++ > 0) {
        return false;
      }
      try {
        before.call();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      return true;
    }

    @Override
    public long key() {
      return 5;
    }

    @Override
    public long value() {
      return 50;
    }
  }
}
